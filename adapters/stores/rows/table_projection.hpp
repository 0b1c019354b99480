#pragma once

// A projection in tables of SQL: what is the same whatever database it is.

#include "adapters/stores/rows/item_table.hpp"
#include "adapters/stores/rows/keyed_table.hpp"
#include "adapters/stores/rows/submission_table.hpp"
#include "adapters/stores/rows/work_table.hpp"
#include "messages/ports/projection_store.hpp"

#include <algorithm>
#include <utility>

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
/// rows that are found by a key, `Work` those for batches and jobs.
template <class Database, class Items, template <class> class Keyed,
          class Documents, template <class> class Work>
struct projection_tables {
  explicit projection_tables(Database& in)
    : items(in), rings(in), controls(in), submissions(in), batches(in),
      jobs(in) {
    // nop
  }

  Items items;
  keyed_table<Database, ring_row, Keyed<ring_row>> rings;
  keyed_table<Database, control_row, Keyed<control_row>> controls;
  submission_table<Database, Documents> submissions;
  work_table<Database, batch_row, Work<batch_row>> batches;
  work_table<Database, job_row, Work<job_row>> jobs;
};

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
  if (auto error = to.rings.put(x.rings, now.rings))
    return error;
  if (auto error = to.controls.put(x.controls, now.controls))
    return error;
  if (auto error = to.submissions.put(x.submissions_put))
    return error;
  if (auto error = to.submissions.change(x.submissions_changed))
    return error;
  return write_work(to, x, now);
}

/// The port on a database. Its `read`, `load` and `write` give tables to a
/// function and return what that does: `read` may do so twice, `load` once,
/// `write` in a transaction that may be repeated. It knows itself how to
/// `load_watermarks`, to `apply` a slice that follows them, and to `backup`.
template <class Database>
class table_projection final : public projection_store {
public:
  explicit table_projection(Database database) : on_(std::move(database)) {
    // nop
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
    if (auto error = follows(x, watermarks_.reached))
      return error;
    return on_.apply(x, watermarks_);
  }

  caf::error
  load_items(const std::function<void(const item_row&)>& show) override {
    return on_.load(
      [&](auto& from) { return from.items.load(watermarks_.items, show); });
  }

  caf::error
  load_rings(const std::function<void(const ring_row&)>& show) override {
    return on_.load(
      [&](auto& from) { return from.rings.load(watermarks_.rings, show); });
  }

  caf::error
  load_controls(const std::function<void(const control_row&)>& show) override {
    return on_.load([&](auto& from) {
      return from.controls.load(watermarks_.controls, show);
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
    return on_.load(
      [&](auto& from) { return from.batches.load(watermarks_.batches, show); });
  }

  caf::error
  load_jobs(const std::function<void(const job_row&)>& show) override {
    return on_.load(
      [&](auto& from) { return from.jobs.load(watermarks_.jobs, show); });
  }

  caf::expected<std::vector<batch_row>>
  batches(const batch_query& query) override {
    return on_.read([&](auto& from) { return from.batches.find(query); });
  }

  caf::expected<std::vector<job_row>> jobs(const job_query& query) override {
    return on_.read([&](auto& from) { return from.jobs.find(query); });
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
    return on_.write([&](auto& to) {
      return to.submissions.forget(finished_before_us, count_max);
    });
  }

  caf::error backup(const std::filesystem::path& folder) override {
    return on_.backup(folder);
  }

private:
  Database on_;
  watermarks watermarks_;
};

} // namespace depositd::rows
