#pragma once

// What a registry of DOIs has recorded, until it is on the disk.

#include "adapters/stores/rows/doi_recording.hpp"
#include "adapters/stores/sqlite/database.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace depositd::sqlite {

/// Small registrations stay in one transaction until it is flushed, or somebody
/// looks: the journal has several of them in a group. What is large is
/// committed by itself, for nobody who flushes must wait for it.
class registry_transactions {
public:
  using results = std::vector<std::vector<doi_result>>;
  using group = std::vector<const doi_registration*>;

  /// All outlive it. `turn` is for whoever uses the file or the tables.
  registry_transactions(database& file, rows::doi_tables& tables,
                        std::mutex& turn)
    : file_(file), tables_(tables), turn_(turn) {
    // nop
  }

  registry_transactions(const registry_transactions&) = delete;
  registry_transactions& operator=(const registry_transactions&) = delete;
  ~registry_transactions();

  /// Records all of the group or none of it. Has its turn.
  caf::expected<results> record(const group& all);

  /// A crash takes nothing back that was recorded before; has its turn. After
  /// an error it is recorded again at the next call, with the same results.
  caf::error commit();

  /// Nor does a power cut. Waits for its turn only if there is something to
  /// commit, and for the disk without it.
  caf::error flush();

  /// Of those that are not committed, not above `last`; 0: none. Has its turn.
  item_id submission_max(item_id last) const;

private:
  caf::error begin();
  caf::error make_room();
  void take_back();
  caf::expected<results> record_at_once(const group& all);
  caf::error flush_committed();

  database& file_;
  rows::doi_tables& tables_;
  std::mutex& turn_;

  /// Recorded and told: in the transaction that is open, or, if it was taken
  /// back, to be recorded again in the next one before anything else.
  std::vector<doi_registration> open_;
  std::uint64_t open_bytes_ = 0;
  bool is_begun_ = false;
  std::atomic<bool> has_open_ = false;

  std::atomic<std::uint64_t> committed_ = 0; ///< transactions
  std::atomic<std::uint64_t> flushed_ = 0;   ///< those among them
  std::mutex flushing_;
  std::atomic<bool> in_doubt_ = false; ///< the last flush has failed
};

} // namespace depositd::sqlite
