#include "actors/rules/ring/state.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>

namespace depositd::rules {

std::uint8_t ring::state::clamp_band(std::uint8_t band) const noexcept {
  return static_cast<std::uint8_t>(std::min<std::uint32_t>(band, bands - 1));
}

size_class ring::state::clamp_class(size_class cls) const noexcept {
  return static_cast<size_class>(
    std::min<std::uint32_t>(cls, cells.classes() - 1));
}

std::uint32_t ring::state::cell_of(member_number m,
                                   std::uint8_t band) const noexcept {
  band = clamp_band(band);
  auto cell = members[m].first_cell;
  while (cell != nobody && cells.band(cell) != band)
    cell = cells.next_of_member(cell);
  return cell;
}

std::uint32_t ring::state::need_cell(member_number m, std::uint8_t band) {
  if (const auto cell = cell_of(m, band); cell != nobody)
    return cell;
  auto& x = members[m];
  x.first_cell = cells.add(m, clamp_band(band), x.first_cell);
  return x.first_cell;
}

void ring::state::sync(member_number m) {
  auto& x = members[m];
  bool ready_left = false;
  bool changed = false;
  for (auto cell = x.first_cell; cell != nobody;
       cell = cells.next_of_member(cell)) {
    const auto available = cells.available(cell);
    ready_left |= available != 0;
    changed |= available != cells.shown(cell);
    cells.show(cell, available);
  }
  const bool capped = seeded_bug("cap_off_by_one")
                        ? x.in_flight > x.concurrency
                        : x.in_flight >= x.concurrency;
  const bool held = x.held && !seeded_bug("held_user_served");
  const bool prohibited = x.prohibited && !seeded_bug("prohibited_user_served");
  const bool servable = ready_left && !held && !capped;
  const bool eligible = servable && !prohibited && x.allocation > 0;

  if ((servable && !x.servable) || (eligible && !x.eligible)) {
    if (!recovering) {
      x.stamp = ++stamp_last;
      x.credit = x.turn();
      // Nobody saves up while it has nothing.
      if (shared != fair_by::turns && x.spent < cost_floor)
        move_to(end::tail, m, cost_floor);
    } else if (x.credit == 0 || x.credit > x.turn()) {
      x.credit = x.turn();
    }
  }
  changed |= servable != x.servable || eligible != x.eligible;
  x.servable = servable;
  if (eligible != x.eligible)
    eligible ? ++eligible_users : --eligible_users;
  x.eligible = eligible;
  if (changed)
    set_links(m);
  free_idle_cells(m);
}

void ring::state::set_links(member_number m) {
  const auto& x = members[m];
  for (auto cell = x.first_cell; cell != nobody;
       cell = cells.next_of_member(cell))
    for (size_class cls = 0; cls < cells.classes(); ++cls) {
      const bool wanted = x.eligible && cells.shown(cell, cls);
      if (wanted == cells.linked(cell, cls))
        continue;
      const auto band = cells.band(cell);
      if (wanted) {
        main[cls].push_back(cells.links(cls), band, cell, spent(m));
        stirred[cls] = true;
      } else {
        main[cls].erase(cells.links(cls), band, cell);
      }
    }
  if (x.named)
    for (const auto& mentioned : mentions[m])
      set_link(mentioned, m);
}

void ring::state::set_link(const mention& x, member_number m) {
  if (x.slot == nobody)
    return;
  auto& view = *views[x.view];
  const auto& who = members[m];
  const bool open = view.required() ? who.servable : who.eligible;
  for (auto cell = who.first_cell; cell != nobody;
       cell = cells.next_of_member(cell)) {
    const auto band = cells.band(cell);
    const bool wanted = open && cells.shown(cell, view.key.class_max);
    if (wanted == view.linked(band, x.slot))
      continue;
    if (wanted) {
      view.lists.push_back(view.links_of(band), band, x.slot, spent(m));
      if (view.required())
        stir_required(x.view);
    } else {
      view.lists.erase(view.links_of(band), band, x.slot);
    }
  }
}

void ring::state::free_idle_cells(member_number m) {
  auto before = nobody;
  for (auto cell = members[m].first_cell; cell != nobody;) {
    const auto next = cells.next_of_member(cell);
    if (cells.idle(cell)) {
      if (before == nobody)
        members[m].first_cell = next;
      else
        cells.set_next_of_member(before, next);
      cells.remove(cell);
    } else {
      before = cell;
    }
    cell = next;
  }
}

void ring::state::move_to(end where, member_number m, std::uint64_t now) {
  const auto move = [=](band_lists& lists, auto links, std::uint8_t band,
                        std::uint32_t id) {
    lists.bands[band].erase(links, id);
    where == end::tail ? lists.push_back(links, band, id, now)
                       : lists.push_front(links, band, id, now);
  };
  if (shared != fair_by::turns)
    members[m].spent = now;
  const auto& x = members[m];
  for (auto cell = x.first_cell; cell != nobody;
       cell = cells.next_of_member(cell))
    for (size_class cls = 0; cls < cells.classes(); ++cls)
      if (cells.linked(cell, cls))
        move(main[cls], cells.links(cls), cells.band(cell), cell);
  if (!x.named)
    return;
  for (const auto& mentioned : mentions[m]) {
    if (mentioned.slot == nobody)
      continue;
    auto& view = *views[mentioned.view];
    for (auto cell = x.first_cell; cell != nobody;
         cell = cells.next_of_member(cell))
      if (const auto band = cells.band(cell); view.linked(band, mentioned.slot))
        move(view.lists, view.links_of(band), band, mentioned.slot);
  }
}

void ring::state::sort_by_stamp(std::vector<member_number>& which) const {
  const auto place = [this](member_number m) {
    const auto stamp = members[m].stamp;
    return std::pair{stamp == 0 ? ~std::uint64_t{0} : stamp, m};
  };
  std::sort(which.begin(), which.end(),
            [&](auto x, auto y) { return place(x) < place(y); });
}

} // namespace depositd::rules
