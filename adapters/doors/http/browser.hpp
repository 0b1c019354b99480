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

/// False: a page of another host or port made the browser send it.
bool is_from_own_page(const request& from);

/// Whether the client, whom a trusted proxy may speak for, is on this machine.
bool is_of_this_machine(const request& from);

/// Whether a host, as the header has it, can be a name of this machine that
/// strangers have no say in: an address, a name without a dot, `localhost` and
/// what is below it, or what the machine calls itself.
bool is_local_name(std::string_view host);

/// Whether somebody who shows nothing may be served where that is enough.
/// False: a page in a browser of this machine would change something, or has
/// made a name of its own lead here and would read the answer.
bool may_be_nobody(const request& from);

} // namespace depositd::http
