#pragma once

// Port: the keyed tables (snapshot and read model) of one shard. Adapters:
// sqlite, postgres; both pass tests/contract/projection_store_suite.hpp.

#include "messages/values/errors.hpp"
#include "messages/values/rows.hpp"

#include <filesystem>
#include <functional>
#include <limits>
#include <vector>

namespace depositd {

/// What applying a slice set free.
struct slice_applied {
  /// Places of bodies whose items left (items_gone) or moved (place replaced).
  std::vector<body_location> freed;
};

/// Used by one thread at a time, except for `backup`-free reads that adapters
/// may serve from connections of their own.
class projection_store {
public:
  virtual ~projection_store() = default;

  /// Sequence up to which the tables contain the journal.
  virtual sequence reached() = 0;

  /// Highest item id that was ever in a slice.
  virtual item_id id_max() = 0;

  /// Applies the slice, all of it or nothing; it is read at once. A crash may
  /// take back what was applied since the last `commit`, and so may an error:
  /// `reached` says where the tables are. `ec::invalid_argument` if
  /// `slice.from` is not what was reached: nothing is changed then.
  virtual caf::expected<slice_applied> apply(const slice& x) = 0;

  /// What was applied survives a crash, but for a power cut: see `flush`.
  /// Whatever else writes does this first.
  virtual caf::error commit() = 0;

  /// As a crash: what no `commit` has kept is gone.
  virtual void roll_back() = 0;

  // -- recovery

  /// All live items, by id.
  virtual caf::error
  load_items(const std::function<void(const item_row&)>& show) = 0;
  /// Where a user stands comes in one row, what it has spent in another.
  virtual caf::error
  load_rings(const std::function<void(const ring_row&)>& show) = 0;
  virtual caf::error
  load_controls(const std::function<void(const control_row&)>& show) = 0;

  /// Records of sources without their bodies: first those that live, then those
  /// that are over and bad ones, by `place`.
  virtual caf::error
  load_records(const std::function<void(const record_row&)>& show) = 0;

  /// How many of each source have ended, the forgotten ones included.
  virtual caf::error
  load_record_totals(const std::function<void(const record_totals&)>& show) = 0;

  /// Submissions that came from `source` at or after a time, in the order of
  /// their ids: what tells a repetition from a new one.
  struct received_row {
    item_id id = 0;
    std::string user;
    std::string file_name;
    std::uint64_t size = 0;
    std::uint64_t digest = 0; ///< 0: not known
    micros received_us = 0;
  };
  virtual caf::error
  load_received(const std::string& source, micros since_us,
                const std::function<void(const received_row&)>& show) = 0;

  // -- read model

  virtual caf::expected<std::vector<submission_row>>
  submissions(const submission_query& query) = 0;

  /// Batches whose item lives, and their jobs whose item does.
  virtual caf::error
  load_batches(const std::function<void(const batch_row&)>& show) = 0;
  virtual caf::error
  load_jobs(const std::function<void(const job_row&)>& show) = 0;

  virtual caf::expected<std::vector<batch_row>>
  batches(const batch_query& query) = 0;
  virtual caf::expected<std::vector<job_row>> jobs(const job_query& query) = 0;

  /// With their bodies.
  virtual caf::expected<std::vector<record_row>>
  failed_records(const failed_query& query) = 0;

  /// Live items of a queue in order of priority and id, claimed ones included;
  /// of these users (all if empty).
  virtual caf::expected<std::vector<item_row>>
  items(const std::string& queue, std::uint32_t count_max,
        const std::vector<std::string>& users) = 0;

  /// One live item; `ec::not_found` if there is none.
  virtual caf::expected<item_row> item(item_id id) = 0;

  /// Pending (not claimed) items received in [from_us, to_us] of these users
  /// (all if empty) and queue (all if empty), that are parked or not as asked,
  /// by id: those after a given one, and not too many.
  struct range {
    std::string queue;
    std::vector<std::string> users;
    micros from_us = 0;
    micros to_us = 0;
    bool parked = false;
    item_id after = 0;
    std::uint32_t count_max = std::numeric_limits<std::uint32_t>::max();
  };
  struct range_item {
    item_id id = 0;
    std::string queue;
    std::string user;
  };
  virtual caf::expected<std::vector<range_item>>
  items_received(const range& where) = 0;

  /// Live items whose body is inside [group_first, group_last], oldest first.
  virtual caf::expected<std::vector<range_item>>
  items_placed(std::uint64_t group_first, std::uint64_t group_last,
               std::uint32_t count_max) = 0;

  /// Removes finished submissions older than this; returns how many.
  virtual caf::expected<std::uint64_t>
  forget_submissions(micros finished_before_us, std::uint32_t count_max) = 0;

  /// Removes these, those of them that have finished; returns how many.
  virtual caf::expected<std::uint64_t>
  forget_submissions(const std::vector<item_id>& ids) = 0;

  /// What was applied, and forgotten, survives a power cut when this returns.
  /// Before, the tables may be as they were after an earlier slice: the journal
  /// has the rest, as long as nothing of it is dropped.
  virtual caf::error flush() = 0;

  /// Consistent copy into the folder.
  virtual caf::error backup(const std::filesystem::path& folder) = 0;
};

} // namespace depositd
