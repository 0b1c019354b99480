#pragma once

// A journal that is folded into tables in slices: wherever it is cut, the
// tables must be the same.

#include <rapidcheck.h>

namespace depositd::testing {

/// `Journal` makes the next record; `Projected` has a fold, tables, and puts
/// what was folded into them. `check` looks at each of three ways to cut, of
/// fewer than `records_end` records. Inside a property.
template <class Journal, class Projected, class Check>
void compare_cuts(int records_end, Check check) {
  Journal journal;
  Projected one_by_one;
  Projected in_one;
  Projected some;
  const auto count = *rc::gen::inRange(0, records_end);
  for (int i = 0; i < count; ++i) {
    const auto x = journal.next();
    for (auto* to : {&one_by_one, &in_one, &some})
      to->fold.add(x);
    one_by_one.take();
    if (*rc::gen::inRange(0, 8) == 0)
      some.take();
  }
  in_one.take();
  some.take();
  RC_ASSERT(in_one.tables == one_by_one.tables);
  RC_ASSERT(some.tables == one_by_one.tables);
  for (auto* x : {&one_by_one, &in_one, &some})
    check(*x);
}

} // namespace depositd::testing
