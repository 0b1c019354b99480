#include "messages/values/endpoint.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace depositd {

namespace {

bool legal_host_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

bool is_ipv6(const std::string& host) {
  in6_addr ignored;
  return inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
}

bool legal_host(const std::string& host, bool bracketed) {
  if (bracketed)
    return is_ipv6(host);
  return !host.empty() && host.size() <= 253
         && std::all_of(host.begin(), host.end(), legal_host_byte);
}

caf::error refuse(std::string_view text) {
  std::string out = "\"";
  out += text.substr(0, 100);
  out += "\" is not HOST:PORT";
  return caf::make_error(ec::invalid_argument, std::move(out));
}

} // namespace

caf::expected<endpoint> parse_endpoint(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return refuse(text);
  auto host = text.substr(0, colon);
  const auto port = text.substr(colon + 1);
  const bool bracketed =
    host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed)
    host = host.substr(1, host.size() - 2);
  endpoint out;
  out.host = std::string{host};
  const auto end = port.data() + port.size();
  const auto [stop, failure] = std::from_chars(port.data(), end, out.port);
  if (port.empty() || stop != end || failure != std::errc{}
      || !legal_host(out.host, bracketed))
    return refuse(text);
  return out;
}

std::string to_string(const endpoint& x) {
  const bool brackets = x.host.find(':') != std::string::npos;
  std::string out = brackets ? "[" + x.host + "]:" : x.host + ":";
  out += std::to_string(x.port);
  return out;
}

bool is_loopback(const endpoint& x) {
  in_addr four;
  if (inet_pton(AF_INET, x.host.c_str(), &four) == 1)
    return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six;
  if (inet_pton(AF_INET6, x.host.c_str(), &six) == 1)
    return IN6_IS_ADDR_LOOPBACK(&six);
  return x.host == "localhost";
}

} // namespace depositd
