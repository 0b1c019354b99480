#pragma once

// What a browser sends and keeps besides its request.

#include "adapters/doors/deposits/messages.hpp"
#include "adapters/doors/http/message.hpp"

#include <string>

namespace depositd::deposits {

/// Session and token of a request, as far as it has them.
pass shown_in(const http::request& from);

std::string session_cookie(const std::string& id, bool secure);

/// The browser forgets it.
std::string no_cookie();

} // namespace depositd::deposits
