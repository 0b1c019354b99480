// An answer whose body goes on, and one that is long.

#include "adapters/doors/http/body_stream.hpp"
#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/http/exchange.hpp"
#include "adapters/doors/http/io_loop.hpp"

namespace depositd::http {

void exchange::attach_stream() {
  // Before it can call anybody: whoever has called this holds the guard.
  if (context_->stopping)
    answer_.stream->end();
  answer_.stream->attach([self = weak_from_this()] {
    if (const auto x = self.lock())
      x->wake();
  });
}

// The connection asks again only when all that it was given is sent. So whoever
// does not read is ended, and nobody because there is nothing to say.
std::optional<std::size_t> exchange::take_part(char* to,
                                               std::size_t bytes_max) {
  const std::lock_guard lock{guard_};
  const auto bytes = answer_.stream->take(to, bytes_max);
  const bool waits = bytes && *bytes == 0;
  if (waits && context_->stopped) {
    at_.end();
    return 0;
  }
  at_.enter(phase::sending,
            waits ? kit::loop::time::max()
                  : at_.loop.now() + context_->options.send_limit);
  waits_ = waits;
  return bytes;
}

void exchange::wake() {
  const std::lock_guard lock{guard_};
  if (attached_)
    tell();
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
  context_->long_short_until =
    kit::loop::time::clock::now() + short_of_memory;
  return true;
}

} // namespace depositd::http
