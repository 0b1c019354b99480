#include "actors/rules/fold/slice_fold.hpp"

#include "tests/actors/rules/fold/projection_tables.hpp"
#include "tests/actors/rules/fold/random_journal.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace depositd {
namespace {

using testing::projection_tables;
using testing::random_journal;

/// Rows say when a parked item would have been due; nobody asks.
void forget_what_means_nothing(projection_tables& x) {
  for (auto& [id, row] : x.items)
    if (row.state != item_state::delayed)
      row.available_us = never;
}

RC_GTEST_PROP(slice_fold, is_the_same_wherever_the_journal_is_cut, ()) {
  random_journal journal;
  rules::slice_fold one_by_one{0};
  rules::slice_fold in_one{0};
  rules::slice_fold cut{0};
  projection_tables small;
  projection_tables large;
  projection_tables some;
  const auto count = *rc::gen::inRange(0, 120);
  for (int i = 0; i < count; ++i) {
    const auto x = journal.next();
    one_by_one.add(x);
    small.apply(one_by_one.take());
    in_one.add(x);
    cut.add(x);
    if (*rc::gen::inRange(0, 8) == 0)
      some.apply(cut.take());
  }
  large.apply(in_one.take());
  some.apply(cut.take());
  for (auto* x : {&small, &large, &some})
    forget_what_means_nothing(*x);
  RC_ASSERT(large == small);
  RC_ASSERT(some == small);
}

RC_GTEST_PROP(slice_fold, names_an_item_at_most_once, ()) {
  random_journal journal;
  rules::slice_fold fold{0};
  const auto count = *rc::gen::inRange(0, 120);
  for (int i = 0; i < count; ++i) {
    fold.add(journal.next());
    if (*rc::gen::inRange(0, 30) != 0)
      continue;
    const auto x = fold.take();
    std::set<item_id> seen;
    std::set<item_id> submissions;
    for (const auto& row : x.items_put)
      RC_ASSERT(seen.insert(row.id).second);
    for (const auto& row : x.items_changed)
      RC_ASSERT(seen.insert(row.id).second);
    for (const auto id : x.items_gone)
      RC_ASSERT(seen.insert(id).second);
    for (const auto& row : x.submissions_put)
      RC_ASSERT(submissions.insert(row.id).second);
    for (const auto& row : x.submissions_changed)
      RC_ASSERT(submissions.insert(row.id).second);
  }
}

} // namespace
} // namespace depositd
