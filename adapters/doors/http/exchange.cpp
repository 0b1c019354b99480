#include "adapters/doors/http/exchange.hpp"

#include "adapters/doors/http/body_stream.hpp"
#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/http/inflate.hpp"
#include "adapters/doors/http/io_loop.hpp"
#include "adapters/doors/http/wire.hpp"
#include "messages/values/free_memory.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <microhttpd.h>
#include <poll.h>

namespace depositd::http {

namespace {

/// A body that is not longer, nor can become so, costs an I/O thread little.
constexpr std::size_t labour_bytes_min = 64 * 1024;

} // namespace

exchange::exchange(std::shared_ptr<exchange_context> context, connection& at,
                   MHD_Connection* handle, std::string target)
  : context_(std::move(context)), at_(at), target_(std::move(target)),
    held_(context_->memory), begun_(at.loop.now()), handle_(handle),
    answer_held_(context_->memory) {
  at_.enter(phase::receiving, begun_ + context_->options.receive_limit);
}

exchange::~exchange() = default;

// With the guard held: the connection stays where it is until then.
void exchange::resume() {
  if (!std::exchange(suspended_, false))
    return;
  MHD_resume_connection(handle_);
  at_.loop.notice();
}

bool exchange::answer(response what) {
  {
    const std::lock_guard lock{guard_};
    if (!answered_ && handle_) {
      answer_ = is_put_off(what)
                  ? unavailable_as("Long answers wait to be read. Try again "
                                   "later.")
                  : std::move(what);
      answered_ = true;
      answer_held_.grow_anyway(answer_.body.capacity());
      resume();
      return true;
    }
  }
  if (what.stream)
    what.stream->leave();
  return false;
}

bool exchange::hold(std::uint64_t bytes) {
  const std::lock_guard lock{guard_};
  return answer_held_.grow(bytes);
}

void exchange::expire() {
  const auto& late = route_->options.late;
  answer(late ? *late
              : response::text(504, "The request was not answered in time.\n"));
}

void exchange::pass() {
  const std::lock_guard lock{guard_};
  if (answered_ || !handle_)
    return;
  passed_ = true;
  resume();
}

void exchange::detach() {
  // Resumed, and then found to be broken before it could go on.
  if (std::exchange(suspended_before_, false))
    --context_->suspended;
  {
    const std::lock_guard lock{guard_};
    handle_ = nullptr;
  }
  // Nobody changes an answer from now on.
  if (answer_.stream)
    answer_.stream->leave();
}

bool exchange::step(const char* method, const char* version, const char* data,
                    std::size_t& size) {
  if (std::exchange(suspended_before_, false))
    --context_->suspended;
  if (refused_)
    return false;
  switch (stage_) {
    case stage::head: {
      at_.loop.in_heads.erase(&at_);
      const bool refused = !read_head(method, version);
      if (has_body_)
        return refused ? queue() : open_gate();
      // The library closes a connection whose answer is queued now; it will
      // ask once more.
      stage_ = refused ? stage::handling : stage::body;
      return true;
    }
    case stage::gating:
    case stage::preparing:
      return settle();
    case stage::body:
      return size != 0 ? receive(data, size) : dispatch();
    case stage::handling:
      return settle();
    case stage::queued:
      size = 0;
      return true;
  }
  return false;
}

bool exchange::open_gate() {
  stage_ = stage::gating;
  if (const auto& gate = route_->options.before_body) {
    begin_answering();
    gate(request_, gatekeeper{shared_from_this()});
  } else {
    pass();
  }
  return settle();
}

// The library asks again at the next look by itself. Where the actors have run
// by then the answer is there mostly, and nothing need be suspended.
bool exchange::look_again() {
  return stage_ == stage::handling && context_->options.loops.has_actors
         && !std::exchange(looked_again_, true);
}

// With the guard held.
void exchange::suspend() {
  suspended_ = true;
  suspended_before_ = true;
  ++context_->suspended;
  MHD_suspend_connection(handle_);
}

// Goes on if the gate or the handler has decided, else waits for it.
bool exchange::settle() {
  {
    const std::lock_guard lock{guard_};
    if (!answered_ && context_->stopped) {
      answer_ = stopped_response();
      answered_ = true;
    }
    if (!answered_ && !passed_) {
      if (!look_again())
        suspend();
      return true;
    }
    if (answered_)
      return queue();
    passed_ = false;
  }
  if (stage_ == stage::preparing) {
    stage_ = stage::handling;
    handle();
    return settle();
  }
  stage_ = stage::body;
  begun_ = at_.loop.now();
  return at_.enter(phase::receiving, begun_ + context_->options.receive_limit);
}

// The body takes what its Content-Length says in the end, and never more than
// twice what has come: who promises much and sends little holds little.
bool exchange::append(const char* data, std::size_t size) {
  auto& body = request_.body;
  const auto needed = body.size() + size;
  if (needed > body.capacity()) {
    const auto expected = chunked_ ? body_bytes_max_ : expected_bytes();
    const auto wanted = std::max<std::uint64_t>(
      needed, std::min<std::uint64_t>(expected, 2 * needed));
    // The old bytes stand beside the new ones while they are copied.
    if (!held_.grow(wanted))
      return false;
    std::string larger;
    larger.reserve(wanted);
    larger = body;
    body = std::move(larger);
    held_.shrink(std::exchange(held_for_body_, wanted));
  }
  body.append(data, size);
  return true;
}

// Of the body, as far as its length is known.
std::uint64_t exchange::expected_bytes() const {
  const auto* length = request_.header("content-length");
  return chunked_ || !length ? received_ : std::stoull(*length);
}

// With the copies that are made of so many bytes.
std::uint64_t exchange::bytes_needed(std::uint64_t bytes) const {
  return (1 + std::uint64_t{route_->options.copies}) * bytes;
}

bool exchange::hold_copies() {
  return request_.body.empty()
         || held_.grow(std::uint64_t{route_->options.copies}
                       * request_.body.size());
}

bool exchange::receive(const char* data, std::size_t& size) {
  if (chunked_ && received_ == 0 && claims_absurd_chunk(data))
    return refuse_now(refusal(400, "The size of a chunk makes no sense."));
  if (chunked_ && has_bare_line_feed(data))
    return refuse_now(refusal(400, "The lines of chunks must end with CR LF."));
  received_ += size;
  if (received_ > body_bytes_max_)
    return refuse_now(refused_as(413, "The body is too large."));
  if (!append(data, size)) {
    ++context_->refused;
    return refuse_now(out_of_memory(bytes_needed(expected_bytes())));
  }
  size = 0;
  const auto& options = context_->options;
  return at_.enter(
    phase::receiving,
    after(begun_, options.receive_limit, received_, options.receive_rate_min));
}

std::optional<response> exchange::unpack() {
  const auto* encoding = request_.header("content-encoding");
  if (!encoding || request_.body.empty()
      || same_token(trim(*encoding), "identity"))
    return std::nullopt;
  if (!same_token(trim(*encoding), "gzip")
      && !same_token(trim(*encoding), "x-gzip")
      && !same_token(trim(*encoding), "deflate"))
    return refused_as(415, "The content encoding is not known.");
  std::uint64_t grown = 0;
  auto plain = inflate(request_.body, body_bytes_max_, [&](std::size_t bytes) {
    grown += bytes;
    return held_.grow(bytes);
  });
  if (!plain && plain.error() == ec::overloaded)
    return out_of_memory(0);
  if (!plain)
    return refused_as(plain.error() == ec::too_large ? 413 : 400,
                      render(plain.error()));
  request_.body = std::move(*plain);
  // A few bytes are in no memory of their own.
  const auto counted = held_for_body_ + grown;
  held_for_body_ = std::min<std::uint64_t>(counted, request_.body.capacity());
  held_.shrink(counted - held_for_body_);
  return std::nullopt;
}

bool exchange::dispatch() {
  if (!has_clean_trailers(handle_))
    return refuse_now(refusal(400, "The request's lines must end with CR LF."));
  stage_ = stage::preparing;
  begin_answering();
  const bool unpacks =
    !request_.body.empty() && request_.header("content-encoding");
  // What is unpacked may become as long as it may be.
  const auto bytes = unpacks ? body_bytes_max_ : request_.body.size();
  if (bytes > labour_bytes_min && (unpacks || route_->options.laborious))
    context_->labour->post([self = shared_from_this()] {
      try {
        self->prepare();
      } catch (const std::bad_alloc&) {
        self->answer(self->no_memory_left());
      }
      free_memory_if_asked();
    });
  else
    prepare();
  return settle();
}

// On the I/O thread, or on the one for long work while nothing else is done.
void exchange::prepare() {
  {
    const std::lock_guard lock{guard_};
    if (answered_ || !handle_)
      return; // nobody waits any more
  }
  auto refused = unpack();
  if (!refused && !hold_copies())
    refused = out_of_memory(bytes_needed(request_.body.size()));
  if (refused) {
    context_->refused += refused->status == 503 ? 1 : 0;
    answer(std::move(*refused));
  } else if (route_->options.laborious) {
    handle();
  } else {
    pass();
  }
}

void exchange::handle() {
  route_->answer(std::move(request_), responder{shared_from_this()});
}

bool exchange::over() {
  const std::lock_guard lock{guard_};
  if (answered_ || !handle_ || context_->stopping)
    return true;
  // With the guard held the socket stays open.
  pollfd at{at_.socket, POLLRDHUP, 0};
  return ::poll(&at, 1, 0) > 0;
}

void exchange::begin_answering() {
  const auto& options = route_->options;
  auto limit = options.answer_limit.count() != 0
                 ? options.answer_limit
                 : context_->options.answer_limit;
  if (options.more_time)
    limit += options.more_time(request_);
  at_.enter(phase::answering, at_.loop.now() + limit);
}

void exchange::count(const response& what) {
  using namespace std::chrono;
  context_->answered.add(
    duration_cast<microseconds>(at_.loop.now() - begun_).count());
  auto& counts = route_ == nullptr ? context_->unrouted : *route_->answered;
  counts.add(what.status);
}

bool exchange::queue() {
  // Nobody changes an answer once it is there.
  const bool early =
    has_body_ && (stage_ == stage::head || stage_ == stage::gating);
  stage_ = stage::queued;
  count(answer_);
  if (early)
    at_.lingers = true;
  const bool close = early || at_.over_limit || context_->stopping;
  if (!at_.enter(phase::sending, at_.loop.now() + context_->options.send_limit))
    return false;
  if (answer_.stream)
    return queue_open_body(close);
  return answer_.body.size() > long_answer_bytes
           ? queue_in_parts(close)
           : queue_response(handle_, answer_, close);
}

} // namespace depositd::http
