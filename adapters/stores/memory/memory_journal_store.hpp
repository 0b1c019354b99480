#pragma once

// The journal port in memory, for simulations and tests. What is appended
// lives in a `memory_journal`, which plays the disk: stores come and go.

#include "messages/ports/journal_store.hpp"

#include <memory>

namespace depositd {

class memory_journal;

struct memory_journal_options {
  /// A segment is closed once it holds this many bytes.
  std::uint64_t segment_bytes = 1024 * 1024;
};

/// An empty log. Shared by the stores that are opened on it.
std::shared_ptr<memory_journal>
make_memory_journal(const memory_journal_options& options = {});

/// Opens the log under a new epoch. Stores that were opened on it before are
/// fenced from then on: they read, but append no more. `backup` is refused:
/// there are no files.
std::unique_ptr<journal_store>
open_memory_journal(std::shared_ptr<memory_journal> log);

/// The same under an epoch that a lease gave; `ec::fenced` if the log has seen
/// a later one.
caf::expected<std::unique_ptr<journal_store>>
open_memory_journal(std::shared_ptr<memory_journal> log, epoch_number epoch);

/// Fences all stores of earlier epochs, as taking a lease does.
void raise_epoch(memory_journal& log, epoch_number epoch);

/// What a backup of the log has; it is opened under epochs that are above all
/// that the log may have been opened under meanwhile (`lost_epochs_max`).
std::shared_ptr<memory_journal> copy_memory_journal(memory_journal& log);

/// Makes the next `count` appends fail with `ec::store_failed` before they
/// change anything.
void fail_appends(memory_journal& log, std::uint32_t count);

} // namespace depositd
