// What a request says of itself before its body, and what is wrong with it.

#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/http/exchange.hpp"
#include "adapters/doors/http/io_loop.hpp"
#include "adapters/doors/http/wire.hpp"

#include <algorithm>
#include <charconv>

#include <microhttpd.h>

namespace depositd::http {

namespace {

/// The library keeps each of them in its buffer.
constexpr std::ptrdiff_t parameters_max = 200;

bool is_blank_or_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7f;
}

} // namespace

void exchange::begin() {
  const auto query =
    std::string_view{target_}.substr(std::min(target_.find('?'),
                                              target_.size()));
  const auto ends = std::count(query.begin(), query.end(), '&');
  // The library takes lines of chunks that another reader sees the end of
  // elsewhere. What it would read behind them may be part of that body.
  if (at_.answered_chunks == at_.loop.round())
    refuse_at_once(refusal(400, "Nothing may follow a body in chunks before it "
                                "is answered."));
  else if (target_.size() > context_->options.header_bytes_max
           || ends >= parameters_max)
    refuse_at_once(refused_as(414, "The request line is too long."));
}

// Only of this one the head has come as a whole.
bool exchange::refuse_cookies() {
  if (stage_ != stage::head || head_bytes(handle_) == 0)
    return false;
  refuse_at_once(refusal(431, "The request's headers are too large."));
  return true;
}

bool exchange::refuse_length() {
  if (stage_ != stage::head)
    return false;
  const auto headers = read_headers(handle_);
  const auto* length = find_header(headers, "content-length");
  if (!length)
    return false;
  std::uint64_t value = 0;
  const auto* end = length->data() + length->size();
  const auto [stop, wrong] = std::from_chars(length->data(), end, value);
  const bool too_large =
    wrong == std::errc::result_out_of_range || value == MHD_SIZE_UNKNOWN;
  if (!too_large && wrong == std::errc{} && stop == end)
    return false;
  refuse_at_once(too_large
                   ? refusal(413, "The body is too large.")
                   : refusal(400, "The length of the body is not a number."));
  return true;
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
    answer(refused_as(status, text));
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
    answer(refused_as(405, "The method is not allowed here.")
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

response exchange::refused_as(unsigned status, const std::string& text) const {
  const auto& say = context_->options.refuse;
  return say ? say(request_, status, text) : refusal(status, text);
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
    if (!is_token(name) || std::any_of(value.begin(), value.end(), [](char c) {
          return c != ' ' && c != '\t' && is_blank_or_control(c);
        }))
      return refusal(400, "A header of the request is malformed.");
  return check_body_headers(std::string_view{version} == "HTTP/1.1");
}

std::optional<response> exchange::check_body_headers(bool knows_chunks) {
  const std::string* length = nullptr;
  for (const auto& [name, value] : request_.headers) {
    if (same_token(name, "transfer-encoding")) {
      // The library takes a blank behind the word for part of it.
      if (!knows_chunks || chunked_ || !same_token(value, "chunked"))
        return refusal(400, "The transfer encoding is not known.");
      chunked_ = true;
    } else if (same_token(name, "content-length")) {
      if (length)
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

} // namespace depositd::http
