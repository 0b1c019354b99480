#include "actors/rules/ring/state.hpp"

#include <algorithm>
#include <unordered_set>

namespace depositd::rules {

eligibility_report ring::describe(member_number m) const {
  const auto& s = *state_;
  eligibility_report out;
  if (m >= s.members.size() || !s.members[m].present)
    return out;
  const auto& x = s.members[m];
  std::int64_t ready = 0;
  for (auto cell = x.first_cell; cell != nobody;
       cell = s.cells.next_of_member(cell))
    for (size_class cls = 0; cls < s.cells.classes(); ++cls)
      ready +=
        std::int64_t{s.cells.ready(cell, cls)} - s.cells.reserved(cell, cls);
  out.in_flight = x.in_flight;
  out.ready = static_cast<std::uint64_t>(std::max<std::int64_t>(ready, 0));
  out.turns_taken = x.picks;
  out.credit = x.credit;
  out.stamp = x.stamp;
  out.limits = {x.allocation, x.concurrency, x.held, x.prohibited};
  if (s.shared != fair_by::turns) {
    out.ahead =
      x.spent > s.cost_floor ? (x.spent - s.cost_floor) / cost_unit : 0;
    out.charge = s.expected_cost(m);
  }
  if (!x.eligible) {
    out.state = out.ready == 0      ? eligibility::nothing_ready
                : x.held            ? eligibility::held
                : x.prohibited      ? eligibility::prohibited
                : x.allocation == 0 ? eligibility::no_allocation
                                    : eligibility::at_cap;
    return out;
  }
  out.state = eligibility::eligible;
  out.length = s.eligible_users;
  return out;
}

eligibility_report ring::explain(member_number m) const {
  const auto& s = *state_;
  auto out = describe(m);
  if (out.state != eligibility::eligible)
    return out;
  const auto largest = static_cast<size_class>(s.cells.classes() - 1);
  std::unordered_set<member_number> ahead; // in several bands, but one user
  for (const auto& list : s.main[largest].bands)
    for (const auto cell : list.all(s.cells.links(largest))) {
      ahead.insert(s.cells.member(cell));
      if (s.cells.member(cell) == m) {
        out.turn = static_cast<std::uint32_t>(ahead.size());
        return out;
      }
    }
  return out;
}

std::vector<member_number> ring::in_turn(std::size_t count_max) const {
  const auto& s = *state_;
  const auto largest = static_cast<size_class>(s.cells.classes() - 1);
  std::vector<member_number> out;
  std::unordered_set<member_number> known; // in several bands, but one user
  for (const auto& list : s.main[largest].bands) {
    // As many as are known already may stand in front here.
    const auto some = list.first_of(s.cells.links(largest), count_max);
    for (const auto cell : some)
      if (const auto m = s.cells.member(cell);
          out.size() < count_max && known.insert(m).second)
        out.push_back(m);
    if (out.size() == count_max)
      break;
  }
  return out;
}

std::vector<member_number> ring::out_of_turn(std::size_t count_max) const {
  const auto& s = *state_;
  std::vector<member_number> out;
  std::vector<member_number> idle;
  for (member_number m = 0; m < s.members.size() && out.size() < count_max;
       ++m) {
    const auto& x = s.members[m];
    if (!x.present || x.eligible)
      continue;
    if (x.first_cell != nobody && describe(m).ready > 0)
      out.push_back(m);
    else if (idle.size() < count_max)
      idle.push_back(m);
  }
  const auto room = std::min(idle.size(), count_max - out.size());
  out.insert(out.end(), idle.begin(),
             idle.begin() + static_cast<std::ptrdiff_t>(room));
  return out;
}

ring::standing ring::look(member_number m) const noexcept {
  const auto& s = *state_;
  if (m >= s.members.size() || !s.members[m].present)
    return {};
  const auto& x = s.members[m];
  return {x.picks, s.spent(m), x.allocation, x.concurrency,
          true,    x.eligible, x.in_flight >= x.concurrency};
}

std::uint32_t ring::room_for_claims(member_number m) const noexcept {
  const auto& s = *state_;
  if (m >= s.members.size() || !s.members[m].present)
    return 0;
  const auto& x = s.members[m];
  if (x.held || x.prohibited || x.allocation == 0
      || x.in_flight >= x.concurrency)
    return 0;
  return x.concurrency - x.in_flight;
}

bool ring::admits(view_number number, member_number m) const {
  const auto& s = *state_;
  const auto& view = *s.views[number];
  if (m >= s.members.size() || !s.members[m].present)
    return false;
  if (view.required())
    return std::binary_search(view.key.names.begin(), view.key.names.end(),
                              s.names[m]);
  return !s.members[m].prohibited && !view.excluded.contains(m);
}

std::uint64_t ring::ready_total() const noexcept {
  const auto free = state_->ready - state_->reserved;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(free, 0));
}

std::uint64_t ring::in_flight_total() const noexcept {
  return state_->in_flight;
}

std::uint32_t ring::eligible_users() const noexcept {
  return state_->eligible_users;
}

std::uint32_t ring::eligible_users(view_number number) const {
  const auto& s = *state_;
  const auto& view = *s.views[number];
  const auto cls = view.key.class_max;
  const auto& lists = view.required() ? view.lists : s.main[cls];
  std::uint32_t out = 0;
  for (auto left = lists.filled; left.any(); left.clear(left.first()))
    out += lists.bands[left.first()].size();
  for (const auto m : view.excluded)
    for (auto cell = s.members[m].first_cell; cell != nobody;
         cell = s.cells.next_of_member(cell))
      out -= s.cells.linked(cell, cls) ? 1 : 0;
  return out;
}

std::uint32_t ring::users() const noexcept {
  return state_->users;
}

std::uint64_t ring::stamp_last() const noexcept {
  return state_->stamp_last;
}

} // namespace depositd::rules
