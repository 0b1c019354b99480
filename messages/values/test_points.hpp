#pragma once

// Places where tests reach into a running program: to kill it, or to make it
// wrong on purpose. In the program itself they are nothing; sources that are
// compiled again with DEPOSITD_TEST_POINTS call tests/support/test_points.cpp.

namespace depositd {

#ifdef DEPOSITD_TEST_POINTS

/// Kills the process, or stands still, if the test asked for it here.
void crash_point(const char* name);

/// Whether the test wants this mistake.
bool seeded_bug(const char* name);

/// A size that no short life reaches.
constexpr auto smaller_in_tests(auto, auto in_tests) {
  return in_tests;
}

#else

constexpr void crash_point(const char*) {
  // nop
}

constexpr bool seeded_bug(const char*) {
  return false;
}

constexpr auto smaller_in_tests(auto usual, auto) {
  return usual;
}

#endif

} // namespace depositd
