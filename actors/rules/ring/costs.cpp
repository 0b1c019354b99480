#include "actors/rules/ring/state.hpp"

#include <algorithm>
#include <limits>

namespace depositd::rules {

// Fair by cost: the ring is ordered by what each user has spent, divided by its
// allocation. Whoever has spent least is next; a pick adds what its item is
// thought to cost, and its end the difference. So two users who have work all
// the time are never further apart than one item of each.

namespace {

std::uint64_t parts_of(std::uint64_t cost, std::uint32_t weight) noexcept {
  constexpr auto most =
    std::numeric_limits<std::uint64_t>::max() / cost_unit / 1024;
  return std::min(cost, most) * cost_unit / std::max<std::uint32_t>(weight, 1);
}

std::uint64_t corrected(std::uint64_t spent, std::uint64_t charged,
                        std::uint64_t cost, std::uint32_t weight) noexcept {
  const auto more = parts_of(cost, weight);
  const auto less = parts_of(charged, weight);
  return more >= less ? spent + (more - less)
                      : spent - std::min(spent, less - more);
}

/// The mean of recent ones, each new one an eighth.
std::uint64_t blend(std::uint64_t mean, std::uint64_t cost) noexcept {
  return mean == 0 ? std::max<std::uint64_t>(cost, 1)
                   : std::max<std::uint64_t>(mean - mean / 8 + cost / 8, 1);
}

} // namespace

std::uint64_t spent_after(std::uint64_t before, const pick& x,
                          std::uint64_t cost) noexcept {
  return corrected(before, x.charge, cost, x.weight);
}

std::uint64_t ring::state::expected_cost(member_number m) const noexcept {
  const auto mean = members[m].cost_mean;
  return std::max<std::uint64_t>(mean != 0 ? mean : cost_mean, 1);
}

void ring::state::learn_cost(member_number m, std::uint64_t cost) {
  members[m].cost_mean = blend(members[m].cost_mean, cost);
  cost_mean = blend(cost_mean, cost);
}

void ring::state::settle_cost(member_number m, std::uint64_t charged,
                              std::uint64_t cost, std::int32_t items) {
  if (shared == fair_by::turns)
    return;
  if (items > 0)
    learn_cost(m, cost / static_cast<std::uint64_t>(items));
  if (cost == charged)
    return; // it stands where it belongs
  // Too much was charged: it comes back before those that spent as much.
  move_to(cost < charged ? end::head : end::tail, m,
          corrected(members[m].spent, charged, cost, members[m].turn()));
}

void ring::state::charge(pick& x) {
  x.weight = members[x.member].turn();
  x.charge = expected_cost(x.member);
  const auto parts = parts_of(x.charge, x.weight);
  auto spent = members[x.member].spent;
  // Those who are served because they are asked for must not be behind all
  // others for long afterwards.
  if (x.by == pick_kind::round_robin)
    cost_floor = std::max(cost_floor, spent);
  else
    spent = std::min(spent, cost_floor + parts);
  x.spent = spent + parts;
  move_to(end::tail, x.member, x.spent);
}

void ring::state::settle_floor() {
  if (shared == fair_by::turns)
    return;
  constexpr auto nobody_yet = std::numeric_limits<std::uint64_t>::max();
  auto least = nobody_yet;
  for (member_number m = 0; m < members.size(); ++m) {
    if (members[m].present && members[m].spent < cost_floor)
      move_to(end::tail, m, cost_floor);
    if (members[m].servable)
      least = std::min(least, members[m].spent);
  }
  if (least != nobody_yet)
    cost_floor = least;
}

void ring::set_fair_by(fair_by what) {
  auto& s = *state_;
  if (s.shared == what)
    return;
  const auto flatten = [](band_lists& lists, std::uint8_t band, auto links) {
    const auto order = lists.bands[band].all(links);
    lists.bands[band] = {};
    for (const auto id : order)
      lists.push_back(links, band, id, 0);
  };
  for (std::uint8_t band = 0; band < s.bands; ++band) {
    for (size_class cls = 0; cls < s.cells.classes(); ++cls)
      flatten(s.main[cls], band, s.cells.links(cls));
    for (auto& view : s.views)
      if (view)
        flatten(view->lists, band, view->links_of(band));
  }
  s.shared = what;
  for (auto& x : s.members)
    x.spent = x.cost_mean = 0;
  s.cost_floor = 0;
  s.cost_mean = 0;
}

std::uint64_t ring::spent(member_number m) const noexcept {
  return state_->spent(m);
}

std::uint64_t ring::cost_floor() const noexcept {
  return state_->cost_floor;
}

void ring::raise_floor(std::uint64_t spent) {
  auto& s = *state_;
  if (s.shared != fair_by::turns)
    s.cost_floor = std::max(s.cost_floor, spent);
}

} // namespace depositd::rules
