// An answer whose body goes on.

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

} // namespace depositd::http
