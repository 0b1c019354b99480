#pragma once

// A projection in tables of SQL: what is the same whatever database it is.

#include "adapters/stores/rows/item_table.hpp"
#include "adapters/stores/rows/keyed_table.hpp"
#include "adapters/stores/rows/record_table.hpp"
#include "adapters/stores/rows/submission_table.hpp"
#include "adapters/stores/rows/work_table.hpp"
#include "messages/ports/projection_store.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace depositd::rows {

/// `ec::invalid_argument` if the slice does not begin at what is reached.
inline caf::error follows(const slice& x, sequence reached) {
  if (x.from == reached && x.last >= x.from)
    return {};
  return caf::make_error(
    ec::invalid_argument,
    "a slice from " + std::to_string(x.from) + " to " + std::to_string(x.last)
      + " does not follow what is reached, " + std::to_string(reached));
}

/// The tables of a projection in a database. `Keyed` are the statements for
/// rows that are found by a key, `Work` those for batches and jobs, `Records`
/// those for records of sources.
template <class Database, class Items, template <class> class Keyed,
          class Documents, template <class> class Work, class Records>
struct projection_tables {
  explicit projection_tables(Database& in)
    : items(in), rings(in), ring_costs(in), controls(in), submissions(in),
      batches(in), jobs(in), records(in), totals(in) {
    // nop
  }

  Items items;
  keyed_table<Database, ring_row, Keyed<ring_row>> rings;
  keyed_table<Database, paid_row, Keyed<paid_row>> ring_costs;
  keyed_table<Database, control_row, Keyed<control_row>> controls;
  submission_table<Database, Documents> submissions;
  work_table<Database, batch_row, Work<batch_row>> batches;
  work_table<Database, job_row, Work<job_row>> jobs;
  record_table<Database, Records> records;
  keyed_table<Database, record_totals, Keyed<record_totals>> totals;
};

/// Brings what a slice says of rings into their two tables.
template <class Tables>
caf::error write_rings(Tables& to, const std::vector<ring_row>& all,
                       watermarks& now) {
  std::vector<paid_row> paid;
  for (const auto& x : all)
    if (x.has_spent || x.gone)
      paid.push_back({x.queue, x.user, x.spent, x.floor, x.since, x.gone});
  const auto only_paid = [](const ring_row& x) {
    return !x.has_turn && !x.gone;
  };
  caf::error failed;
  if (std::any_of(all.begin(), all.end(), only_paid)) {
    auto turns = all;
    std::erase_if(turns, only_paid);
    failed = to.rings.put(turns, now.rings);
  } else {
    failed = to.rings.put(all, now.rings);
  }
  if (failed || paid.empty())
    return failed;
  return to.ring_costs.put(paid, now.ring_costs);
}

/// Brings what a slice says of batches and jobs into the tables. A batch goes
/// with all its jobs.
template <class Tables>
caf::error write_work(Tables& to, const slice& x, watermarks& now) {
  if (auto error = to.batches.put(x.batches_put, now.batches))
    return error;
  if (auto error = to.batches.change(x.batches_changed, now.batches))
    return error;
  if (auto error = to.jobs.put(x.jobs_put, now.jobs))
    return error;
  if (auto error = to.jobs.change(x.jobs_changed, now.jobs))
    return error;
  if (auto error = to.jobs.drop(x.batches_gone, now.jobs))
    return error;
  return to.batches.drop(x.batches_gone, now.batches);
}

/// Adds what has ended to the totals of its sources. There are few of them.
template <class Tables>
caf::error write_totals(Tables& to, const slice& x, watermarks& now) {
  std::map<std::pair<std::string, micros>, record_totals> known;
  auto failed =
    to.totals.load(now.record_totals, [&](const record_totals& row) {
      known[{row.source, row.made_us}] = row;
    });
  if (failed)
    return failed;
  std::vector<record_totals> changed;
  for (const auto& gone : x.records_gone)
    for (auto at = known.begin(); gone.all && at != known.end();)
      if (at->first.first == gone.source && at->first.second <= gone.made_us) {
        at->second.gone = true;
        changed.push_back(at->second);
        at = known.erase(at);
      } else {
        ++at;
      }
  for (const auto& more : x.records_ended) {
    const auto at = known.find({more.source, more.made_us});
    if (at == known.end() && !more.begins)
      continue;
    auto sum =
      at == known.end() ? record_totals{more.source, more.made_us} : at->second;
    sum.finished += more.finished;
    sum.failed += more.failed;
    changed.push_back(std::move(sum));
  }
  return to.totals.put(changed, now.record_totals);
}

/// Brings what a slice says of records into the tables.
template <class Tables>
caf::error write_records(Tables& to, const slice& x, watermarks& now) {
  if (auto error = to.records.change(x.records_changed, now.records))
    return error;
  if (auto error = to.records.drop(x.records_gone, now.records))
    return error;
  if (auto error = to.records.put(x.records_put, now.records))
    return error;
  return x.records_ended.empty() && x.records_gone.empty()
           ? caf::error{}
           : write_totals(to, x, now);
}

/// Brings a slice into the tables, inside a transaction, and moves the marks.
template <class Tables>
caf::error write_slice(Tables& to, const slice& x, watermarks& now,
                       slice_applied& out) {
  now.reached = x.last;
  now.id_max = std::max(now.id_max, x.id_max);
  if (auto error = to.items.put(x.items_put, now.items))
    return error;
  if (auto error = to.items.change(x.items_changed, now.items, out.freed))
    return error;
  if (auto error = to.items.drop(x.items_gone, now.items, out.freed))
    return error;
  if (auto error = write_rings(to, x.rings, now))
    return error;
  if (auto error = to.controls.put(x.controls, now.controls))
    return error;
  if (auto error = to.submissions.put(x.submissions_put))
    return error;
  if (auto error = to.submissions.change(x.submissions_changed))
    return error;
  if (auto error = write_records(to, x, now))
    return error;
  return write_work(to, x, now);
}

/// The port on a database. Its `read`, `load` and `write` give tables to a
/// function and return what that does: `read` may do so twice, `load` once,
/// `write` in a transaction that may be repeated. It knows itself how to
/// `load_watermarks`, to `settle` where they are, to `apply` a slice that
/// follows them, to `commit` or to `roll_back` all of those, to `flush` and to
/// `backup`.
template <class Database>
class table_projection final : public projection_store {
public:
  explicit table_projection(Database database) : on_(std::move(database)) {
    // nop
  }

  table_projection(const table_projection&) = delete;
  table_projection& operator=(const table_projection&) = delete;

  /// What is not committed is in the journal.
  ~table_projection() override {
    std::ignore = on_.commit(watermarks_);
  }

  /// Before any other call.
  caf::error load_watermarks() {
    return on_.load_watermarks(watermarks_);
  }

  sequence reached() override {
    return watermarks_.reached;
  }

  item_id id_max() override {
    return watermarks_.id_max;
  }

  caf::expected<slice_applied> apply(const slice& x) override {
    if (auto error = on_.settle(watermarks_))
      return error;
    if (auto error = follows(x, watermarks_.reached))
      return error;
    return on_.apply(x, watermarks_);
  }

  caf::error commit() override {
    return on_.commit(watermarks_);
  }

  void roll_back() override {
    on_.roll_back(watermarks_);
  }

  caf::error
  load_items(const std::function<void(const item_row&)>& show) override {
    return load(
      [&](auto& from) { return from.items.load(watermarks_.items, show); });
  }

  caf::error
  load_rings(const std::function<void(const ring_row&)>& show) override {
    return load([&](auto& from) {
      if (auto error = from.rings.load(watermarks_.rings, show))
        return error;
      return from.ring_costs.load(watermarks_.ring_costs,
                                  [&](const paid_row& x) {
                                    ring_row out;
                                    out.queue = x.queue;
                                    out.user = x.user;
                                    out.spent = x.spent;
                                    out.floor = x.floor;
                                    out.since = x.since;
                                    out.has_turn = false;
                                    out.has_spent = true;
                                    show(out);
                                  });
    });
  }

  caf::error
  load_controls(const std::function<void(const control_row&)>& show) override {
    return load([&](auto& from) {
      return from.controls.load(watermarks_.controls, show);
    });
  }

  caf::error
  load_records(const std::function<void(const record_row&)>& show) override {
    return load(
      [&](auto& from) { return from.records.load(watermarks_.records, show); });
  }

  caf::error load_record_totals(
    const std::function<void(const record_totals&)>& show) override {
    return load([&](auto& from) {
      return from.totals.load(watermarks_.record_totals, show);
    });
  }

  caf::error
  load_received(const std::string& source, micros since_us,
                const std::function<void(const received_row&)>& show) override {
    received_row last;
    for (;;) {
      // Each page by itself: a connection that is lost repeats no more.
      const auto more = on_.read([&](auto& from) {
        return from.submissions.load_received(source, since_us, last, show);
      });
      if (!more)
        return more.error();
      if (!*more)
        return {};
    }
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query& query) override {
    return on_.read([&](auto& from) { return from.submissions.find(query); });
  }

  caf::error
  load_batches(const std::function<void(const batch_row&)>& show) override {
    return load(
      [&](auto& from) { return from.batches.load(watermarks_.batches, show); });
  }

  caf::error
  load_jobs(const std::function<void(const job_row&)>& show) override {
    return load(
      [&](auto& from) { return from.jobs.load(watermarks_.jobs, show); });
  }

  caf::expected<std::vector<batch_row>>
  batches(const batch_query& query) override {
    return on_.read([&](auto& from) { return from.batches.find(query); });
  }

  caf::expected<std::vector<job_row>> jobs(const job_query& query) override {
    return on_.read([&](auto& from) { return from.jobs.find(query); });
  }

  caf::expected<std::vector<record_row>>
  failed_records(const failed_query& query) override {
    return on_.read(
      [&](auto& from) { return from.records.find_failed(query); });
  }

  caf::expected<std::vector<item_row>>
  items(const std::string& queue, std::uint32_t count_max,
        const std::vector<std::string>& users) override {
    return on_.read(
      [&](auto& from) { return from.items.of_queue(queue, count_max, users); });
  }

  caf::expected<item_row> item(item_id id) override {
    auto found = on_.read([&](auto& from) { return from.items.of_id(id); });
    if (!found)
      return std::move(found.error());
    if (found->empty())
      return caf::make_error(ec::not_found, "no item " + std::to_string(id));
    return std::move(found->front());
  }

  caf::expected<std::vector<range_item>>
  items_received(const range& where) override {
    return on_.read([&](auto& from) { return from.items.received(where); });
  }

  caf::expected<std::vector<range_item>>
  items_placed(std::uint64_t group_first, std::uint64_t group_last,
               std::uint32_t count_max) override {
    return on_.read([&](auto& from) {
      return from.items.placed(group_first, group_last, count_max);
    });
  }

  caf::expected<std::uint64_t>
  forget_submissions(micros finished_before_us,
                     std::uint32_t count_max) override {
    return write([&](auto& to) {
      return to.submissions.forget(finished_before_us, count_max);
    });
  }

  caf::expected<std::uint64_t>
  forget_submissions(const std::vector<item_id>& ids) override {
    return write([&](auto& to) { return to.submissions.forget(ids); });
  }

  caf::error flush() override {
    auto failed = commit();
    return failed ? failed : on_.flush();
  }

  caf::error backup(const std::filesystem::path& folder) override {
    auto failed = commit();
    return failed ? failed : on_.backup(folder);
  }

private:
  /// What is loaded is compared with the marks.
  template <class Body>
  caf::error load(const Body& body) {
    if (auto error = on_.settle(watermarks_))
      return error;
    return on_.load(body);
  }

  template <class Body>
  caf::expected<std::uint64_t> write(const Body& body) {
    if (auto failed = commit())
      return failed;
    return on_.write(body);
  }

  Database on_;
  watermarks watermarks_;
};

} // namespace depositd::rows
