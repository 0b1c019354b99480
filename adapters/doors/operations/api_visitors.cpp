// Who makes a request: sessions of browsers, tokens of scripts.

#include "adapters/doors/http/browser.hpp"
#include "adapters/doors/kit/login_document.hpp"
#include "adapters/doors/kit/turnstile.hpp"
#include "adapters/doors/operations/api_answers.hpp"
#include "adapters/doors/operations/api_parts.hpp"
#include "messages/values/blanks.hpp"
#include "messages/values/hex.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/password_hash.hpp"
#include "messages/values/tallies.hpp"
#include "messages/values/time_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <sodium.h>

namespace depositd {

namespace {

using json = nlohmann::json;

constexpr auto login_patience = std::chrono::seconds{10};
constexpr std::size_t name_bytes_max = 256;
constexpr std::size_t right_max = 1'000;

bool changes(const http::request& x) {
  return x.method != "GET" && x.method != "HEAD";
}

/// Somebody who wants to be let in, and where it is said why not.
struct knock {
  std::shared_ptr<const http::request> what;
  bool open = false; ///< answered without a login, too
  std::function<void(http::response)> refuse;
};

using let_in_function = std::function<void(std::shared_ptr<api_call>)>;

void refuse(const knock& x, unsigned status, const char* word,
            const std::string& text) {
  x.refuse(api_refusal(status, word, text));
}

knock knock_of(const api_request& x) {
  return {x.what, x.open, [to = x.answer](http::response what) {
            to->send(std::move(what));
          }};
}

/// "Bearer TOKEN"; empty if it is something else.
std::string token_in(std::string_view header) {
  constexpr std::string_view scheme = "bearer ";
  if (header.size() <= scheme.size()
      || !http::same_token(header.substr(0, scheme.size()), scheme))
    return {};
  const auto token = trimmed(header.substr(scheme.size()));
  return token.size() > http::secret_length_max ? std::string{}
                                                : std::string{token};
}

/// Counts what fails by the address that it comes from. Where too much has
/// failed, what was right there before is still asked about: an address may be
/// that of many, and one who guesses must not keep the others out. (Names have
/// a limit of their own, in the engine.)
class attempt {
public:
  attempt(api_pointer self, const std::string& peer, const std::string& what)
    : self_(self), holder_(kit::holder_of(peer)),
      who_(holder_ + '\n' + what) {
    // nop
  }

  bool begin() {
    counted_ = self_->state.throttle.begin("", holder_, api_now(self_));
    return counted_ || self_->state.right.contains(who_);
  }

  void end(const caf::error& why) const {
    auto& throttle = self_->state.throttle;
    if (why == ec::wrong_credentials)
      throttle.missed("", holder_);
    if (counted_)
      throttle.gave_up("", holder_);
    if (!why)
      remember();
  }

private:
  void remember() const {
    auto& right = self_->state.right;
    if (right.size() >= right_max)
      right.clear(); // they are let in again once their address is quiet
    right.insert(who_);
  }

  api_pointer self_;
  std::string holder_;
  std::string who_;
  bool counted_ = false;
};

void refuse_throttled(const knock& x) {
  tally(tally_of::login_failed, "throttled");
  refuse(x, 429, "throttled", "too many wrong logins; try again in a minute");
}

void with_token(api_pointer self, const knock& x, const std::string& header,
                const let_in_function& go_on) {
  const auto token = token_in(header);
  if (token.empty())
    return refuse(x, 401, "wrong_credentials",
                  "give a token as Authorization: Bearer TOKEN");
  const auto digest = digest_of_token(token);
  attempt trying{self, x.what->peer, "token " + digest};
  if (!trying.begin())
    return refuse_throttled(x);
  self->request(self->state.options.admin, login_patience, know_token{digest})
    .then(
      [=](const logged_in& who) {
        trying.end({});
        auto call = std::make_shared<api_call>();
        call->name = who.name;
        call->role = who.role;
        call->proof = who.proof;
        call->whose = "token " + digest;
        go_on(call);
      },
      [=](const caf::error& why) {
        trying.end(why);
        // A wrong password is told of by who compares it.
        if (why == ec::wrong_credentials)
          tally(tally_of::login_failed, "wrong");
        x.refuse(api_refusal(why));
      });
}

std::string document_of(api_pointer self, const api_call& x) {
  json out{{"name", x.name}, {"role", x.role}, {"csrf", x.csrf}};
  out["expires_at"] = nullptr;
  if (x.until != kit::session::time_point::max())
    out["expires_at"] = format_utc(self->state.options.clock.at(x.until));
  return json_text(out);
}

std::shared_ptr<api_call> call_of(const kit::session& who) {
  auto out = std::make_shared<api_call>();
  out->name = who.name;
  out->role = who.role;
  out->proof = who.proof;
  out->whose = who.csrf;
  out->csrf = who.csrf;
  out->until = who.expires;
  return out;
}

void let_in(api_pointer self, const api_request& x, const logged_in& who) {
  const auto opened = self->state.sessions->open(who.name, self->clock().now(),
                                                 who.proof, who.role);
  if (!opened)
    return refuse(knock_of(x), 503, "overloaded",
                  "too many operators have logged in");
  const auto call = call_of(opened->what);
  x.answer->send(
    api_document(200, document_of(self, *call))
      .with("Set-Cookie", http::cookie_text(session_cookie, opened->id, "/",
                                            x.what->secure)));
}

} // namespace

std::string digest_of_token(const std::string& token) {
  unsigned char out[crypto_hash_sha256_BYTES];
  crypto_hash_sha256(out, reinterpret_cast<const unsigned char*>(token.data()),
                     token.size());
  return to_hex({reinterpret_cast<const char*>(out), sizeof out});
}

namespace {

void open_door(api_pointer self, const knock& x, const let_in_function& go_on) {
  const auto& from = *x.what;
  if (const auto* header = from.header("authorization"))
    return with_token(self, x, *header, go_on);
  const auto id = http::cookie(from, session_cookie);
  const auto* session = self->state.sessions->find(id, self->clock().now());
  if (session) {
    const auto* shown = from.header("x-csrf-token");
    if (changes(from) && (!shown || !kit::shows_csrf(*session, *shown)))
      return refuse(x, 403, "csrf",
                    "a change needs the header X-CSRF-Token of this session");
    if (changes(from) && !http::is_from_own_page(from))
      return refuse(x, 403, "origin", "another page has sent this");
    return go_on(call_of(*session));
  }
  if (!x.open || !http::is_of_this_machine(from) || !http::may_be_nobody(from))
    return refuse(x, 401, "wrong_credentials",
                  "log in, or show a token: Authorization: Bearer TOKEN");
  go_on(std::make_shared<api_call>()); // nobody
}

} // namespace

void with_visitor(api_pointer self, const api_request& x,
                  std::function<void(const api_call_ptr&)> go_on) {
  open_door(self, knock_of(x), [=](const std::shared_ptr<api_call>& call) {
    call->from = x;
    go_on(call);
  });
}

void look_ahead(api_pointer self, const api_head& x) {
  const auto refuse = [to = x.gate](http::response what) {
    to->refuse(std::move(what));
  };
  open_door(self, {x.what, false, refuse},
            [=](const std::shared_ptr<api_call>&) { x.gate->pass(); });
}

void log_in_visitor(api_pointer self, const api_request& x) {
  const auto at = knock_of(x);
  if (!http::is_from_own_page(*x.what))
    return refuse(at, 403, "origin", "another page has sent this");
  const auto given = kit::read_login_document(x.what->body);
  if (!given)
    return refuse(at, 400, "malformed",
                  "give a JSON object with name and password, once each");
  if (given->name.empty() || given->name.size() > name_bytes_max
      || given->password.size() > password_bytes_max)
    return refuse(at, 401, "wrong_credentials", "wrong operator or password");
  attempt trying{self, x.what->peer, "name " + given->name};
  if (!trying.begin())
    return refuse_throttled(at);
  self
    ->request(self->state.options.admin, login_patience,
              log_in{given->name, given->password, x.what->peer})
    .then(
      [=](const logged_in& who) {
        trying.end({});
        let_in(self, x, who);
      },
      [=](const caf::error& why) {
        trying.end(why);
        x.answer->send(api_refusal(why));
      });
}

void log_out_visitor(api_pointer self, const api_call_ptr& call) {
  const auto& x = call->from;
  self->state.sessions->close(http::cookie(*x.what, session_cookie));
  auto out = api_document(204, {});
  std::erase_if(out.headers,
                [](const auto& y) { return y.first == "Content-Type"; });
  x.answer->send(std::move(out).with(
    "Set-Cookie", http::no_cookie_text(session_cookie, "/")));
}

void tell_visitor(api_pointer self, const api_call_ptr& call) {
  call->from.answer->send(api_document(200, document_of(self, *call)));
}

} // namespace depositd
