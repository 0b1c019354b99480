#pragma once

// Reads a segment file front to back in large pieces.

#include "adapters/stores/segments/segment_file.hpp"

#include <optional>
#include <vector>

namespace depositd::segments {

/// A group in the window; the views last until the window moves on.
struct found_group {
  group_header header;
  std::string_view base;    ///< watermarks before the segment, encoded
  std::string_view own;     ///< watermarks of the group, encoded
  std::string_view payload; ///< empty unless it was asked for
};

/// How much of a group is looked at.
enum class look : std::uint8_t { header, all };

/// What is at some place of a file.
enum class place_holds : std::uint8_t {
  group,
  bad_payload, ///< a header that matches and a payload that does not
  nothing,     ///< anything but a group's header
};

/// Not for several threads. Buffers live as long as it does.
class window {
public:
  /// Reads only the first `limit` bytes.
  window(const segment_file& file, std::uint64_t limit);

  /// What is at the offset; `into` is filled if it is a group or a header.
  caf::expected<place_holds> at(std::uint64_t offset, look how,
                                found_group& into);

  /// First group header at or behind the offset, on any page.
  caf::expected<std::optional<group_header>> search(std::uint64_t offset);

private:
  /// The bytes there, fewer at the limit.
  caf::expected<std::string_view> bytes(std::uint64_t offset,
                                        std::uint64_t size);

  const segment_file& file_;
  std::uint64_t limit_;
  std::vector<char> buffer_;
  std::uint64_t start_ = 0;
  std::size_t filled_ = 0;
};

} // namespace depositd::segments
