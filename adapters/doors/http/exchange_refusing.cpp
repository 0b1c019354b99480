// How an exchange says that it cannot go on.

#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/http/exchange.hpp"

#include <new>
#include <utility>

namespace depositd::http {

response exchange::unavailable_as(const hindrance& why) const {
  if (route_ && route_->options.unavailable)
    return route_->options.unavailable(why);
  return unavailable(1);
}

// With a text, so that it is told from other reasons to come again.
response exchange::out_of_memory(std::uint64_t needed) const {
  if (needed > context_->memory->most().bytes_max)
    return refused_as(413,
                      "The body is too large for the memory that there is.");
  context_->memory_short_until =
    kit::loop::time::clock::now() + short_of_memory;
  const std::string text{
    "There is no memory for this request now. Try again later."};
  if (route_->options.unavailable)
    return unavailable_as({text});
  return refusal(503, text).with("Retry-After", "1");
}

response exchange::no_memory_left() const {
  return unavailable_as({"There is no memory for this request."});
}

response exchange::stopped_response() const {
  return unavailable_as({.text = "The server is stopping.", .stops = true});
}

// Saying so needs little memory; if there is not even that, the client hears
// nothing.
bool exchange::give_up() noexcept {
  try {
    ++context_->refused;
    answer(no_memory_left());
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void exchange::answer_unavailable() {
  answer(stopped_response());
}

void exchange::refuse(const request_parser::fault& why) {
  has_body_ = true; // or so it may be: the connection must end
  closes_ = true;
  at_.lingers = true;
  answer(refused_as(why.status, why.text));
}

bool exchange::refuse_body(response what) {
  answer(std::move(what));
  return false;
}

} // namespace depositd::http
