#pragma once

// What a program says it is, to others of its kind and to its store. Tests need
// two versions side by side and have one: sources that are compiled again with
// DEPOSITD_TEST_POINTS say what tests/support/test_points.cpp is told to say.

#include <string>

namespace depositd {

#ifdef DEPOSITD_TEST_POINTS

/// What the environment has under this name; `truth` if it has nothing.
std::string claimed(const char* variable, std::string truth);

#else

inline std::string claimed(const char*, std::string truth) {
  return truth;
}

#endif

} // namespace depositd
