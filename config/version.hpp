#pragma once

namespace depositd {

/// The semantic version of what was compiled: see cmake/Version.cmake.
extern const char* const version_text;

} // namespace depositd
