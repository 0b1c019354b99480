#include "adapters/doors/operations/sources.hpp"

#include "messages/operators.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/utf8.hpp"

#include <caf/send.hpp>
#include <nlohmann/json.hpp>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace depositd {

namespace {

using json = nlohmann::json;

constexpr auto answer_patience = std::chrono::seconds{10};
constexpr unsigned busy_retry_s = 5;

unsigned status_of(const caf::error& why) {
  if (why == ec::not_found)
    return 404;
  if (why == ec::invalid_argument || why == ec::malformed
      || why == ec::too_large)
    return 400;
  return 503;
}

http::response refused(const caf::error& why) {
  const auto status = status_of(why);
  auto out = http::refusal(status, render(why));
  if (status != 503)
    return out;
  return std::move(out).with("Retry-After", std::to_string(busy_retry_s));
}

/// A number as it stands in a query; nothing if it is none.
std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t out = 0;
  const auto end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, out);
  if (text.empty() || stop != end || failure != std::errc{})
    return std::nullopt;
  return out;
}

/// Where a list goes on. What is wrong with it the command says.
json page_of(const http::parameters& query) {
  auto out = json::object();
  if (const auto* after = http::find(query, "after"))
    out["after"] = *after;
  if (const auto* limit = http::find(query, "limit")) {
    if (const auto number = number_in(*limit))
      out["limit"] = *number;
    else
      out["limit"] = *limit;
  }
  return out;
}

void ask(const operators_door_actor& whom, const char* command,
         const json& arguments, http::responder answer) {
  for (const auto& [key, value] : arguments.items())
    if (value.is_string()
        && find_invalid_utf8(value.get_ref<const std::string&>())
             != std::string::npos) {
      answer.send(http::refusal(400, key + " must be UTF-8"));
      return;
    }
  caf::anon_send(
    whom, ask_operators{command, arguments.dump(),
                        std::make_shared<http::responder>(std::move(answer))});
}

void add_list(http::router& routes, const operators_door_actor& whom,
              const char* path, const char* command) {
  routes.add("GET", path, [=](http::request&& x, http::responder answer) {
    ask(whom, command, page_of(x.query), std::move(answer));
  });
}

/// What stands in the path are the arguments, in order.
void add_one(http::router& routes, const operators_door_actor& whom,
             const char* path, const char* command,
             std::vector<const char*> keys) {
  routes.add("GET", path, [=](http::request&& x, http::responder answer) {
    auto arguments = json::object();
    for (std::size_t i = 0; i < keys.size(); ++i)
      arguments[keys[i]] = std::move(x.captured.at(i));
    ask(whom, command, arguments, std::move(answer));
  });
}

} // namespace

operators_door_actor::behavior_type
operators_door(operators_door_actor::pointer self, admin_actor whom) {
  return {
    [=](const ask_operators& x) {
      const auto answer = x.answer;
      self
        ->request(whom, answer_patience, admin_request{x.command, x.arguments})
        .then(
          [=](const admin_reply& y) {
            answer->send(
              http::response::of(200, "application/json", y.document));
          },
          [=](const caf::error& why) { answer->send(refused(why)); });
    },
  };
}

void add_source_routes(http::router& routes, const operators_door_actor& whom) {
  add_list(routes, whom, "/api/v1/sources", "source list");
  add_one(routes, whom, "/api/v1/sources/{name}", "source show", {"name"});
  // Keys have slashes in them; they may stand for themselves, too.
  add_one(routes, whom, "/api/v1/sources/{name}/records/{key...}",
          "source record", {"name", "key"});
  add_list(routes, whom, "/api/v1/schedulers", "scheduler list");
  add_one(routes, whom, "/api/v1/schedulers/{name}", "scheduler show",
          {"name"});
}

} // namespace depositd
