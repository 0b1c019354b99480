#include "tests/support/test_points.hpp"

#include "messages/values/claimed_version.hpp"
#include "messages/values/test_points.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>
#include <unistd.h>

namespace depositd {

namespace {

/// What a test asked for: "NAME" or "NAME:N", the Nth passing.
struct wanted_point {
  std::string name;
  std::uint64_t at = 1;
};

wanted_point read_point(const char* variable) {
  wanted_point out;
  const auto* text = std::getenv(variable);
  if (text == nullptr)
    return out;
  out.name = text;
  if (const auto colon = out.name.rfind(':'); colon != std::string::npos) {
    out.at = std::strtoull(out.name.c_str() + colon + 1, nullptr, 10);
    out.name.resize(colon);
  }
  return out;
}

const wanted_point& wanted_crash() {
  static const auto out = read_point("DEPOSITD_CRASH_POINT");
  return out;
}

/// Where a test wants passers to wait, and the file during whose existence.
struct wanted_hold {
  std::string point;
  std::string file;
};

const wanted_hold& hold() {
  static const auto out = [] {
    const auto* file = std::getenv("DEPOSITD_HOLD_FILE");
    return wanted_hold{read_point("DEPOSITD_HOLD_POINT").name,
                       file == nullptr ? "" : file};
  }();
  return out;
}

std::string& wanted_bug() {
  static auto out = read_point("DEPOSITD_SEEDED_BUG").name;
  return out;
}

} // namespace

void crash_point(const char* name) {
  if (hold().point == name)
    while (::access(hold().file.c_str(), F_OK) == 0)
      ::usleep(1'000); // sleeps: until the test lets it go
  static std::atomic<std::uint64_t> passed{0};
  const auto& wanted = wanted_crash();
  if (wanted.name != name || ++passed != wanted.at)
    return;
  // Nothing is flushed, closed or answered any more.
  ::kill(::getpid(), SIGKILL);
  for (;;)
    ::pause();
}

bool seeded_bug(const char* name) {
  const auto& wanted = wanted_bug();
  return !wanted.empty() && wanted == name;
}

std::string claimed(const char* variable, std::string truth) {
  const auto* text = std::getenv(variable);
  return text == nullptr ? std::move(truth) : std::string{text};
}

namespace testing {

void seed_bug(std::string name) {
  wanted_bug() = std::move(name);
}

} // namespace testing

} // namespace depositd
