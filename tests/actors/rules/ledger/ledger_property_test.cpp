#include "actors/rules/ledger/ledger.hpp"

#include "actors/rules/fold/slice_fold.hpp"
#include "messages/values/codec.hpp"
#include "tests/actors/rules/fold/projection_tables.hpp"
#include "tests/actors/rules/ledger/ledger_twins.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace depositd {
namespace {

using testing::between;
using testing::ledger_twins;
using testing::one_in;
using testing::projection_tables;

/// The log as a journal gives it back: places instead of bodies.
std::vector<record> read_back(const std::vector<record>& log) {
  std::vector<record> out;
  std::uint64_t group = 0;
  for (const auto& x : log) {
    std::string bytes;
    std::vector<body_slot> slots;
    encode(x, bytes, slots);
    record_reader reader{bytes, ++group, bodies::skipped};
    RC_ASSERT(!reader.next(out.emplace_back()));
  }
  return out;
}

void apply_from(rules::ledger& books, const std::vector<record>& log,
                std::size_t first) {
  for (auto i = first; i < log.size(); ++i)
    for (const auto& e : log[i].events)
      books.apply(e);
}

/// The tables after the first `count` records, in slices of any length.
projection_tables projected(const std::vector<record>& log, std::size_t count) {
  projection_tables out;
  rules::slice_fold fold{0};
  for (std::size_t i = 0; i < count; ++i) {
    fold.add(log[i]);
    if (one_in(4))
      out.apply(fold.take());
  }
  out.apply(fold.take());
  return out;
}

std::map<item_id, body_location> places_in(const std::vector<record>& log) {
  std::map<item_id, body_location> out;
  for (const auto& x : log)
    for (const auto& e : x.events)
      if (const auto* y = std::get_if<item_enqueued>(&e))
        out[y->id] = y->place;
  return out;
}

RC_GTEST_PROP(ledger, does_what_its_model_does, ()) {
  ledger_twins both;
  const auto steps = between(0, 120);
  for (int i = 0; i < steps; ++i) {
    both.step();
    both.check();
  }
}

// I-17: the same state from the log alone, and from tables and the rest.
RC_GTEST_PROP(ledger, recovers_to_the_same_state_from_any_cut, ()) {
  ledger_twins both;
  const auto steps = between(0, 200);
  for (int i = 0; i < steps; ++i)
    both.step();
  const auto log = read_back(both.log());

  auto replayed = both.empty();
  apply_from(replayed, log, 0);

  auto restored = both.empty();
  const auto cut = between<std::size_t>(0, log.size());
  const auto tables = projected(log, cut);
  for (const auto& [id, row] : tables.items)
    restored.restore(row);
  apply_from(restored, log, cut);

  // Waking is no event: it follows from the time.
  auto& live = both.live();
  for (auto* x : {&replayed, &restored, &live})
    x->wake(both.now());
  const auto body_locations = places_in(log);
  for (auto* x : {&replayed, &restored}) {
    RC_ASSERT(x->items() == live.items());
    RC_ASSERT(x->next_due() == live.next_due());
    RC_ASSERT(x->ready_counts() == live.ready_counts());
    RC_ASSERT(x->pending() == live.pending());
    for (const auto& y : live.items())
      RC_ASSERT(x->place(y.id) == body_locations.at(y.id));
  }
}

} // namespace
} // namespace depositd
