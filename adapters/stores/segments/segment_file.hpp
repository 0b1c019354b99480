#pragma once

// One segment file of the log.

#include "adapters/stores/files/file.hpp"
#include "adapters/stores/segments/layout.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace depositd::segments {

/// An open segment; does not change once it is shared.
struct segment_file {
  unique_fd file;
  std::filesystem::path path;
  segment_header header;
};

using segment_ptr = std::shared_ptr<const segment_file>;

/// "journal-000000000001.segment".
std::string segment_name(std::uint64_t number);

/// "spare-000000000001.segment": a file that was segment 1 and waits for reuse.
std::string spare_name(std::uint64_t number);

/// The number in such a name; nothing for any other.
std::optional<std::uint64_t> number_in(std::string_view name,
                                       std::string_view prefix);

/// Opens a segment of the log. `ec::store_damaged` names the file if it is not
/// the one it should be, or shorter than it was made. `for_looking`: nobody
/// will write to it.
caf::expected<segment_ptr> open_segment(const std::filesystem::path& folder,
                                        std::uint64_t number,
                                        std::uint32_t shard,
                                        bool for_looking = false);

/// Gives the file a new life as the segment of this header: durable when it
/// returns, except for its name.
caf::error begin_segment(disk& io, const unique_fd& file,
                         const std::filesystem::path& path,
                         const segment_header& header);

/// 64 random bits.
std::uint64_t random_nonce();

} // namespace depositd::segments
