// How an exchange says that it cannot go on.

#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/http/exchange.hpp"
#include "adapters/doors/http/wire.hpp"

#include <new>
#include <utility>

#include <sys/socket.h>

namespace depositd::http {

response exchange::unavailable_as(const std::string& text) const {
  if (route_ && route_->options.unavailable)
    return route_->options.unavailable(text);
  return unavailable(1);
}

// With a text, so that it is told from other reasons to come again.
response exchange::out_of_memory(std::uint64_t needed) const {
  if (needed > context_->memory->most().bytes_max)
    return refused_as(413,
                      "The body is too large for the memory that there is.");
  const std::string text{
    "There is no memory for this request now. Try again later."};
  if (route_->options.unavailable)
    return unavailable_as(text);
  return refusal(503, text).with("Retry-After", "1");
}

response exchange::no_memory_left() const {
  return unavailable_as("There is no memory for this request.");
}

response exchange::stopped_response() const {
  return unavailable_as("The server is stopping.");
}

// Saying so needs little memory; if there is not even that, the client hears
// nothing.
bool exchange::give_up() noexcept {
  try {
    ++context_->refused;
    if (stage_ == stage::body)
      return refuse_now(no_memory_left());
    answer(no_memory_left());
    return stage_ == stage::queued || settle();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void exchange::answer_unavailable() {
  answer(stopped_response());
}

void exchange::refuse_at_once(const response& what) {
  refused_ = true;
  refuse_now(what);
  ::shutdown(at_.socket, SHUT_WR);
}

bool exchange::refuse_now(const response& what) {
  stage_ = stage::queued;
  count(what);
  at_.lingers = true;
  write_response(handle_, at_.socket, what);
  return false;
}

} // namespace depositd::http
