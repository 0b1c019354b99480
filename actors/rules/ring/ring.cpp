#include "actors/rules/ring/state.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <utility>

namespace depositd::rules {

ring::state::state(priority_mode mode, std::uint32_t oldest_every)
  : bands(mode == priority_mode::across_users ? bands_max : 1),
    oldest_band_every(oldest_every), open_waiting(1), stirred(1, false) {
  main.emplace_back(bands);
}

ring::ring(priority_mode mode, std::uint32_t oldest_band_every)
  : state_(std::make_unique<state>(mode, oldest_band_every)) {}

ring::~ring() = default;
ring::ring(ring&&) noexcept = default;
ring& ring::operator=(ring&&) noexcept = default;

// -- coming and going ---------------------------------------------------------

ring_member& ring::state::member(member_number m) {
  assert(m < members.size() && members[m].present && "unknown user");
  return members[m];
}

void ring::join(member_number m, std::string name, const member_limits& limits,
                std::uint64_t stamp, std::uint32_t credit,
                std::uint64_t spent) {
  auto& s = *state_;
  if (m >= s.members.size()) {
    s.members.resize(m + 1);
    s.names.resize(m + 1);
  }
  assert(!s.members[m].present && "one number, one user");
  ring_member fresh;
  fresh.present = true;
  fresh.stamp = stamp;
  fresh.allocation = limits.allocation;
  fresh.credit = std::min(credit, fresh.turn());
  fresh.concurrency = limits.concurrency;
  fresh.held = limits.held;
  fresh.prohibited = limits.prohibited;
  if (s.shared != fair_by::turns)
    fresh.spent = s.recovering ? spent : std::max(spent, s.cost_floor);
  s.names[m] = std::move(name);
  s.index.add(m);
  s.stamp_last = std::max(s.stamp_last, stamp);
  ++s.users;
  if (const auto at = s.mentions_of_name.find(s.names[m]);
      at != s.mentions_of_name.end()) {
    fresh.named = true;
    s.mentions[m] = at->second;
    for (const auto& x : at->second)
      if (x.slot == nobody)
        s.views[x.view]->excluded.insert(m);
      else
        s.views[x.view]->slot_members[x.slot] = m;
  }
  s.members[m] = fresh;
}

std::pair<std::uint64_t, std::uint32_t> ring::leave(member_number m) {
  auto& s = *state_;
  auto& x = s.member(m);
  const std::pair out{x.stamp, x.credit};
  s.clear_ready(m);
  s.clear_reserved(m);
  s.in_flight -= x.in_flight;
  x.in_flight = 0;
  s.sync(m);
  if (x.named) {
    for (const auto& mentioned : s.mentions[m])
      if (mentioned.slot == nobody)
        s.views[mentioned.view]->excluded.erase(m);
      else
        s.views[mentioned.view]->slot_members[mentioned.slot] = nobody;
    s.mentions.erase(m);
  }
  s.index.remove(m);
  s.names[m] = {};
  x = {};
  --s.users;
  return out;
}

void ring::set_limits(member_number m, const member_limits& limits) {
  auto& x = state_->member(m);
  const auto before = x.turn();
  x.allocation = limits.allocation;
  x.concurrency = limits.concurrency;
  x.held = limits.held;
  x.prohibited = limits.prohibited;
  // A larger allocation counts in the turn that is running; a smaller one
  // takes away what is too much.
  if (x.turn() > before)
    x.credit += x.turn() - before;
  else
    x.credit = std::min(x.credit, x.turn());
  state_->sync(m);
}

// -- what users' actors tell --------------------------------------------------

void ring::state::add_ready(member_number m, const ready_change& change) {
  const auto cls = clamp_class(change.cls);
  const auto cell = need_cell(m, change.band);
  cells.set_ready(cell, cls, cells.ready(cell, cls) + change.delta);
  ready += change.delta;
}

void ring::state::clear_ready(member_number m) {
  for (auto cell = members[m].first_cell; cell != nobody;
       cell = cells.next_of_member(cell))
    for (size_class cls = 0; cls < cells.classes(); ++cls) {
      ready -= cells.ready(cell, cls);
      cells.set_ready(cell, cls, 0);
    }
}

void ring::state::clear_reserved(member_number m) {
  for (auto cell = members[m].first_cell; cell != nobody;
       cell = cells.next_of_member(cell))
    for (size_class cls = 0; cls < cells.classes(); ++cls)
      reserved -= std::exchange(cells.reserved(cell, cls), 0);
}

void ring::state::release_reserved(member_number m, std::uint8_t band,
                                   size_class cls) {
  const auto cell = cell_of(m, band);
  assert(cell != nobody && "picks are given back once");
  if (cell == nobody)
    return;
  // Numbers of classes only ever rise, and a pick keeps the one that it was
  // made under: its count is at that number or above.
  for (auto i = cls; i < cells.classes(); ++i)
    if (auto& count = cells.reserved(cell, i); count > 0) {
      --count;
      --reserved;
      return;
    }
  assert(false && "picks are given back once");
}

void ring::state::change_in_flight(member_number m, std::int32_t delta) {
  auto& x = member(m);
  assert((delta >= 0 || x.in_flight >= static_cast<std::uint32_t>(-delta))
         && "claims end once");
  const auto after =
    std::max<std::int64_t>(std::int64_t{x.in_flight} + delta, 0);
  in_flight += static_cast<std::uint64_t>(after - x.in_flight);
  x.in_flight = static_cast<std::uint32_t>(after);
}

void ring::report(member_number m, const news& what) {
  auto& s = *state_;
  auto& x = s.member(m);
  auto items = what.answered.empty() ? std::abs(what.claims_ended) : 0;
  for (const auto& picks : what.answered) {
    items += picks.delta;
    for (std::int32_t i = 0; i < picks.delta; ++i)
      s.release_reserved(m, picks.band, picks.cls);
    x.restored = false;
  }
  if (what.charged != 0 || what.cost != 0)
    s.settle_cost(m, what.charged, what.cost, std::max(items, 1));
  if (what.cost_each != 0 && s.shared != fair_by::turns)
    x.cost_mean = what.cost_each;
  if (what.claims_ended != 0)
    s.change_in_flight(m, -what.claims_ended);
  if (what.all)
    s.clear_ready(m);
  for (const auto& change : what.ready)
    s.add_ready(m, change);
  s.sync(m);
}

void ring::change_ready(member_number m, const ready_change& change) {
  report(m, {.ready = {&change, 1}});
}

void ring::change_in_flight(member_number m, std::int32_t delta) {
  report(m, {.claims_ended = -delta});
}

void ring::insert_class(size_class at) {
  auto& s = *state_;
  assert(at < s.cells.classes() && "the last class is that of no limit");
  s.cells.insert_class(at);
  s.main.emplace(s.main.begin() + at, s.bands);
  s.open_waiting.emplace(s.open_waiting.begin() + at);
  s.stirred.insert(s.stirred.begin() + at, false);
  // Nothing is known to be of the new class, so its lists hold whom those of
  // the class below hold.
  if (at > 0)
    for (std::uint32_t band = 0; band < s.bands; ++band)
      for (const auto cell : s.main[at - 1].bands[band].all(
             s.cells.links(static_cast<size_class>(at - 1))))
        s.main[at].push_back(s.cells.links(at), s.cells.band(cell), cell,
                             s.spent(s.cells.member(cell)));
  for (member_number m = 0; m < s.members.size(); ++m)
    for (auto cell = s.members[m].first_cell; cell != nobody;
         cell = s.cells.next_of_member(cell))
      s.cells.show(cell, s.cells.available(cell));
  s.interned.clear();
  for (view_number i = 0; i < s.views.size(); ++i)
    if (auto* view = s.views[i].get()) {
      if (view->key.class_max >= at)
        ++view->key.class_max;
      s.interned.emplace(view->key, i);
    }
}

void ring::settle_order() {
  auto& s = *state_;
  s.recovering = false;
  std::vector<member_number> linked;
  for (member_number m = 0; m < s.members.size(); ++m)
    if (s.members[m].servable)
      linked.push_back(m);
  s.sort_by_stamp(linked);
  s.settle_floor();
  for (auto m : linked) {
    if (s.members[m].stamp == 0)
      s.members[m].stamp = ++s.stamp_last;
    s.move_to(state::end::tail, m);
  }
}

void ring::raise_stamp(std::uint64_t stamp) {
  state_->stamp_last = std::max(state_->stamp_last, stamp);
}

} // namespace depositd::rules
