#pragma once

// What a folder of segments holds, found out when it is opened.

#include "adapters/stores/segments/manifest.hpp"
#include "adapters/stores/segments/segment_pool.hpp"
#include "adapters/stores/segments/window.hpp"

#include <deque>
#include <functional>
#include <map>
#include <vector>

namespace depositd::segments {

/// Where to begin reading to find a sequence.
struct index_entry {
  sequence first = 0; ///< of the group there
  std::uint64_t offset = 0;
};

/// A segment of the log and what is in it.
struct segment_state {
  segment_ptr file;
  sequence first = 0; ///< 0: holds nothing yet
  sequence last = 0;
  std::uint64_t used = page_bytes; ///< where the next group goes
  std::vector<index_entry> index;  ///< one entry for every quarter of a MiB
  std::vector<index_entry> newest; ///< every group of the last such step

  /// Takes note of a group at `used`.
  void add(const group_header& header);

  /// Offset of a group at or before the one that contains the sequence: that
  /// one, if it is among the newest, as it is for who follows the log.
  std::uint64_t begin_of(sequence from) const;
};

struct recovered {
  manifest names;                             ///< as in the file
  std::map<std::uint64_t, segment_state> log; ///< at least one group in each
  std::deque<segment_ptr> ready;              ///< behind the log, empty
  std::vector<spare_file> spares;
  watermark_map watermarks;
  sequence last = 0;
};

/// Is shown the groups of the log, in their order; what it says ends that.
using group_viewer = std::function<caf::error(const stored_group&)>;

/// Reads the whole log and changes nothing: not for a folder that an engine
/// has. `ec::not_found` if there is no log; otherwise as `recover`.
caf::expected<recovered> look_through(const std::filesystem::path& folder,
                                      std::uint32_t shard,
                                      const group_viewer& show);

/// Reads the whole log. Removes only files that a crash left half made; drops
/// only a last group that is not whole. `ec::store_damaged` names file and
/// byte of anything else that does not match.
caf::expected<recovered> recover(disk& io, const pool_options& options);

} // namespace depositd::segments
