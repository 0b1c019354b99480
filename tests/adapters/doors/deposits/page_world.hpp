#pragma once

// The depositors' page before an engine that does what a test says.

#include "adapters/doors/deposits/answers.hpp"
#include "adapters/doors/deposits/door.hpp"
#include "messages/operators.hpp"
#include "tests/adapters/doors/crossref/door_world.hpp"
#include "tests/adapters/doors/http/put_off.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace depositd::testing {

/// Knows where everybody stands.
inline caf::behavior fake_places(caf::event_based_actor*) {
  return {[](const admin_request& x) {
    return admin_reply{"{\"asked\":\"" + x.command
                       + "\",\"with\":" + x.arguments + "}"};
  }};
}

class page_world : public door_world {
protected:
  /// Of a browser that is logged in.
  struct browser {
    std::string cookie; ///< as it is sent back
    std::string csrf;
  };

  ~page_world() override {
    if (server)
      server->stop(std::chrono::milliseconds{0});
    for (const auto& x : spawned_)
      caf::anon_send_exit(x, caf::exit_reason::kill);
  }

  void open(deposits::door_options options = {}) {
    options.shard =
      caf::actor_cast<shard_actor>(keep(system.spawn(fake_shard, engine)));
    options.projector = caf::actor_cast<projector_actor>(
      keep(system.spawn(fake_projector, engine)));
    options.places =
      caf::actor_cast<admin_actor>(keep(system.spawn(fake_places)));
    options.logins =
      keep(system.spawn<caf::detached>(accounts::worker, engine->blobs));
    options.blobs =
      keep(system.spawn<caf::detached>(accounts::worker, engine->blobs));
    options.check_manifest = [](http::request&& from, http::responder answer) {
      answer.send(http::response::text(200, "checked " + from.body));
    };
    page_ = keep(system.spawn(deposits::door, options));
    http::router routes;
    deposits::add_door_routes(routes, page_, options);
    kept_answers = never_put_off(routes);
    http::server_options serving;
    serving.refuse = [](const http::request& what, unsigned status,
                        const std::string& text) {
      auto own = deposits::refused_by_server(what, status, text);
      return own ? std::move(*own) : http::refusal(status, text);
    };
    auto made = http::server::start(std::move(serving), std::move(routes));
    ASSERT_TRUE(made) << render(made.error());
    server = std::move(*made);
  }

  static std::string text(const std::string& method, const std::string& target,
                          const std::string& headers = {},
                          const std::string& body = {}) {
    return method + " /deposits" + target + " HTTP/1.1\r\nHost: a.org\r\n"
           + headers + "Content-Length: " + std::to_string(body.size())
           + "\r\n\r\n" + body;
  }

  raw_answer try_login(const std::string& user, const std::string& password,
                       const std::string& headers = {}) {
    const nlohmann::json what{{"name", user}, {"password", password}};
    return ask(text("POST", "/session",
                    "Content-Type: application/json\r\n" + headers,
                    what.dump()));
  }

  browser log_in(const std::string& user = "psychoceramics") {
    const auto x = try_login(user, secret);
    EXPECT_EQ(x.status, 200u) << x.body;
    const auto cookie = x.header("set-cookie");
    const auto document = nlohmann::json::parse(x.body, nullptr, false);
    return {cookie.substr(0, cookie.find(';')), document.value("csrf", "")};
  }

  raw_answer get(const browser& who, const std::string& target,
                 const std::string& headers = {}) {
    return ask(
      text("GET", target, "Cookie: a=b; " + who.cookie + "\r\n" + headers));
  }

  raw_answer change(const browser& who, const std::string& method,
                    const std::string& target, const std::string& body = {},
                    const std::string& headers = {}) {
    return ask(text(method, target,
                    "Cookie: " + who.cookie + "\r\nX-CSRF-Token: " + who.csrf
                      + "\r\n" + headers,
                    body));
  }

  raw_answer upload(const browser& who, const std::string& bytes,
                    const std::string& query = "?file_name=a.xml") {
    return change(who, "POST", "/api/upload" + query, bytes);
  }

  static nlohmann::json document(const raw_answer& x) {
    return nlohmann::json::parse(x.body, nullptr, false);
  }

  /// Whose long answers are never put off.
  std::vector<std::string> kept_answers;

private:
  template <class Handle>
  Handle keep(Handle x) {
    spawned_.push_back(caf::actor_cast<caf::strong_actor_ptr>(x));
    return x;
  }

  deposits::door_actor page_;
  std::vector<caf::strong_actor_ptr> spawned_;
};

} // namespace depositd::testing
