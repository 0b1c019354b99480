#pragma once

// What is left of a disk by those who write without knowing how much comes.

#include "messages/values/errors.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>

namespace depositd {

/// For all who write to one disk, from any threads: others need it as well, and
/// so does the engine.
class disk_floor {
public:
  /// So many bytes stay free, but for 4 MiB that are written between two looks.
  explicit disk_floor(std::uint64_t free_min) : free_min_(free_min) {
    // nop
  }

  /// Before so many bytes are written below `folder`. `ec::store_failed` if
  /// they would leave less.
  caf::error take(const std::filesystem::path& folder, std::uint64_t bytes);

private:
  const std::uint64_t free_min_;
  std::atomic<std::uint64_t> unseen_ = 0; ///< bytes since the last look
};

/// Why nobody can put so many bytes below `folder` now: its disk is full, takes
/// no more files, or no writes at all. None if there is room, and if there
/// never could be: then they are too many for it; and if nobody can tell.
/// `ec::store_failed`.
caf::error look_for_room(const std::filesystem::path& folder,
                         std::uint64_t bytes);

} // namespace depositd
