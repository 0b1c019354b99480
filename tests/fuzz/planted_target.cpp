// A mistake on purpose, by which those who look for mistakes are tried.

#include "tests/fuzz/target.hpp"

#include <cstdint>
#include <cstring>

namespace depositd::fuzz {

namespace {

/// Four bytes that chance does not find, and a word behind them.
void read_planted(std::string_view bytes) {
  std::uint32_t mark = 0;
  if (bytes.size() < sizeof(mark))
    return;
  std::memcpy(&mark, bytes.data(), sizeof(mark));
  bytes.remove_prefix(sizeof(mark));
  if (mark != 0x5eed'f00d)
    return;
  std::size_t matched = 0;
  for (const char c : std::string_view{"deep"})
    if (matched < bytes.size() && bytes[matched] == c)
      ++matched;
    else
      return;
  throw broken{"what was planted was found"};
}

} // namespace

target planted_target() {
  return {"planted", read_planted, {"some text"}};
}

} // namespace depositd::fuzz
