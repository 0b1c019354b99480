#pragma once

// A journal's folder looked at from outside: nothing in it is changed, and no
// engine can take it meanwhile.

#include "messages/ports/journal_store.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>

namespace depositd {

/// What an engine would find.
struct segments_seen {
  /// Keeps engines out as long as it lives; null in a copy that none had yet.
  std::shared_ptr<void> lock;
  epoch_number epoch = 0; ///< highest that was ever opened
  sequence first = 1;     ///< oldest that is still there, or would be next
  sequence last = 0;      ///< 0: the log is empty
  std::map<std::uint64_t, std::uint64_t> ends; ///< bytes in use, by segment
};

/// Reads the whole log of the folder and shows its groups; what `show` says
/// ends that.
///
/// `ec::not_found` if there is no journal; `ec::store_failed` if an engine has
/// it, or a later version wrote it; `ec::store_damaged` names file and byte.
caf::expected<segments_seen>
look_at_segments(const std::filesystem::path& folder, std::uint32_t shard,
                 const std::function<caf::error(const stored_group&)>& show);

} // namespace depositd
