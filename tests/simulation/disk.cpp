#include "tests/simulation/disk.hpp"

#include "messages/values/codec.hpp"
#include "messages/values/operations.hpp"
#include "tests/simulation/queues_of_lives.hpp"
#include "tests/simulation/tables.hpp"
#include "tests/support/passing_journal.hpp"

#include <algorithm>
#include <utility>

namespace depositd::simulation {

/// The store in memory, which forgets to fail.
class recorded_store final : public depositd::testing::passing_journal {
public:
  recorded_store(std::unique_ptr<journal_store> store, shard_disk& disk)
    : passing_journal(std::move(store)), disk_(disk) {
    // nop
  }

  caf::expected<std::uint64_t>
  append(std::string_view bytes, std::uint32_t events,
         const std::vector<watermark>& watermarks) override {
    if (hits(disk_.faults.lost_one_in))
      return failure("the append was lost");
    auto out = passing_journal::append(bytes, events, watermarks);
    if (!out)
      return out;
    disk_.record_group(store(), bytes, events, *out, watermarks);
    if (hits(disk_.faults.unknown_one_in))
      return failure("nobody knows what became of the append");
    return out;
  }
  caf::expected<std::string> read_body(const body_location& place) override {
    if (hits(disk_.faults.bad_read_one_in))
      return failure("the body could not be read");
    return passing_journal::read_body(place);
  }
  caf::error backup(const std::filesystem::path& folder) override {
    disk_.keep_copy(folder.parent_path());
    return {};
  }

private:
  bool hits(std::uint32_t one_in) {
    return one_in > 0 && disk_.around_.by->one_in(one_in);
  }

  caf::error failure(std::string why) {
    disk_.around_.told->add(disk_.around_.now_us(), fault{why});
    return caf::make_error(ec::store_failed, std::move(why));
  }

  shard_disk& disk_;
};

/// The tables as one engine sees them.
class fenced_tables final : public projection_store {
public:
  fenced_tables(shard_disk& disk, epoch_number epoch)
    : disk_(disk), store_(*disk.tables_), epoch_(epoch) {
    // nop
  }

  sequence reached() override {
    return store_.reached();
  }
  item_id id_max() override {
    return store_.id_max();
  }
  caf::expected<slice_applied> apply(const slice& x) override {
    if (epoch_ != disk_.epoch_)
      return a_later_epoch();
    const auto one_in = disk_.faults.slice_one_in;
    if (one_in > 0 && disk_.around_.by->one_in(one_in)) {
      if (disk_.around_.by->one_in(2))
        store_.roll_back();
      return caf::make_error(ec::store_failed, std::string{"the slice"});
    }
    return store_.apply(x);
  }
  caf::error commit() override {
    return store_.commit();
  }
  void roll_back() override {
    store_.roll_back();
  }
  caf::error
  load_items(const std::function<void(const item_row&)>& show) override {
    return store_.load_items(show);
  }
  caf::error
  load_rings(const std::function<void(const ring_row&)>& show) override {
    return store_.load_rings(show);
  }
  caf::error
  load_controls(const std::function<void(const control_row&)>& show) override {
    return store_.load_controls(show);
  }
  caf::error
  load_records(const std::function<void(const record_row&)>& show) override {
    return store_.load_records(show);
  }
  caf::error load_record_totals(
    const std::function<void(const record_totals&)>& show) override {
    return store_.load_record_totals(show);
  }
  caf::error
  load_received(const std::string& source, micros since_us,
                const std::function<void(const received_row&)>& show) override {
    return store_.load_received(source, since_us, show);
  }
  caf::expected<std::vector<submission_row>>
  submissions(const submission_query& query) override {
    return store_.submissions(query);
  }
  caf::error
  load_batches(const std::function<void(const batch_row&)>& show) override {
    return store_.load_batches(show);
  }
  caf::error
  load_jobs(const std::function<void(const job_row&)>& show) override {
    return store_.load_jobs(show);
  }
  caf::expected<std::vector<batch_row>>
  batches(const batch_query& query) override {
    return store_.batches(query);
  }
  caf::expected<std::vector<job_row>> jobs(const job_query& query) override {
    return store_.jobs(query);
  }
  caf::expected<std::vector<record_row>>
  failed_records(const failed_query& query) override {
    return store_.failed_records(query);
  }
  caf::expected<std::vector<item_row>>
  items(const std::string& queue, std::uint32_t count_max,
        const std::vector<std::string>& users) override {
    return store_.items(queue, count_max, users);
  }
  caf::expected<item_row> item(item_id id) override {
    return store_.item(id);
  }
  caf::expected<std::vector<range_item>>
  items_received(const range& where) override {
    return store_.items_received(where);
  }
  caf::expected<std::vector<range_item>>
  items_placed(std::uint64_t group_first, std::uint64_t group_last,
               std::uint32_t count_max) override {
    return store_.items_placed(group_first, group_last, count_max);
  }
  caf::expected<std::uint64_t>
  forget_submissions(micros finished_before_us,
                     std::uint32_t count_max) override {
    if (epoch_ != disk_.epoch_)
      return a_later_epoch();
    return store_.forget_submissions(finished_before_us, count_max);
  }
  caf::expected<std::uint64_t>
  forget_submissions(const std::vector<item_id>& ids) override {
    if (epoch_ != disk_.epoch_)
      return a_later_epoch();
    return store_.forget_submissions(ids);
  }
  caf::error flush() override {
    return store_.flush();
  }
  caf::error backup(const std::filesystem::path& folder) override {
    return store_.backup(folder);
  }

private:
  static caf::error a_later_epoch() {
    return caf::make_error(ec::fenced, std::string{"a later epoch"});
  }

  shard_disk& disk_;
  projection_store& store_;
  epoch_number epoch_;
};

shard_disk::shard_disk(shard_number shard, std::uint64_t segment_bytes,
                       surroundings around)
  : shard_(shard), around_(std::move(around)),
    log_(make_memory_journal({.segment_bytes = segment_bytes})),
    tables_(around_.folder.empty() ? make_empty_tables()
                                   : open_tables(around_.folder)) {
  // nop
}

std::unique_ptr<journal_store> shard_disk::open() {
  auto out = std::make_unique<recorded_store>(open_memory_journal(log_), *this);
  epoch_ = out->epoch();
  return out;
}

caf::expected<std::unique_ptr<journal_store>>
shard_disk::open(epoch_number epoch) {
  auto store = open_memory_journal(log_, epoch);
  if (!store)
    return std::move(store.error());
  return std::unique_ptr<journal_store>{
    std::make_unique<recorded_store>(std::move(*store), *this)};
}

void shard_disk::raise(epoch_number epoch) {
  raise_epoch(*log_, epoch);
  epoch_ = epoch;
}

std::unique_ptr<projection_store>
shard_disk::tables_of(const journal_store& by) {
  tables_->roll_back(); // whoever had them before is gone
  return std::make_unique<fenced_tables>(*this, by.epoch());
}

std::optional<to_publish> shard_disk::outcome_of(const std::string& user,
                                                 const event& x,
                                                 sequence seq) const {
  const auto of = [&](const auto* end) -> std::optional<to_publish> {
    if (end == nullptr || end->queue != "metadata")
      return std::nullopt;
    return to_publish{std::to_string(shard_) + ':' + std::to_string(seq) + ':'
                        + std::to_string(end->finished_us),
                      user, text_of_outcome(bodies_.at(end->id), end->how)};
  };
  auto out = of(std::get_if<item_finished>(&x));
  return out ? out : of(std::get_if<submission_ended>(&x));
}

/// As an item that came with the same body.
event shard_disk::told_copy(journal_store& by, const item_copied& x) {
  item_enqueued out;
  out.id = x.id;
  out.queue = x.queue;
  out.priority = x.priority;
  out.received_us = x.received_us;
  out.kind = x.kind;
  if (x.of != 0) {
    out.body = bodies_[x.of];
  } else {
    auto body = by.read_body(x.at);
    out.body = body ? std::move(*body) : render(body.error());
  }
  bodies_[x.id] = out.body;
  return event{std::move(out)};
}

void shard_disk::record_group(journal_store& by, std::string_view bytes,
                              std::uint32_t events, std::uint64_t group,
                              const std::vector<watermark>& watermarks) {
  auto& told = *around_.told;
  const auto at_us = around_.now_us();
  const auto last = by.last();
  auto seq = last - events;
  if (!around_.folder.empty())
    groups_.emplace_back(group, bytes);
  record_reader reader{bytes, group, bodies::copied};
  record x;
  while (!reader.at_end()) {
    if (auto damage = reader.next(x)) {
      told.add(at_us,
               left_over{"the journal cannot be read: " + render(damage)});
      return;
    }
    projection::apply_record(whole_, x);
    for (auto& e : x.events) {
      if (auto* item = std::get_if<item_enqueued>(&e)) {
        item->body = name_of_body(item->queue, item->body);
        bodies_[item->id] = item->body;
      } else if (const auto* copy = std::get_if<item_copied>(&e)) {
        e = told_copy(by, *copy);
      } else if (auto* moved = std::get_if<body_compacted>(&e)) {
        if (is_of_pipeline(moved->queue))
          bodies_[moved->id] = moved->body =
            name_of_body(moved->queue, moved->body);
        else
          moved->body.clear();
      }
      auto outcome = outcome_of(x.user, e, ++seq);
      told.add(at_us,
               journalled{shard_, by.epoch(), seq, x.user, std::move(e)});
      if (outcome)
        told.add(at_us, std::move(*outcome));
    }
  }
  told.add(at_us, group_written{shard_, by.epoch(), last, watermarks});
}

void shard_disk::look_at_recovery() {
  const auto by = open_memory_journal(log_, epoch_);
  if (epoch_ == 0 || !by)
    return; // nobody has ever had it
  auto& told = *around_.told;
  const auto at_us = around_.now_us();
  const auto before = std::exchange(faults, disk_faults{});
  auto found = projection::recover_state(**by, *tables_);
  if (found) {
    told.add(at_us, recovered{shard_, text_of(**found), text_of(whole_)});
    for (const auto& [user, ledgers] : (*found)->ledgers)
      for (const auto& [queue, ledger] : ledgers)
        for (const auto& x : ledger.items()) {
          auto body = (*by)->read_body(ledger.place(x.id));
          if (!body || name_of_body(queue, *body) != bodies_[x.id])
            told.add(at_us, body_missing{x.id});
        }
  } else {
    told.add(at_us, recovered{shard_, render(found.error()), "a start\n"});
  }
  faults = before;
}

// -- backups ------------------------------------------------------------------

void shard_disk::keep_copy(const std::filesystem::path& folder) {
  copies_[folder] = {folder, copy_memory_journal(*log_), bodies_,
                     groups_.size(), around_.told->entries.size()};
}

std::optional<disk_copy>
shard_disk::copy_in(const std::filesystem::path& folder) const {
  const auto at = copies_.find(folder);
  return at == copies_.end() ? std::nullopt : std::optional{at->second};
}

void shard_disk::go_back(disk_copy to) {
  log_ = std::move(to.log);
  epoch_ = open_memory_journal(log_)->epoch();
  tables_ = open_tables(to.folder);
  bodies_ = std::move(to.bodies);
  groups_.resize(to.groups);
  copies_.clear();
  whole_ = {};
  record x;
  for (const auto& [number, bytes] : groups_)
    for (record_reader reader{bytes, number, bodies::copied};
         !reader.at_end() && !reader.next(x);)
      projection::apply_record(whole_, x);
  whole_.id_max = std::max(whole_.id_max, tables_->id_max());
}

} // namespace depositd::simulation
