#include "adapters/doors/http/browser.hpp"

#include "adapters/doors/http/text.hpp"
#include "adapters/doors/kit/addresses.hpp"
#include "messages/values/blanks.hpp"

#include <array>

#include <arpa/inet.h>
#include <unistd.h>

namespace depositd::http {

namespace {

std::string own_name() {
  std::array<char, 256> out{};
  return gethostname(out.data(), out.size() - 1) == 0 ? out.data() : "";
}

} // namespace

bool is_of_this_machine(const request& from) {
  static const auto all = kit::address_list::of({"127.0.0.0/8", "::1"});
  return all->has(from.peer);
}

std::string cookie(const request& from, std::string_view name) {
  const auto* all = from.header("cookie");
  std::string_view rest = all ? std::string_view{*all} : std::string_view{};
  while (!rest.empty()) {
    const auto end = rest.find(';');
    const auto one = trimmed(rest.substr(0, end));
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) {
      const auto value = one.substr(name.size() + 1);
      return value.size() > secret_length_max ? std::string{}
                                              : std::string{value};
    }
    rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
  }
  return {};
}

std::string cookie_text(std::string_view name, std::string_view value,
                        std::string_view path, bool secure) {
  std::string out{name};
  out.append("=").append(value);
  out.append("; HttpOnly; SameSite=Strict; Path=").append(path);
  return secure ? out + "; Secure" : out;
}

std::string no_cookie_text(std::string_view name, std::string_view path) {
  return cookie_text(name, "", path, false) + "; Max-Age=0";
}

bool is_from_own_page(const request& from) {
  // Where a browser tells, it tells of requests without an origin, too.
  const auto* site = from.header("sec-fetch-site");
  if (site != nullptr && *site != "same-origin" && *site != "none")
    return false;
  const auto* origin = from.header("origin");
  if (origin == nullptr)
    return true; // no browser, or no other page: the token tells
  const auto* host = from.header("host");
  const auto scheme = origin->find("://");
  return host != nullptr && scheme != origin->npos
         && same_token(std::string_view{*origin}.substr(scheme + 3), *host);
}

bool is_local_name(std::string_view host) {
  if (host.starts_with('['))
    return true; // an address
  host = host.substr(0, host.rfind(':'));
  if (host.ends_with('.'))
    host.remove_suffix(1);
  if (host.find('.') == host.npos)
    return true;
  constexpr std::string_view below = ".localhost";
  if (host.size() > below.size()
      && same_token(host.substr(host.size() - below.size()), below))
    return true;
  in_addr address{};
  return inet_pton(AF_INET, std::string{host}.c_str(), &address) == 1
         || same_token(host, own_name());
}

bool may_be_nobody(const request& from) {
  const bool reads = from.method == "GET" || from.method == "HEAD";
  if (!reads && !is_from_own_page(from))
    return false;
  // Elsewhere a name may be anybody's, and so may whoever comes there.
  const auto* host = from.header("host");
  return host == nullptr || !is_of_this_machine(from)
         || is_local_name(*host);
}

} // namespace depositd::http
