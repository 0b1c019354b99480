// HTTP threads: a request becomes a message to the door.

#include "adapters/doors/operations/api.hpp"
#include "adapters/doors/operations/sources.hpp"

#include <caf/send.hpp>

#include <chrono>
#include <utility>

namespace depositd {

namespace {

/// Files travel in base64.
constexpr std::size_t body_bytes_max = 16 * 1024 * 1024;
constexpr std::size_t session_body_bytes_max = 16 * 1024;
/// Some commands take an hour, and have a time limit of their own.
constexpr std::chrono::milliseconds command_limit{3'700'000};

http::handler asks(const api_door_actor& whom, api_question what) {
  return [=](http::request&& x, http::responder answer) {
    caf::anon_send(
      whom,
      api_request{what, std::make_shared<const http::request>(std::move(x)),
                  std::make_shared<http::responder>(std::move(answer))});
  };
}

/// Nobody sends a body who is not let in: bodies take memory.
http::gate looks_ahead(const api_door_actor& whom) {
  return [=](const http::request& head, http::gatekeeper gate) {
    caf::anon_send(
      whom, api_head{std::make_shared<const http::request>(head),
                     std::make_shared<http::gatekeeper>(std::move(gate))});
  };
}

} // namespace

void add_api_routes(http::router& routes, const api_door_actor& whom,
                    bool on_loopback) {
  http::route_options plain;
  plain.body_bytes_max = session_body_bytes_max;
  // Who asks for much and does not read it must not take all memory.
  http::route_options reading;
  reading.repeatable = true;
  const auto* session = "/api/v1/session";
  routes.add("POST", session, asks(whom, api_question::log_in), plain);
  routes.add("GET", session, asks(whom, api_question::who), reading);
  routes.add("DELETE", session, asks(whom, api_question::log_out), plain);
  routes.add("GET", "/api/v1/commands", asks(whom, api_question::commands),
             reading);
  routes.add("GET", "/api/v1/openapi.json",
             asks(whom, api_question::description), reading);
  routes.add("GET", "/api/v1/history", asks(whom, api_question::history),
             reading);
  routes.add("GET", "/api/v1/nsq/clients", asks(whom, api_question::clients),
             reading);
  if (!on_loopback)
    routes.add("GET", "/metrics", asks(whom, api_question::metrics), reading);
  http::route_options watching;
  watching.head = false;
  watching.answer_limit = command_limit;
  routes.add("GET", "/api/v1/watch", asks(whom, api_question::watch), watching);
  http::route_options calling;
  calling.answer_limit = command_limit;
  reading.answer_limit = command_limit;
  routes.add("GET", "/api/v1/{words...}", asks(whom, api_question::call),
             reading);
  calling.body_bytes_max = body_bytes_max;
  calling.before_body = looks_ahead(whom);
  calling.copies = 4;
  routes.add("POST", "/api/v1/{words...}", asks(whom, api_question::call),
             calling);
  add_source_routes(routes, whom, on_loopback);
}

} // namespace depositd
