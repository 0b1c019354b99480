#pragma once

// A projection in a file, and all that is in it.

#include "adapters/stores/sqlite/sqlite_projection_store.hpp"
#include "tests/adapters/stores/sqlite/database_files.hpp"
#include "tests/contract/projection_rows.hpp"

#include <memory>
#include <vector>

namespace depositd {

class projection_fixture : public ::testing::Test {
protected:
  /// Everything that a store says of itself.
  struct everything {
    sequence reached = 0;
    item_id id_max = 0;
    std::vector<item_row> items;
    std::vector<ring_row> rings;
    std::vector<control_row> controls;
    std::vector<submission_row> submissions;
    std::vector<batch_row> batches;
    std::vector<job_row> jobs;
    std::vector<item_id> live; ///< batches, then jobs
    std::vector<record_row> records;
    std::vector<record_totals> totals;

    friend bool operator==(const everything&, const everything&) = default;
  };

  void SetUp() override {
    open(folder_.path() / "projection.db");
  }

  /// Items are rows of their own, however many come at once.
  static constexpr page_sizes one_by_one{.items_min = 1'000'000};

  void open(const std::filesystem::path& path,
            const sqlite_projection_options& options = {.pages = one_by_one}) {
    path_ = path;
    auto opened = open_sqlite_projection(path, options);
    ASSERT_TRUE(opened) << render(opened.error());
    store = std::move(*opened);
  }

  void close() {
    store.reset();
  }

  void reopen() {
    close();
    open(path_);
  }

  const std::filesystem::path& path() const {
    return path_;
  }

  slice next_slice() {
    slice out;
    out.from = store->reached();
    out.last = out.from + 1;
    return out;
  }

  /// And keeps it.
  void apply(const slice& x) {
    apply_for_now(x);
    const auto failed = store->commit();
    ASSERT_FALSE(failed) << render(failed);
  }

  void apply_for_now(const slice& x) {
    const auto done = store->apply(x);
    ASSERT_TRUE(done) << render(done.error());
  }

  /// Three slices with something in every table; 60 items are left.
  void fill() {
    auto x = next_slice();
    x.id_max = 64;
    for (item_id id = 1; id <= 64; ++id)
      x.items_put.push_back(an_item(id, id % 3 == 0 ? "bob" : "ann"));
    for (item_id id = 1; id <= 10; ++id) {
      x.submissions_put.push_back(a_submission(id));
      const auto name = std::to_string(id);
      x.rings.push_back(
        {.queue = "metadata", .user = "user" + name, .stamp = id});
      x.controls.push_back({.kind = 9, .key = name, .value = "of " + name});
    }
    apply(x);
    x = next_slice();
    x.items_gone = {61, 62, 63, 64};
    x.items_changed = {{.id = 2,
                        .state = item_state::claimed,
                        .attempt = 1,
                        .token = 8,
                        .processor = "sp",
                        .has_claim_state = true}};
    x.rings = {{.queue = "metadata",
                .user = "user1",
                .stamp = 99,
                .spent = 4000,
                .floor = 3000,
                .since = 2,
                .has_spent = true}};
    apply(x);
    x = next_slice();
    x.submissions_changed = {{.id = 1,
                              .has_finished = true,
                              .finished_us = 7,
                              .batch_id = "b",
                              .document = "<document/>"}};
    x.controls = {{.kind = 9, .key = "1", .value = "again"}};
    for (item_id id = 80; id < 90; ++id)
      x.records_put.push_back(a_record("k" + std::to_string(id), id));
    x.records_ended = {{.source = "a", .made_us = 7, .begins = true}};
    for (item_id id = 70; id < 80; ++id) {
      x.batches_put.push_back(id % 2 == 0 ? a_batch(id) : ended(a_batch(id)));
      x.jobs_put.push_back(a_job(id + 100, id));
      x.jobs_put.push_back(ended(a_job(id + 200, id)));
    }
    apply(x);
  }

  /// Reads all there is; the first error ends it.
  static caf::error read_all(projection_store& from, everything& out) {
    out.reached = from.reached();
    out.id_max = from.id_max();
    const auto keep = [](auto& rows) {
      return [&rows](const auto& row) { rows.push_back(row); };
    };
    if (auto error = from.load_items(keep(out.items)))
      return error;
    if (auto error = from.load_rings(keep(out.rings)))
      return error;
    if (auto error = from.load_controls(keep(out.controls)))
      return error;
    if (auto error = from.load_records(keep(out.records)))
      return error;
    if (auto error = from.load_record_totals(keep(out.totals)))
      return error;
    auto submissions = from.submissions({.count_max = 1000});
    if (!submissions)
      return std::move(submissions.error());
    out.submissions = std::move(*submissions);
    auto batches = from.batches({.count_max = 1000});
    if (!batches)
      return std::move(batches.error());
    out.batches = std::move(*batches);
    auto jobs = from.jobs({.count_max = 1000});
    if (!jobs)
      return std::move(jobs.error());
    out.jobs = std::move(*jobs);
    const auto lives = [&](const auto& row) { out.live.push_back(row.id); };
    if (auto error = from.load_batches(lives))
      return error;
    return from.load_jobs(lives);
  }

  everything contents() {
    everything out;
    const auto error = read_all(*store, out);
    EXPECT_FALSE(error) << render(error);
    return out;
  }

  std::unique_ptr<projection_store> store;

private:
  temporary_folder folder_;
  std::filesystem::path path_;
};

} // namespace depositd
