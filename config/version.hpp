#pragma once

namespace depositd {

inline constexpr const char* version_text = "0.1.0";

} // namespace depositd
