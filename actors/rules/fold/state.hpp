#pragma once

// What a fold remembers, for the sources of the fold alone.

#include "actors/rules/fold/slice_fold.hpp"
#include "messages/values/rows.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace depositd::rules {

/// Rows of one kind, given out by index; rows taken back are used again with
/// the memory of their strings.
template <class Row>
class row_pool {
public:
  std::uint32_t add() {
    if (!spare_.empty()) {
      const auto out = spare_.back();
      spare_.pop_back();
      return out;
    }
    rows_.emplace_back();
    return static_cast<std::uint32_t>(rows_.size() - 1);
  }

  std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(rows_.size());
  }

  Row& operator[](std::uint32_t index) {
    return rows_[index];
  }

  const Row& operator[](std::uint32_t index) const {
    return rows_[index];
  }

  /// A row without an id does not exist.
  void remove(std::uint32_t index) {
    rows_[index].id = 0;
    spare_.push_back(index);
  }

  /// All rows by id; the pool is empty afterwards.
  std::vector<Row> take();

private:
  std::vector<Row> rows_;
  std::vector<std::uint32_t> spare_;
};

/// `item_row` and `item_change` name their changing part alike.
template <class Row>
void set_unclaimed(Row& row, item_state state, micros available_us) {
  row.state = state;
  row.available_us = available_us;
  row.token = 0;
  row.deadline_us = never;
  row.local = false;
  row.processor.clear();
}

struct slice_fold::state {
  static constexpr std::uint32_t none = 0xffff'ffff;

  /// Where the rows of an item are.
  struct entry {
    std::uint32_t put = none;            ///< enqueued in this slice
    std::uint32_t change = none;         ///< enqueued before it
    std::uint32_t submission_put = none; ///< received in this slice
    std::uint32_t submission_change = none;
  };

  struct text_hash {
    using is_transparent = void;

    std::size_t operator()(std::string_view x) const noexcept {
      return std::hash<std::string_view>{}(x);
    }
  };

  /// Submissions of this slice that have a row in it, by what pollers know.
  /// Made when somebody asks: most slices are over before.
  struct asked_index {
    struct ends {
      std::uint32_t first = none;
      std::uint32_t last = none;
    };
    using by_text =
      std::unordered_map<std::string, ends, text_hash, std::equal_to<>>;

    std::unordered_map<item_id, std::uint32_t> rows;
    by_text names;   ///< user and file name
    by_text batches; ///< user and batch
    std::unordered_map<item_id, std::uint32_t> changes;
    std::uint32_t rows_seen = 0;
    std::uint32_t changes_seen = 0;
    std::vector<std::uint32_t> finished; ///< rows that are not in `batches`
    /// In which submissions ended that the tables have.
    std::unordered_set<std::string> changed_batches;
    std::vector<std::uint32_t> changed; ///< changes that are not in there
  };

  void add(const item_enqueued& x);
  void add(const submission_received& x);
  void add(const item_claimed& x);
  void add(const claim_renewed& x);
  void add(const item_released& x);
  void add(const item_finished& x);
  void add(const item_parked& x);
  void add(const body_compacted& x);
  void add(const item_moved& x);
  void add(const item_copied& x);
  void add(const item_delayed& x);
  void add(const submission_recorded& x);
  void add(const submission_ended& x);
  void add(const batch_received& x);
  void add(const batch_moved& x);
  void add(const batch_counted& x);
  void add(const job_created& x);
  void add(const job_moved& x);
  void add(const batch_forgotten& x);
  void add(const record_taken& x);
  void add(const record_ended& x);
  void add(const record_refused& x);
  void add(const records_forgotten& x);
  /// The item of a job or a batch is somewhere else, or nowhere.
  void place_item(item_id id, const std::string& from, const item_place& x);
  void add_control(const event& x);
  void end_queue(const queue_retired& x);
  void add(const ring_paid& x);
  void add_ring(const item_claimed& x);
  /// Of the record's user.
  ring_row& ring_of(const std::string& queue);

  /// The live item's changing part as the event leaves it; a row of this slice
  /// and a change of an earlier one take it the same way.
  template <class Set>
  void set_claim_state(entry& at, item_id id, Set set);
  item_change& change_of(entry& at, item_id id);
  /// An item that comes, pending, with what its event says of it alike.
  template <class Event>
  item_row& add_row(const Event& x);

  void submission_started(entry& at, const item_claimed& x);
  void submission_returned(entry& at, const item_released& x);
  template <class Event>
  void submission_finished(entry& at, const Event& x);
  void submission_parked(entry& at, const item_parked& x);

  /// The row of this slice that answers, or null.
  const submission_row* asked_row(const submission_query& x) const;
  void index_asked();
  /// Whether what happens in this queue comes after the submission's end: its
  /// item has gone on, in this slice.
  bool is_over(const entry& at, const std::string& queue) const;
  /// The submission's change, or null if it has a row in this slice or none
  /// at all.
  submission_change* submission_change_of(entry& at, item_id id,
                                          const std::string& queue);

  /// What is found by its key in `record_puts`; uses `record_key`.
  std::string_view key_of_record(const std::string& source, micros made_us,
                                 std::string_view key);
  std::string_view key_of_refused(const std::string& source, micros made_us,
                                  std::uint64_t digest);
  record_row& put_record(std::string_view key);
  void forget_source(const records_forgotten& x);
  /// Where a failed record's body is, if that came in this slice.
  void keep_place(item_id id);
  void take_records(slice& to);

  sequence from = 0;
  /// Added so far: behind `from`, the number of the one that is being added.
  std::size_t events = 0;
  item_id id_max = 0;
  std::string user; ///< of the record being added
  std::unordered_map<item_id, entry> entries;
  row_pool<item_row> puts;
  row_pool<item_change> changes;
  std::vector<item_id> gone;
  row_pool<submission_row> submission_puts;
  row_pool<submission_change> submission_changes;
  asked_index asked;
  std::unordered_map<std::string, ring_row, text_hash, std::equal_to<>> rings;
  std::string ring_key;
  std::map<std::pair<std::uint8_t, std::string>, std::string> controls;
  std::unordered_set<std::string> bare_queues; ///< without submissions
  std::map<item_id, batch_row> batch_puts;
  std::map<item_id, batch_change> batch_changes;
  std::set<item_id> batches_gone;
  std::map<item_id, job_row> job_puts;
  std::map<item_id, job_change> job_changes;
  std::unordered_map<std::string, record_row, text_hash, std::equal_to<>>
    record_puts;
  std::string record_key;
  std::vector<record_change> record_changes;
  std::vector<records_removed> records_gone;
  std::map<std::pair<std::string, micros>, record_totals> records_ended;
  std::unordered_map<item_id, body_location> failed;
  std::unordered_map<item_id, body_location> failed_taken; ///< last time
  std::uint64_t failed_bytes = 0;
  std::uint64_t document_bytes = 0; ///< of outcomes
};

template <class Set>
void slice_fold::state::set_claim_state(entry& at, item_id id, Set set) {
  if (at.put != none) {
    set(puts[at.put]);
    return;
  }
  auto& row = change_of(at, id);
  set(row);
  row.has_claim_state = true;
  // The whole changing part is there: nothing of it needs saying twice.
  row.has_deadline = false;
  row.has_parked_state = false;
}

} // namespace depositd::rules
