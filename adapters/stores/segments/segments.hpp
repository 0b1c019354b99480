#pragma once

// The embedded journal: segment files in a folder, one `fdatasync` per group.
// See layout.hpp for what is in them and manifest.hpp for `journal.meta`.

#include "adapters/stores/files/disk.hpp"
#include "messages/ports/journal_store.hpp"

#include <filesystem>
#include <memory>

namespace depositd {

struct segments_options {
  /// Created if it is not there; belongs to the journal alone.
  std::filesystem::path folder;

  std::uint32_t shard = 0;

  /// Size of a segment, 8 KiB to 2 GiB, rounded up to 4 KiB. What is kept is
  /// dropped in pieces of this size. A group that is larger gets a segment of
  /// its own size. May differ from one start to the next.
  std::uint64_t segment_bytes = 64ULL * 1024 * 1024;

  /// Dropped segments kept for reuse; those beyond are deleted. Overwriting
  /// them is about twice as fast as writing new ones.
  std::uint32_t spares_max = 3;

  /// For tests that break it; outlives the store. Null: the machine's own.
  disk* io = nullptr;
};

/// Opens the journal in the folder, or begins one, under a new epoch. It is
/// this engine's alone until the store is destroyed.
///
/// `ec::store_failed` if another engine has it, it is another shard's or of a
/// later version, or the disk refuses; `ec::store_damaged` names file and byte
/// of what does not match. A last group that a crash cut short is dropped.
caf::expected<std::unique_ptr<journal_store>>
open_segments(const segments_options& options);

} // namespace depositd
