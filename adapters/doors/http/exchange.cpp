#include "adapters/doors/http/exchange.hpp"

#include "adapters/doors/http/body_stream.hpp"
#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/http/inflate.hpp"
#include "adapters/doors/http/io_loop.hpp"
#include "messages/values/blanks.hpp"
#include "messages/values/free_memory.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <poll.h>

namespace depositd::http {

namespace {

/// A body that is not longer, nor can become so, costs an I/O thread little.
constexpr std::size_t labour_bytes_min = 64 * 1024;

enum class packing { none, one, unknown };

/// What one name of a `Content-Encoding` adds to those before it.
packing with(packing before, std::string_view name) {
  if (name.empty() || same_token(name, "identity"))
    return before;
  const bool known = same_token(name, "gzip") || same_token(name, "x-gzip")
                     || same_token(name, "deflate");
  return known && before == packing::none ? packing::one : packing::unknown;
}

/// How a body is packed: of its headers' lists `identity` and empty places say
/// nothing, and nobody has a reason to pack twice.
packing packing_of(const request& from) {
  auto out = packing::none;
  for (const auto& [name, value] : from.headers) {
    if (!same_token(name, "content-encoding"))
      continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      const auto end = std::min(rest.find(','), rest.size());
      out = with(out, trimmed(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return out;
}

} // namespace

exchange::exchange(std::shared_ptr<exchange_context> context, connection& at)
  : context_(std::move(context)), at_(at), held_(context_->memory),
    begun_(at.loop.now()), answer_held_(context_->memory) {
  ++context_->requests;
  at_.enter(phase::receiving, begun_ + context_->options.receive_limit);
}

exchange::~exchange() = default;

// With the guard held: the connection stays where it is until then. If there is
// no memory for it, it waits on.
void exchange::tell() {
  if (!waits_)
    return;
  at_.loop.resume(shared_from_this());
  waits_ = false;
}

void exchange::resume() {
  if (attached_)
    at_.go_on();
}

bool exchange::answer(response what) {
  {
    const std::lock_guard lock{guard_};
    if (!answered_ && attached_) {
      const bool put_off = is_put_off(what);
      answer_ = put_off ? unavailable_as({"Long answers wait to be read. "
                                          "Try again later."})
                        : std::move(what);
      answered_ = true;
      answer_held_.grow_anyway(answer_.body.capacity());
      tell();
      return !put_off;
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
  if (answered_ || !attached_)
    return;
  passed_ = true;
  tell();
}

void exchange::detach() {
  {
    const std::lock_guard lock{guard_};
    attached_ = false;
    waits_ = false;
  }
  // Nobody changes an answer from now on.
  if (answer_.stream)
    answer_.stream->leave();
}

void exchange::read_head(bool is_1_1) {
  auto refused = refusal_of_head(is_1_1);
  // Where there is no body its end comes at once, and is waited for.
  if (!has_body_)
    stage_ = stage::body;
  if (refused)
    answer(std::move(*refused));
  else if (has_body_)
    open_gate();
}

void exchange::open_gate() {
  stage_ = stage::gating;
  if (const auto& gate = route_->options.before_body) {
    begin_answering();
    gate(request_, gatekeeper{shared_from_this()});
  } else {
    pass();
  }
}

// Goes on if the gate or the handler has decided, else waits for it.
exchange::verdict exchange::decide() {
  {
    const std::lock_guard lock{guard_};
    if (stage_ == stage::body && !(answered_ && has_body_))
      return verdict::read;
    if (!answered_ && context_->stopped) {
      answer_ = stopped_response();
      answered_ = true;
    }
    if (answered_)
      return queue();
    if (!passed_) {
      waits_ = true;
      return verdict::wait;
    }
    passed_ = false;
  }
  if (stage_ == stage::preparing) {
    stage_ = stage::handling;
    handle();
    return decide();
  }
  stage_ = stage::body;
  begun_ = at_.loop.now();
  return at_.enter(phase::receiving, begun_ + context_->options.receive_limit)
           ? verdict::read
           : verdict::end;
}

// The body takes what its Content-Length says in the end, and never more than
// twice what has come: who promises much and sends little holds little.
bool exchange::append(std::string_view piece) {
  auto& body = request_.body;
  const auto needed = body.size() + piece.size();
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
  body += piece;
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

bool exchange::receive(std::string_view piece) {
  received_ += piece.size();
  if (received_ > body_bytes_max_)
    return refuse_body(refused_as(413, "The body is too large."));
  if (!append(piece)) {
    ++context_->refused;
    return refuse_body(out_of_memory(bytes_needed(expected_bytes())));
  }
  const auto& options = context_->options;
  const auto earned =
    after(begun_, options.receive_limit, received_, options.receive_rate_min);
  // What came fast earns nobody the right to hold it in silence.
  return at_.enter(phase::receiving,
                   std::min(earned, at_.loop.now() + options.receive_limit));
}

bool exchange::holds_up(kit::loop::time now) const {
  return stage_ == stage::body && held_for_body_ > labour_bytes_min
         && now >= begun_ + context_->options.receive_limit;
}

std::optional<response> exchange::unpack() {
  if (!route_->options.unpacks || request_.body.empty())
    return std::nullopt;
  const auto packed = packing_of(request_);
  if (packed == packing::none)
    return std::nullopt;
  if (packed == packing::unknown)
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

void exchange::body_is_complete() {
  stage_ = stage::preparing;
  if (answered_)
    return; // its head was refused
  begin_answering();
  const auto& options = route_->options;
  const bool unpacks = options.unpacks && !request_.body.empty()
                       && request_.header("content-encoding");
  // What is unpacked may become as long as it may be.
  const auto bytes = unpacks ? body_bytes_max_ : request_.body.size();
  if ((unpacks && bytes > labour_bytes_min)
      || (options.laborious && bytes > options.long_body_bytes))
    context_->labour->post([self = shared_from_this()] {
      try {
        self->prepare();
      } catch (const std::bad_alloc&) {
        self->answer(self->no_memory_left());
      }
      self->end_labour();
      free_memory_if_asked();
    });
  else
    prepare();
}

// On the I/O thread, or on the one for long work while nothing else is done.
void exchange::prepare() {
  {
    const std::lock_guard lock{guard_};
    if (answered_ || !attached_)
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

// What is done for several requests at the end of a look at the sockets is not
// to wait for the next one.
void exchange::end_labour() {
  const std::lock_guard lock{guard_};
  if (attached_)
    at_.loop.wake();
}

void exchange::handle() {
  route_->answer(std::move(request_), responder{shared_from_this()});
}

bool exchange::over() {
  const std::lock_guard lock{guard_};
  if (answered_ || !attached_ || context_->stopping)
    return true;
  // With the guard held the socket stays open.
  pollfd at{at_.socket(), POLLRDHUP, 0};
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

// With the guard held.
exchange::verdict exchange::queue() {
  const bool early = has_body_ && stage_ < stage::preparing;
  stage_ = stage::queued;
  count(answer_);
  if (early)
    at_.lingers = true;
  closes_ = early || closes_ || at_.over_limit || context_->stopping;
  if (answer_.stream)
    attach_stream();
  return at_.enter(phase::sending,
                   at_.loop.now() + context_->options.send_limit)
           ? verdict::send
           : verdict::end;
}

} // namespace depositd::http
