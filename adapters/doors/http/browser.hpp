#pragma once

// What browsers add to a request without being asked.

#include "adapters/doors/http/message.hpp"

#include <string>
#include <string_view>

namespace depositd::http {

/// Nothing longer is read out of a request as a secret.
inline constexpr std::size_t secret_length_max = 256;

/// The first cookie of this name; empty without one, or if it is too long.
std::string cookie(const request& from, std::string_view name);

/// The value of Set-Cookie. Scripts do not see the cookie, and requests of
/// other pages come without it.
std::string cookie_text(std::string_view name, std::string_view value,
                        std::string_view path, bool secure);

/// The same for a cookie that the browser is to forget.
std::string no_cookie_text(std::string_view name, std::string_view path);

/// False: a page of another host made the browser send it.
bool is_from_own_page(const request& from);

} // namespace depositd::http
