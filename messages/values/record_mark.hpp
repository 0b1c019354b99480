#pragma once

// Which record stood at an offset of a log, so that a log that was made anew
// under the old name is told from the one that was read.

#include <cstdint>
#include <string_view>

namespace depositd {

inline constexpr std::int64_t no_record_mark = -1;

/// The offset and some bits of what the record says in one number, which rises
/// with offsets: it can be kept as a watermark. `no_record_mark` where an
/// offset is too high for that.
std::int64_t mark_of(std::int64_t offset, std::string_view key,
                     std::string_view value);

std::int64_t offset_of_mark(std::int64_t mark);

} // namespace depositd
