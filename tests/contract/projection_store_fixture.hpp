#pragma once

// What tests of every projection store need.

#include "messages/ports/projection_store.hpp"
#include "tests/contract/projection_rows.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace depositd {

/// Makes empty stores and keeps what they need, such as a folder.
class projection_driver {
public:
  virtual ~projection_driver() = default;

  virtual std::unique_ptr<projection_store> open() = 0;
};

struct projection_candidate {
  std::string name;
  std::function<std::unique_ptr<projection_driver>()> make;
};

class projection_store_suite
  : public ::testing::TestWithParam<projection_candidate> {
protected:
  void SetUp() override {
    driver = GetParam().make();
    store = driver->open();
    ASSERT_NE(store, nullptr);
  }

  /// A slice of one event that follows what is reached.
  slice next_slice() {
    slice out;
    out.from = store->reached();
    out.last = out.from + 1;
    return out;
  }

  /// And keeps it.
  std::vector<body_location> apply(const slice& x) {
    const auto done = store->apply(x);
    EXPECT_TRUE(done) << render(done.error());
    const auto failed = store->commit();
    EXPECT_FALSE(failed) << render(failed);
    return done ? done->freed : std::vector<body_location>{};
  }

  void put(const std::vector<item_row>& rows) {
    auto x = next_slice();
    x.items_put = rows;
    apply(x);
  }

  void put(const std::vector<submission_row>& rows) {
    auto x = next_slice();
    x.submissions_put = rows;
    apply(x);
  }

  void put_work(const std::vector<batch_row>& batches,
                const std::vector<job_row>& jobs = {}) {
    auto x = next_slice();
    x.batches_put = batches;
    x.jobs_put = jobs;
    apply(x);
  }

  void change_work(const std::vector<batch_change>& batches,
                   const std::vector<job_change>& jobs = {}) {
    auto x = next_slice();
    x.batches_changed = batches;
    x.jobs_changed = jobs;
    apply(x);
  }

  void change(const submission_change& what) {
    auto x = next_slice();
    x.submissions_changed = {what};
    apply(x);
  }

  std::vector<body_location> change(const item_change& what) {
    auto x = next_slice();
    x.items_changed = {what};
    return apply(x);
  }

  item_row item(item_id id) {
    const auto found = store->item(id);
    EXPECT_TRUE(found) << render(found.error());
    return found ? *found : item_row{};
  }

  std::vector<submission_row> find(const submission_query& query) {
    const auto found = store->submissions(query);
    EXPECT_TRUE(found) << render(found.error());
    return found ? *found : std::vector<submission_row>{};
  }

  /// Numbers of the batches, or jobs, that are found.
  std::vector<item_id> batches(const batch_query& query) {
    const auto found = store->batches(query);
    EXPECT_TRUE(found) << render(found.error());
    return found ? ids_of(*found) : std::vector<item_id>{};
  }

  std::vector<item_id> jobs(const job_query& query) {
    const auto found = store->jobs(query);
    EXPECT_TRUE(found) << render(found.error());
    return found ? ids_of(*found) : std::vector<item_id>{};
  }

  batch_row batch(item_id id) {
    const auto found = store->batches({.id = id});
    EXPECT_TRUE(found) << render(found.error());
    return found && !found->empty() ? found->front() : batch_row{};
  }

  job_row job(item_id id) {
    const auto found = store->jobs({.id = id});
    EXPECT_TRUE(found) << render(found.error());
    return found && !found->empty() ? found->front() : job_row{};
  }

  template <class Rows>
  static std::vector<item_id> ids_of(const Rows& rows) {
    std::vector<item_id> out;
    for (const auto& x : rows)
      out.push_back(x.id);
    return out;
  }

  std::vector<item_id> ids(const submission_query& query) {
    return ids_of(find(query));
  }

  std::vector<item_id> received(const projection_store::range& where) {
    const auto found = store->items_received(where);
    EXPECT_TRUE(found) << render(found.error());
    return found ? ids_of(*found) : std::vector<item_id>{};
  }

  using ids_list = std::vector<item_id>;

  std::unique_ptr<projection_driver> driver;
  std::unique_ptr<projection_store> store;
};

} // namespace depositd
