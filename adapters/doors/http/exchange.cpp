#include "adapters/doors/http/exchange.hpp"

#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/http/inflate.hpp"
#include "adapters/doors/http/io_loop.hpp"
#include "adapters/doors/http/wire.hpp"

#include <algorithm>
#include <utility>

#include <microhttpd.h>

namespace depositd::http {

namespace {

/// A body that is not longer, nor can become so, costs an I/O thread little.
constexpr std::size_t labour_bytes_min = 64 * 1024;

/// The limit is extended as bytes go over.
kit::loop::time after(kit::loop::time from, std::chrono::milliseconds limit,
                      std::uint64_t bytes, std::uint32_t rate) {
  return from + limit
         + std::chrono::milliseconds{bytes * 1000 / std::max(rate, 1u)};
}

} // namespace

exchange::exchange(std::shared_ptr<exchange_context> context, connection& at,
                   MHD_Connection* handle, std::string target)
  : context_(std::move(context)), at_(at), target_(std::move(target)),
    begun_(at.loop.now()), handle_(handle) {
  at_.enter(phase::receiving, begun_ + context_->options.receive_limit);
}

exchange::~exchange() {
  context_->body_bytes -= held_;
}

// With the guard held: the connection stays where it is until then.
void exchange::resume() {
  if (!std::exchange(suspended_, false))
    return;
  MHD_resume_connection(handle_);
  at_.loop.notice();
}

bool exchange::answer(response what) {
  const std::lock_guard lock{guard_};
  if (answered_ || !handle_)
    return false;
  answer_ = std::move(what);
  answered_ = true;
  resume();
  return true;
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
  const std::lock_guard lock{guard_};
  handle_ = nullptr;
}

bool exchange::step(const char* method, const char* version, const char* data,
                    std::size_t& size) {
  if (std::exchange(suspended_before_, false))
    --context_->suspended;
  switch (stage_) {
    case stage::head: {
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

// Goes on if the gate or the handler has decided, else waits for it.
bool exchange::settle() {
  {
    const std::lock_guard lock{guard_};
    if (!answered_ && context_->stopped) {
      answer_ = unavailable(1);
      answered_ = true;
    }
    if (!answered_ && !passed_) {
      suspended_ = true;
      suspended_before_ = true;
      ++context_->suspended;
      MHD_suspend_connection(handle_);
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

bool exchange::hold(std::size_t bytes) {
  held_ += bytes;
  return context_->body_bytes.fetch_add(bytes) + bytes
         <= context_->options.bodies_bytes_max;
}

bool exchange::receive(const char* data, std::size_t& size) {
  if (chunked_ && received_ == 0 && claims_absurd_chunk(data))
    return refuse_now(refusal(400, "The size of a chunk makes no sense."));
  received_ += size;
  if (received_ > body_bytes_max_)
    return refuse_now(refusal(413, "The body is too large."));
  if (!hold(size)) {
    ++context_->refused;
    return refuse_now(unavailable(1));
  }
  request_.body.append(data, size);
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
    return refusal(415, "The content encoding is not known.");
  auto plain = inflate(request_.body, body_bytes_max_);
  if (!plain)
    return refusal(plain.error() == ec::too_large ? 413 : 400,
                   render(plain.error()));
  if (!hold(plain->size()))
    return unavailable(1);
  request_.body = std::move(*plain);
  return std::nullopt;
}

bool exchange::dispatch() {
  stage_ = stage::preparing;
  begin_answering();
  const bool unpacks =
    !request_.body.empty() && request_.header("content-encoding");
  // What is unpacked may become as long as it may be.
  const auto bytes = unpacks ? body_bytes_max_ : request_.body.size();
  if (bytes > labour_bytes_min && (unpacks || route_->options.laborious))
    context_->labour->post([self = shared_from_this()] { self->prepare(); });
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
  if (auto refused = unpack())
    answer(std::move(*refused));
  else if (route_->options.laborious)
    handle();
  else
    pass();
}

void exchange::handle() {
  route_->answer(std::move(request_), responder{shared_from_this()});
}

void exchange::begin_answering() {
  const auto limit = route_->options.answer_limit.count() != 0
                       ? route_->options.answer_limit
                       : context_->options.answer_limit;
  at_.enter(phase::answering, at_.loop.now() + limit);
}

bool exchange::queue() {
  // Nobody changes an answer once it is there.
  const bool early =
    has_body_ && (stage_ == stage::head || stage_ == stage::gating);
  stage_ = stage::queued;
  if (early)
    at_.lingers = true;
  const auto& options = context_->options;
  return at_.enter(phase::sending,
                   after(at_.loop.now(), options.send_limit,
                         answer_.body.size(), options.receive_rate_min))
         && queue_response(handle_, answer_,
                           early || at_.over_limit || context_->stopping);
}

bool exchange::refuse_now(const response& what) {
  stage_ = stage::queued;
  at_.lingers = true;
  write_response(handle_, at_.socket, what);
  return false;
}

} // namespace depositd::http
