#pragma once

// The door of operators with a stand-in for the engine.

#include "adapters/doors/http/body_stream.hpp"
#include "adapters/doors/operations/api.hpp"
#include "messages/cluster.hpp"
#include "messages/operators.hpp"
#include "messages/processors.hpp"
#include "tests/adapters/doors/http/kept_answer.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/event_based_actor.hpp>

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace depositd::testing {

inline command_table a_table() {
  const argument_spec limit{"--limit", "limit", value_kind::number};
  const argument_spec name{"name", "name", value_kind::text};
  auto must = name;
  must.required = true;
  command_table out;
  out.commands = {
    {.words = "queue list",
     .help = "Queues",
     .arguments = {limit},
     .reads = true,
     .alias = "queues"},
    {.words = "queue purge",
     .help = "End all",
     .arguments = {must},
     .question = "End all that waits?"},
    {.words = "cancel",
     .help = "End some",
     .arguments = {name, {"--count", "count_only", value_kind::flag}},
     .question = "End them?",
     .counts_first = true},
    {.words = "user add",
     .help = "A user",
     .arguments = {must,
                   {"--password-stdin", "password_hash",
                    value_kind::password}}},
    {.words = "key add",
     .help = "A key",
     .arguments = {must, {"--key-stdin", "digest", value_kind::api_key}}},
    {.words = "source failed",
     .help = "Records that failed",
     .arguments = {must, limit},
     .reads = true},
    {.words = "source pause", .help = "Stop it", .arguments = {must}},
    {.words = "source remove",
     .help = "Forget it",
     .arguments = {must},
     .question = "Remove it?"},
    {.words = "strategy show",
     .help = "Its strategy",
     .arguments = {must},
     .reads = true},
    {.words = "strategy set",
     .help = "Another strategy",
     .arguments = {must, {"strategy", "strategy", value_kind::text}}},
  };
  return out;
}

class api_world : public actor_fixture {
protected:
  using json = nlohmann::json;

  explicit api_world(bool on_loopback = true) {
    const auto fake = spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
        [this](const admin_request& x) -> caf::result<admin_reply> {
          if (x.command == publish_commands)
            return admin_reply{to_json_text(a_table())};
          return reply("nobody", x);
        },
        [this](const command_as& x) -> caf::result<admin_reply> {
          proofs.push_back(x.proof);
          return reply(x.operator_name, x.what);
        },
        [this](const log_in& x) -> caf::result<logged_in> {
          ++checked;
          if (x.password != "right")
            return caf::make_error(ec::wrong_credentials, std::string{"wrong"});
          return logged_in{x.name, "operate", "hash of " + x.name};
        },
        [](const know_token& x) -> caf::result<logged_in> {
          // SHA-256 of "token".
          if (!x.digest.starts_with("3c469e9d"))
            return caf::make_error(ec::wrong_credentials, std::string{"wrong"});
          return logged_in{"script", "look", "token " + x.digest};
        }};
    });
    const auto admin = caf::actor_cast<admin_actor>(
      caf::actor_cast<caf::strong_actor_ptr>(fake));
    api_options options;
    options.history = [](const std::shared_ptr<http::responder>& to) {
      to->send(http::response::of(200, "application/json", "an hour"));
    };
    options.metrics = [](const std::shared_ptr<http::responder>& to) {
      to->send(http::response::of(200, "text/plain", "numbers"));
    };
    options.admin = admin;
    options.watcher = spawn(watcher, admin);
    options.clock = engine_clock{1'700'000'000'000'000, sched.clock().now()};
    options.version = "1";
    add_api_routes(routes, spawn(api_door, std::move(options)), on_loopback);
  }

  caf::result<admin_reply> reply(const std::string& who,
                                 const admin_request& x) {
    asked.push_back(who + ": " + x.command + ' ' + x.arguments);
    if (silent)
      return caf::delegated<admin_reply>{};
    if (refusal)
      return refusal;
    return admin_reply{document};
  }

  /// What a request is answered; status 0 if there is no route for it.
  http::response ask(http::request x) {
    const auto to = std::make_shared<kept_answer>();
    to->got.status = 0;
    x.segments = http::split_path(x.path);
    x.peer = peer;
    const auto match = routes.find(x.method, x.segments);
    if (!match.found)
      return to->got;
    x.captured = match.captured;
    if (const auto& gate = match.found->options.before_body;
        gate && !x.body.empty()) {
      gate(x, http::gatekeeper{to});
      settle();
      if (!to->passed)
        return to->got;
    }
    match.found->answer(std::move(x), http::responder{to});
    settle();
    if (silent)
      advance(std::chrono::seconds{60});
    return to->got;
  }

  http::response get(const std::string& path,
                     const http::parameters& query = {},
                     const http::parameters& headers = {}) {
    http::request x;
    x.method = "GET";
    x.path = path;
    x.query = query;
    x.headers = headers;
    return ask(std::move(x));
  }

  http::response post(const std::string& path, const std::string& body,
                      const http::parameters& headers = {}) {
    http::request x;
    x.method = "POST";
    x.path = path;
    x.body = body;
    x.headers = headers;
    return ask(std::move(x));
  }

  static std::string header(const http::response& x, const char* name) {
    const auto* out = http::find_header(x.headers, name);
    return out ? *out : std::string{};
  }

  static std::string error_of(const http::response& x) {
    const auto document = json::parse(x.body, nullptr, false);
    return document.is_object() ? document.value("error", "") : x.body;
  }

  /// Cookie and CSRF token of a new session.
  http::parameters logged_in_headers(const std::string& name = "ann") {
    const auto x = post("/api/v1/session",
                        R"({"name":")" + name + R"(","password":"right"})");
    const auto cookie = header(x, "Set-Cookie");
    return {{"Cookie", cookie.substr(0, cookie.find(';'))},
            {"X-CSRF-Token", json::parse(x.body).at("csrf")}};
  }

  /// The last command, with who gave it and its arguments.
  std::string last() const {
    return asked.empty() ? "" : asked.back();
  }

  std::string peer = "127.0.0.1";
  const http::parameters bearer{{"Authorization", "Bearer token"}};
  http::router routes;
  std::vector<std::string> asked;
  std::vector<std::string> proofs; ///< of what operators asked
  std::string document = R"({"a":1})";
  caf::error refusal;
  bool silent = false;
  int checked = 0;
};

} // namespace depositd::testing
