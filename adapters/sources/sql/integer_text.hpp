#pragma once

// Integers as databases write them.

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace depositd::sources::sql {

/// Nothing if the text is no integer of 64 bits, or is written in another way
/// than integers are: "007", "+1".
inline std::optional<std::int64_t> read_integer(std::string_view text) {
  std::int64_t out = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out);
  if (read.ec != std::errc{} || read.ptr != end || text != std::to_string(out))
    return std::nullopt;
  return out;
}

} // namespace depositd::sources::sql
