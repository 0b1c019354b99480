#include "adapters/doors/deposits/cookie.hpp"

#include "adapters/doors/http/browser.hpp"

namespace depositd::deposits {

namespace {

constexpr const char* cookie_name = "depositd_deposits";
constexpr const char* cookie_path = "/deposits";

} // namespace

pass shown_in(const http::request& from) {
  pass out;
  out.session = http::cookie(from, cookie_name);
  const auto* token = from.header("x-csrf-token");
  if (token && token->size() <= http::secret_length_max)
    out.csrf = *token;
  return out;
}

std::string session_cookie(const std::string& id, bool secure) {
  return http::cookie_text(cookie_name, id, cookie_path, secure);
}

std::string no_cookie() {
  return http::no_cookie_text(cookie_name, cookie_path);
}

} // namespace depositd::deposits
