#include "actors/rules/fold/slice_fold.hpp"

#include "tests/actors/rules/fold/projection_tables.hpp"
#include "tests/actors/rules/fold/random_journal.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>
#include <vector>

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

/// As a store answers.
std::vector<submission_row> read(const projection_tables& from,
                                 const submission_query& x) {
  std::vector<submission_row> out;
  for (const auto& [id, row] : from.submissions) {
    if ((x.id != 0 && id != x.id) || (!x.user.empty() && row.user != x.user)
        || (!x.file_name.empty() && row.submission.file_name != x.file_name)
        || (!x.batch_id.empty() && row.batch_id != x.batch_id))
      continue;
    out.push_back(row);
    if (!x.with_documents)
      out.back().document.clear();
    if (!x.newest_first)
      break;
  }
  if (out.size() > 1)
    out.erase(out.begin(), out.end() - 1);
  return out;
}

submission_query draw_poll(item_id id_max) {
  submission_query out;
  out.count_max = 1;
  out.newest_first = *rc::gen::arbitrary<bool>();
  out.with_documents = *rc::gen::arbitrary<bool>();
  out.user = *rc::gen::element<std::string>("A", "B", "C");
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      out.id = *rc::gen::inRange<item_id>(1, id_max + 2);
      if (*rc::gen::arbitrary<bool>())
        out.user.clear();
      break;
    case 1:
      out.file_name = *rc::gen::element<std::string>("f.xml", "f", "g");
      break;
    default:
      out.batch_id = std::string(*rc::gen::inRange<std::size_t>(1, 21), 'x');
  }
  return out;
}

RC_GTEST_PROP(slice_fold, answers_polls_as_the_tables_will, ()) {
  random_journal journal;
  rules::slice_fold all{0};
  rules::slice_fold fold{0};
  projection_tables before;
  projection_tables after;
  const auto count = *rc::gen::inRange(0, 120);
  for (int i = 0; i < count; ++i) {
    const auto x = journal.next();
    fold.add(x);
    all.add(x);
    after.apply(all.take());
    RC_ASSERT(fold.reached() == after.reached);
    const auto poll = draw_poll(after.id_max);
    RC_ASSERT(rules::asks_for_one(poll));
    const auto answer = fold.answer(poll, read(before, poll));
    RC_ASSERT(answer || poll.file_name.empty());
    if (answer)
      RC_ASSERT(*answer == read(after, poll));
    if (*rc::gen::inRange(0, 16) == 0)
      before.apply(fold.take());
  }
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
