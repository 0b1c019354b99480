#include "adapters/doors/operations/sources.hpp"

#include "adapters/doors/operations/api_answers.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/utf8.hpp"

#include <caf/send.hpp>
#include <nlohmann/json.hpp>

#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace depositd {

namespace {

using json = nlohmann::json;

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

struct example {
  api_door_actor whom;
  const char* command;
  bool open;

  void ask(http::request&& from, const json& arguments,
           http::responder answer) const {
    for (const auto& [key, value] : arguments.items())
      if (value.is_string()
          && find_invalid_utf8(value.get_ref<const std::string&>())
               != std::string::npos) {
        answer.send(api_refusal(400, "malformed", key + " must be UTF-8"));
        return;
      }
    caf::anon_send(
      whom, api_request{api_question::call,
                        std::make_shared<const http::request>(std::move(from)),
                        std::make_shared<http::responder>(std::move(answer)),
                        command, json_text(arguments), open});
  }
};

void add_reading(http::router& routes, const char* path, http::handler ask) {
  http::route_options reading;
  reading.repeatable = true;
  routes.add("GET", path, std::move(ask), reading);
}

void add_list(http::router& routes, const char* path, example of) {
  add_reading(routes, path, [=](http::request&& x, http::responder answer) {
    const auto page = page_of(x.query);
    of.ask(std::move(x), page, std::move(answer));
  });
}

/// What stands in the path are the arguments, in order.
void add_one(http::router& routes, const char* path, example of,
             std::vector<const char*> keys) {
  add_reading(routes, path, [=](http::request&& x, http::responder answer) {
    auto arguments = json::object();
    for (std::size_t i = 0; i < keys.size(); ++i)
      arguments[keys[i]] = x.captured.at(i);
    of.ask(std::move(x), arguments, std::move(answer));
  });
}

} // namespace

void add_source_routes(http::router& routes, const api_door_actor& whom,
                       bool open) {
  const auto of = [&](const char* command) {
    return example{whom, command, open};
  };
  add_list(routes, "/api/v1/sources", of("source list"));
  add_one(routes, "/api/v1/sources/{name}", of("source show"), {"name"});
  // Keys have slashes in them; they may stand for themselves, too.
  add_one(routes, "/api/v1/sources/{name}/records/{key...}",
          of("source record"), {"name", "key"});
  add_list(routes, "/api/v1/schedulers", of("scheduler list"));
  add_one(routes, "/api/v1/schedulers/{name}", of("scheduler show"), {"name"});
}

} // namespace depositd
