#pragma once

// What outlives engines: the log and the tables of one shard. Everything that
// gets into the log is written into the history, and may be lost on the way.

#include "actors/projection/recovery.hpp"
#include "adapters/stores/memory/memory_journal_store.hpp"
#include "messages/ports/journal_store.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/knobs.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace depositd::simulation {

/// How the disk fails now. One in so many; 0: never.
struct disk_faults {
  std::uint32_t slice_one_in = 0;
  std::uint32_t lost_one_in = 0;
  std::uint32_t unknown_one_in = 0;
  std::uint32_t bad_read_one_in = 0;
};

/// What a backup has of a disk.
struct disk_copy {
  std::filesystem::path folder; ///< of its tables
  std::shared_ptr<memory_journal> log;
  std::unordered_map<item_id, std::string> bodies;
  std::size_t groups = 0;  ///< that were in the log by then
  std::size_t entries = 0; ///< of the history by then
};

class shard_disk {
public:
  struct surroundings {
    history* told = nullptr;
    chance* by = nullptr;
    std::function<micros()> now_us;
    /// Of the tables' file; empty: they have none, and no copy.
    std::filesystem::path folder;
  };

  shard_disk(shard_number shard, std::uint64_t segment_bytes,
             surroundings around);

  /// A store for one more engine; it fences those before it. It must not
  /// outlive the disk.
  std::unique_ptr<journal_store> open();

  /// The same under the epoch of a lease; `ec::fenced` if there is a later one.
  caf::expected<std::unique_ptr<journal_store>> open(epoch_number epoch);

  /// A lease was taken: from now on stores of earlier epochs are fenced.
  void raise(epoch_number epoch);

  /// The tables for the engine with that store: slices of one that has been
  /// fenced are refused, as a database shared by engines does.
  std::unique_ptr<projection_store> tables_of(const journal_store& by);

  /// Compares what a start would find with the whole log.
  void look_at_recovery();

  /// Of the backup that an engine has made in this folder.
  std::optional<disk_copy> copy_in(const std::filesystem::path& folder) const;

  /// From now on the disk is that copy; nobody may have a store of it.
  void go_back(disk_copy to);

  shard_number shard() const {
    return shard_;
  }

  disk_faults faults;

private:
  friend class recorded_store;
  friend class fenced_tables;

  /// What the egress topic has to say because of the event, if anything.
  event told_copy(journal_store& by, const item_copied& x);
  std::optional<to_publish> outcome_of(const std::string& user, const event& x,
                                       sequence seq) const;

  /// A group is in the log.
  void record_group(journal_store& by, std::string_view bytes,
                    std::uint32_t events, std::uint64_t group,
                    const std::vector<watermark>& watermarks);

  void keep_copy(const std::filesystem::path& folder);

  shard_number shard_;
  surroundings around_;
  std::shared_ptr<memory_journal> log_;
  std::unique_ptr<projection_store> tables_;
  epoch_number epoch_ = 0; ///< of the newest store
  shard::recovered_state whole_; ///< by the log from its beginning
  std::unordered_map<item_id, std::string> bodies_;
  /// With a folder: all groups that ever were in the log, by their numbers.
  std::vector<std::pair<std::uint64_t, std::string>> groups_;
  std::map<std::filesystem::path, disk_copy> copies_;
};

/// By what a deposit's body is known in the history: messages by their bytes,
/// deposits by their file name, batches and jobs by their document's uuid and
/// how far it has come.
std::string name_of_body(const std::string& queue, const std::string& body);

/// What the egress topic says of a deposit.
std::string text_of_outcome(const std::string& file_name, ending how);

/// Everything that a start rests on, in an order of its own.
std::string text_of(const shard::recovered_state& x);

} // namespace depositd::simulation
