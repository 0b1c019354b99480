#include "adapters/doors/http/browser.hpp"

#include "adapters/doors/http/text.hpp"

namespace depositd::http {

std::string cookie(const request& from, std::string_view name) {
  const auto* all = from.header("cookie");
  std::string_view rest = all ? std::string_view{*all} : std::string_view{};
  while (!rest.empty()) {
    const auto end = rest.find(';');
    const auto one = trim(rest.substr(0, end));
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
  const auto* origin = from.header("origin");
  if (origin == nullptr)
    return true; // no browser, or no other page: the token tells
  const auto* host = from.header("host");
  const auto scheme = origin->find("://");
  return host != nullptr && scheme != origin->npos
         && same_token(std::string_view{*origin}.substr(scheme + 3), *host);
}

} // namespace depositd::http
