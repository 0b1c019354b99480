// What a request says of itself before its body, and what is wrong with it.

#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/http/exchange.hpp"
#include "adapters/doors/http/io_loop.hpp"

#include <algorithm>
#include <utility>

namespace depositd::http {

namespace {

constexpr std::ptrdiff_t parameters_max = 200;

bool is_blank_or_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7f;
}

} // namespace

void exchange::begin(request_head& head) {
  target_ = std::move(head.target);
  request_.method = std::move(head.method);
  request_.headers = std::move(head.headers);
  request_.path = target_.substr(0, target_.find('?'));
  request_.secure = at_.secure;
  request_.peer = client();
  request_is_head_ = request_.method == "HEAD";
}

std::optional<response> exchange::refusal_of_head(bool is_1_1) {
  if (auto refused = check_framing(is_1_1)) {
    has_body_ = true; // or so it may be: the connection must end
    closes_ = true;
    return refused;
  }
  if (std::count(target_.begin() + request_.path.size(), target_.end(), '&')
      >= parameters_max) {
    closes_ = true;
    return refused_as(414, "The request line is too long.");
  }
  const auto hosts = std::count_if(
    request_.headers.begin(), request_.headers.end(),
    [](const auto& x) { return same_token(x.first, "host"); });
  if (is_1_1 && hosts == 0)
    return refused_as(400, "A Host header is needed.");
  if (hosts > 1)
    return refused_as(400, "Two Host headers.");
  if (std::any_of(target_.begin(), target_.end(), is_blank_or_control))
    return refused_as(400, "The request line is malformed.");
  auto refused = find_route();
  if (!at_.over_limit && !context_->stopping)
    return refused;
  ++context_->refused;
  if (context_->stopping)
    return stopped_response();
  return unavailable_as({"There are too many connections."});
}

std::optional<response> exchange::find_route() {
  std::string_view path = target_;
  const auto question = path.find('?');
  if (question != std::string_view::npos) {
    request_.query_text = path.substr(question + 1);
    request_.query = parse_urlencoded(request_.query_text);
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
    return refused_as(404, "There is nothing here.");
  if (!found.found)
    return refused_as(405, "The method is not allowed here.")
      .with("Allow", std::move(found.allow));
  route_ = found.found;
  request_.captured = std::move(found.captured);
  set_body_limit();
  const auto* length = request_.header("content-length");
  // Has been checked to be a number.
  if (length && !chunked_ && std::stoull(*length) > body_bytes_max_)
    return refused_as(413, "The body is too large.");
  return std::nullopt;
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
std::optional<response> exchange::check_framing(bool is_1_1) {
  for (const auto& [name, value] : request_.headers)
    if (!is_token(name) || std::any_of(value.begin(), value.end(), [](char c) {
          return c != ' ' && c != '\t' && is_blank_or_control(c);
        }))
      return refusal(400, "A header of the request is malformed.");
  return check_body_headers(is_1_1);
}

std::optional<response> exchange::check_body_headers(bool knows_chunks) {
  const std::string* length = nullptr;
  for (const auto& [name, value] : request_.headers) {
    if (same_token(name, "transfer-encoding")) {
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
