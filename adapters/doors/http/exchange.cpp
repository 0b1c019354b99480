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

response refusal(unsigned status, std::string text) {
  return response::text(status, std::move(text) + '\n');
}

bool is_blank_or_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7f;
}

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

// False: answered already.
bool exchange::read_head(const char* method, const char* version) {
  ++context_->requests;
  request_.method = method;
  request_.secure = at_.secure;
  request_.headers = read_headers(handle_);
  request_.peer = client();
  if (auto refused = check_framing(method, version)) {
    has_body_ = true; // or so it may be: the connection must end
    answer(std::move(*refused));
    return false;
  }
  const auto fail = [&](unsigned status, const char* text) {
    answer(refusal(status, text));
    return false;
  };
  if (head_bytes(handle_) > context_->options.header_bytes_max
      || request_.headers.size() > context_->options.headers_max)
    return fail(431, "The request's headers are too large.");
  if (std::string_view{version} == "HTTP/1.1" && !request_.header("host"))
    return fail(400, "A Host header is needed.");
  if (std::any_of(target_.begin(), target_.end(), is_blank_or_control))
    return fail(400, "The request line is malformed.");
  if (at_.over_limit || context_->stopping) {
    ++context_->refused;
    answer(unavailable(1));
    return false;
  }
  std::string_view path = target_;
  const auto question = path.find('?');
  if (question != std::string_view::npos) {
    request_.query = parse_urlencoded(path.substr(question + 1));
    path = path.substr(0, question);
  }
  // The absolute form that proxies send.
  if (const auto scheme = path.find("://");
      !path.empty() && path[0] != '/' && scheme != std::string_view::npos)
    path = path.substr(std::min(path.find('/', scheme + 3), path.size()));
  request_.path = path;
  request_.segments = split_path(path);
  auto found = context_->routes.find(request_.method, request_.segments);
  if (!found.found && found.allow.empty())
    return fail(404, "There is nothing here.");
  if (!found.found) {
    answer(refusal(405, "The method is not allowed here.")
             .with("Allow", std::move(found.allow)));
    return false;
  }
  route_ = found.found;
  request_.captured = std::move(found.captured);
  set_body_limit();
  const auto* length = request_.header("content-length");
  // The library has checked that it is a number.
  if (length && !chunked_ && std::stoull(*length) > body_bytes_max_)
    return fail(413, "The body is too large.");
  return true;
}

std::string exchange::client() const {
  const auto& proxies = context_->options.trusted_proxies;
  std::string forwarded;
  if (!proxies.empty())
    for (const auto& [name, value] : request_.headers)
      if (same_token(name, "x-forwarded-for"))
        forwarded += (forwarded.empty() ? "" : ",") + value;
  return kit::client_behind(proxies, at_.peer, forwarded);
}

void exchange::set_body_limit() {
  const auto& options = route_->options;
  body_bytes_max_ = options.body_bytes_max != 0
                      ? options.body_bytes_max
                      : context_->options.body_bytes_max;
  const auto* type = request_.header("content-type");
  if (type && options.urlencoded_bytes_max != 0
      && parse_header_value(*type).token == "application/x-www-form-urlencoded")
    body_bytes_max_ = std::min(body_bytes_max_, options.urlencoded_bytes_max);
}

// Where this says no, another reader may see another end of the request.
std::optional<response> exchange::check_framing(const char* method,
                                                const char* version) {
  if (!has_clean_lines(handle_, method, version))
    return refusal(400, "The request's lines must end with CR LF.");
  for (const auto& [name, value] : request_.headers)
    if (!is_token(name)
        || std::any_of(value.begin(), value.end(), [](char c) {
             return c != ' ' && c != '\t' && is_blank_or_control(c);
           }))
      return refusal(400, "A header of the request is malformed.");
  return check_body_headers(std::string_view{version} == "HTTP/1.1");
}

std::optional<response> exchange::check_body_headers(bool knows_chunks) {
  const std::string* length = nullptr;
  for (const auto& [name, value] : request_.headers) {
    if (same_token(name, "transfer-encoding")) {
      if (!knows_chunks || chunked_ || !same_token(trim(value), "chunked"))
        return refusal(400, "The transfer encoding is not known.");
      chunked_ = true;
    } else if (same_token(name, "content-length")) {
      if (length && *length != value)
        return refusal(400, "Two lengths of the body.");
      if (value.empty()
          || value.find_first_not_of("0123456789") != std::string::npos)
        return refusal(400, "The length of the body is not a number.");
      length = &value;
    }
  }
  has_body_ = chunked_ || (length && *length != "0");
  if (chunked_ && length)
    return refusal(400, "A length and chunks exclude each other.");
  return std::nullopt;
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
  const auto size = request_.body.size();
  const bool unpacks_much = request_.header("content-encoding")
                            && body_bytes_max_ > labour_bytes_min;
  if (size > labour_bytes_min || (size != 0 && unpacks_much))
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
