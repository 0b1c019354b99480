#pragma once

// Why nobody can answer now, where a route says that in words of its own
// (`route_options::unavailable`).

namespace depositd::http {

inline constexpr const char* stopping_text = "The server is stopping.";

} // namespace depositd::http
