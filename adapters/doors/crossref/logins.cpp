// Who may enter.

#include "adapters/doors/crossref/parts.hpp"
#include "adapters/doors/http/text.hpp"
#include "messages/values/names.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>

namespace depositd::crossref {

std::string credentials::user() const {
  return login.substr(login.rfind('/') + 1); // npos + 1 is 0
}

namespace {

micros now_us(door_pointer self) {
  return std::chrono::duration_cast<std::chrono::microseconds>(
           self->clock().now().time_since_epoch())
    .count();
}

std::vector<login_waiter> end_check(door_pointer self,
                                    const std::string& digest) {
  auto found = self->state.checks.extract(digest);
  return found ? std::move(found.mapped()) : std::vector<login_waiter>{};
}

void refuse_all(const std::vector<login_waiter>& waiters,
                const http::response& page) {
  for (const auto& x : waiters)
    x.refuse(page);
}

/// Attacks are many lines, and one in a while says as much.
void log_refusal(door_pointer self, const char* what,
                 const login_in_question& x) {
  auto& state = self->state;
  ++state.refused_logins;
  if (state.refusals_logged.take({}, std::chrono::steady_clock::now()))
    spdlog::info("{} user=\"{}\" peer={} refused={}", what,
                 http::printable(x.typed), x.peer, state.refused_logins);
}

void check(door_pointer self, const waiting_login& x);

/// Lets the next login of the address be checked.
void go_on(door_pointer self, const std::string& peer) {
  auto& addresses = self->state.addresses;
  const auto at = addresses.find(peer);
  if (at == addresses.end())
    return;
  if (at->second.waiting.empty()) {
    if (--at->second.running == 0)
      addresses.erase(at);
    return;
  }
  const auto next = std::move(at->second.waiting.front());
  at->second.waiting.pop_front();
  check(self, next);
}

void end_login(door_pointer self, const login_in_question& x, bool right) {
  auto& state = self->state;
  const auto waiters = end_check(self, x.digest);
  if (!right) {
    log_refusal(self, "login_refused", x);
    state.throttle.failed(x.user, x.peer);
    refuse_all(waiters, wrong_credentials_page());
    return;
  }
  state.throttle.succeeded(x.user, x.peer);
  state.logins.remember(x.digest, x.peer);
  for (const auto& waiter : waiters)
    waiter.use(x.user);
}

void check(door_pointer self, const waiting_login& x) {
  auto& state = self->state;
  self->request(state.options.logins, state.options.ask_timeout, x.what)
    .then(
      [=, who = x.who](const login_checked& said) {
        go_on(self, who.peer);
        end_login(self, who, said.right);
      },
      [=, who = x.who](const caf::error& why) {
        go_on(self, who.peer);
        self->state.throttle.gave_up(who.user, who.peer);
        refuse_all(end_check(self, who.digest), page_of(self, why));
      });
}

/// Who comes from one address waits for those of the same address only. False:
/// too many do.
bool check_in_turn(door_pointer self, waiting_login x) {
  auto& at = self->state.addresses[x.who.peer];
  const auto& options = self->state.options;
  if (at.waiting.size() >= options.waiting_max)
    return false;
  if (at.running < options.logins_per_address_max) {
    ++at.running;
    check(self, x);
  } else {
    at.waiting.push_back(std::move(x));
  }
  return true;
}

/// Whether it is right, where that can be known without Argon2id.
bool is_known(door_pointer self, const login_in_question& x,
              kit::login_throttle::standing standing) {
  using kit::login_throttle;
  const auto& logins = self->state.logins;
  return standing == login_throttle::standing::open ? logins.knows(x.digest)
         : standing == login_throttle::standing::limited
           ? logins.knows(x.digest, x.peer)
           : false;
}

/// The account's user and hash; of what is no user's name, nobody's.
waiting_login question(door_pointer self, const credentials& who,
                       const std::string& peer) {
  auto& state = self->state;
  waiting_login out;
  out.who.peer = peer;
  out.who.typed = who.user();
  if (legal_user_name(out.who.typed))
    out.who.user = out.who.typed;
  const auto account = state.control->accounts.find(out.who.user);
  if (account != state.control->accounts.end())
    out.what.hash = account->second.password_hash;
  out.what.password = who.password;
  out.who.digest =
    state.logins.digest(out.who.typed, out.what.hash, out.what.password);
  return out;
}

} // namespace

void with_login(door_pointer self, const credentials& who,
                const std::string& peer, login_waiter then) {
  auto& state = self->state;
  if (!who.given) {
    then.refuse(no_login_page());
    return;
  }
  if (!state.control) {
    if (state.early.size() < state.options.waiting_max)
      state.early.push_back({who, peer, std::move(then)});
    else
      then.refuse(http::unavailable(1));
    return;
  }
  auto asked = question(self, who, peer);
  const auto& x = asked.who;
  const auto now = now_us(self);
  const auto standing = state.throttle.of(x.user, peer, now);
  if (is_known(self, x, standing)) {
    state.logins.remember(x.digest, peer);
    then.use(x.user);
    return;
  }
  if (standing != kit::login_throttle::standing::open) {
    state.throttle.missed(x.user, peer);
    log_refusal(self, "login_limited", x);
    then.refuse(later_page(60, "Too many failed logins. Try again later."));
    return;
  }
  const auto running = state.checks.find(x.digest);
  if (running != state.checks.end()) {
    running->second.push_back(std::move(then));
    return;
  }
  state.throttle.begin(x.user, peer, now);
  const auto digest = x.digest;
  state.checks[digest].push_back(std::move(then));
  if (!check_in_turn(self, std::move(asked))) {
    state.throttle.gave_up(x.user, peer);
    refuse_all(end_check(self, digest), http::unavailable(1));
  }
}

void take_accounts(door_pointer self, const control_snapshot& control) {
  self->state.control = control;
  for (auto& x : std::exchange(self->state.early, {}))
    with_login(self, x.who, x.peer, std::move(x.then));
}

void refuse_early(door_pointer self) {
  for (const auto& x : std::exchange(self->state.early, {}))
    x.then.refuse(http::unavailable(1));
}

} // namespace depositd::crossref
