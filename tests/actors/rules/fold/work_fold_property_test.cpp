#include "actors/rules/fold/slice_fold.hpp"

#include "tests/actors/rules/fold/projection_tables.hpp"
#include "tests/actors/rules/fold/random_work.hpp"
#include "tests/support/journal_cuts.hpp"
#include "tests/support/memory_tables.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace depositd {
namespace {

using testing::projection_tables;
using testing::random_work;

/// A fold, and the tables that its slices go to.
struct projected {
  rules::slice_fold fold{0};
  projection_tables tables;
  std::unique_ptr<projection_store> store = make_memory_projection();

  projected() {
    for (const auto* queue : {"p.batch", "p.1", "p.2", "p.3"})
      fold.without_submissions(queue);
  }

  void take() {
    const auto x = fold.take();
    RC_ASSERT(x.submissions_changed.empty());
    tables.apply(x);
    const auto done = store->apply(x);
    RC_ASSERT(static_cast<bool>(done));
  }
};

template <class Row>
std::map<item_id, Row> by_id(const std::vector<Row>& rows) {
  std::map<item_id, Row> out;
  for (const auto& x : rows)
    out.emplace(x.id, x);
  return out;
}

/// The store holds what the maps do, and its sums are right.
void expect_same(projected& x) {
  const auto batches = x.store->batches({.count_max = 10'000});
  RC_ASSERT(static_cast<bool>(batches));
  RC_ASSERT(by_id(*batches) == x.tables.batches);
  const auto jobs = x.store->jobs({.count_max = 10'000});
  RC_ASSERT(static_cast<bool>(jobs));
  RC_ASSERT(by_id(*jobs) == x.tables.jobs);
  std::map<item_id, item_row> items;
  const auto keep = [&](const item_row& row) { items[row.id] = row; };
  RC_ASSERT(!x.store->load_items(keep));
  RC_ASSERT(items == x.tables.items);
  // Whatever is loaded has an item in the same queue, and the other way round.
  std::size_t live = 0;
  const auto has_item = [&](const auto& row) {
    ++live;
    const auto at = items.find(row.id);
    RC_ASSERT(at != items.end());
    RC_ASSERT(at->second.queue == row.queue);
  };
  RC_ASSERT(!x.store->load_batches(has_item));
  RC_ASSERT(!x.store->load_jobs(has_item));
  RC_ASSERT(live == items.size());
}

RC_GTEST_PROP(work_slices, are_the_same_wherever_the_journal_is_cut, ()) {
  testing::compare_cuts<random_work, projected>(
    80, [](auto& x) { expect_same(x); });
}

} // namespace
} // namespace depositd
