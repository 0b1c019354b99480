// An answer whose body goes on, and one that is sent in parts.

#include "adapters/doors/http/body_stream.hpp"
#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/http/exchange.hpp"
#include "adapters/doors/http/io_loop.hpp"
#include "adapters/doors/http/wire.hpp"

#include <utility>

#include <microhttpd.h>

namespace depositd::http {

bool exchange::queue_open_body(bool close) {
  // Before it can call anybody: whoever has called this may hold the guard.
  if (context_->stopping)
    answer_.stream->end();
  answer_.stream->attach([self = weak_from_this()] {
    if (const auto x = self.lock())
      x->wake();
  });
  const auto more = [](void* of, std::uint64_t, char* to,
                       std::size_t bytes_max) {
    return static_cast<exchange*>(of)->read_stream(to, bytes_max);
  };
  return queue_stream(handle_, answer_, close, more, this);
}

// The library asks again only when all that it was given is sent. So whoever
// does not read is ended, and nobody because there is nothing to say.
ssize_t exchange::read_stream(char* to, std::size_t bytes_max) {
  if (std::exchange(suspended_before_, false))
    --context_->suspended;
  const std::lock_guard lock{guard_};
  const auto bytes = answer_.stream->take(to, bytes_max);
  const bool waits = bytes && *bytes == 0;
  if ((waits && context_->stopped)
      || !at_.enter(phase::sending,
                    waits ? kit::loop::time::max()
                          : at_.loop.now() + context_->options.send_limit))
    return MHD_CONTENT_READER_END_WITH_ERROR;
  if (waits)
    suspend();
  return bytes ? static_cast<ssize_t>(*bytes)
               : MHD_CONTENT_READER_END_OF_STREAM;
}

void exchange::wake() {
  const std::lock_guard lock{guard_};
  if (handle_)
    resume();
}

void exchange::end_stream() {
  std::shared_ptr<body_stream> stream;
  {
    const std::lock_guard lock{guard_};
    stream = answer_.stream;
  }
  if (stream)
    stream->end();
}

// -- in parts -----------------------------------------------------------------

bool exchange::queue_in_parts(bool close) {
  begun_ = at_.loop.now();
  const auto more = [](void* of, std::uint64_t at, char* to,
                       std::size_t bytes_max) {
    return static_cast<exchange*>(of)->read_part(at, to, bytes_max);
  };
  return queue_parts(handle_, answer_, close, more, this);
}

// As above. A long answer is kept for as long as its bytes go over, not for as
// long as they might.
ssize_t exchange::read_part(std::uint64_t at, char* to, std::size_t bytes_max) {
  const auto& options = context_->options;
  const auto earned =
    after(begun_, options.send_limit, at, options.receive_rate_min);
  if (!at_.enter(phase::sending,
                 std::min(earned, at_.loop.now() + options.send_limit)))
    return MHD_CONTENT_READER_END_WITH_ERROR;
  return static_cast<ssize_t>(answer_.body.copy(to, bytes_max, at));
}

// With the guard held.
bool exchange::is_put_off(const response& what) {
  if (route_ == nullptr || !(route_->options.repeatable || what.repeatable)
      || what.body.size() <= long_answer_bytes)
    return false;
  auto& held = long_held_.emplace(context_->long_answers);
  const auto bytes = what.body.capacity();
  if (held.grow(bytes))
    return false;
  // One is always sent.
  if (context_->long_answers->used() == 0) {
    held.grow_anyway(bytes);
    return false;
  }
  ++context_->refused;
  return true;
}

} // namespace depositd::http
