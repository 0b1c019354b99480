#include "actors/rules/ring/state.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <cassert>

namespace depositd::rules {

namespace {

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

view_key key_of(const criteria& wants, size_class class_max) {
  view_key out;
  out.class_max = class_max;
  out.excluded = sorted(wants.excluded);
  const bool required = !wants.required.empty();
  for (auto& name : sorted(required ? wants.required : wants.preferred))
    if (!std::binary_search(out.excluded.begin(), out.excluded.end(), name))
      out.names.push_back(std::move(name));
  // Whoever requires users that it excludes gets nobody, not anybody.
  if (required) {
    out.by = pick_kind::required;
    out.excluded.clear();
  } else if (!out.names.empty()) {
    out.by = pick_kind::preferred;
  }
  return out;
}

} // namespace

// -- opening and closing ------------------------------------------------------

view_number ring::open_view(const criteria& wants, size_class class_max) {
  auto& s = *state_;
  auto key = key_of(wants, s.clamp_class(class_max));
  if (const auto known = s.interned.find(key); known != s.interned.end()) {
    ++s.views[known->second]->uses;
    return known->second;
  }
  auto number = static_cast<view_number>(s.views.size());
  if (s.free_views.empty()) {
    s.views.emplace_back();
  } else {
    number = s.free_views.back();
    s.free_views.pop_back();
  }
  s.views[number] = std::make_unique<ring_view>(s.bands);
  auto& view = *s.views[number];
  view.key = std::move(key);
  view.uses = 1;
  if (s.bands > 1)
    view.band_served.resize(s.bands);
  view.slot_members.assign(view.key.names.size(), nobody);

  std::vector<member_number> known;
  const auto mention_user = [&](const std::string& name, std::uint32_t slot) {
    s.mentions_of_name[name].push_back({number, slot});
    const auto m = s.index.find(name);
    if (m == nobody)
      return;
    s.members[m].named = true;
    s.mentions[m].push_back({number, slot});
    if (slot == nobody) {
      view.excluded.insert(m);
    } else {
      view.slot_members[slot] = m;
      known.push_back(m);
    }
  };
  for (std::uint32_t slot = 0; slot < view.key.names.size(); ++slot)
    mention_user(view.key.names[slot], slot);
  for (const auto& name : view.key.excluded)
    mention_user(name, nobody);
  s.sort_by_stamp(known);
  for (auto m : known)
    s.set_link(s.mentions[m].back(), m);
  s.interned.emplace(view.key, number);
  return number;
}

void ring::close_view(view_number number) {
  auto& s = *state_;
  auto& view = *s.views[number];
  if (--view.uses > 0)
    return;
  assert(view.waiting.empty() && "whoever waits uses the view");
  // Views that name nobody stay: which band they served last must not be
  // forgotten between two takers.
  if (view.key.by == pick_kind::round_robin && view.key.excluded.empty())
    return;
  const auto of_view = [number](const mention& x) { return x.view == number; };
  const auto forget_user = [&](const std::string& name) {
    const auto at = s.mentions_of_name.find(name);
    std::erase_if(at->second, of_view);
    if (at->second.empty())
      s.mentions_of_name.erase(at);
    const auto m = s.index.find(name);
    if (m == nobody)
      return;
    auto& of_member = s.mentions[m];
    std::erase_if(of_member, of_view);
    if (of_member.empty()) {
      s.mentions.erase(m);
      s.members[m].named = false;
    }
  };
  for (const auto& name : view.key.names)
    forget_user(name);
  for (const auto& name : view.key.excluded)
    forget_user(name);
  s.interned.erase(view.key);
  s.views[number].reset();
  s.free_views.push_back(number);
}

// -- picking ------------------------------------------------------------------

std::uint8_t ring::state::choose_band(band_set among,
                                      const ring_view& view) const {
  const auto best = among.first();
  if (bands == 1 || oldest_band_every == 0
      || (view.picks + 1) % oldest_band_every != 0)
    return best;
  auto oldest = best;
  for (among.clear(best); among.any(); among.clear(among.first()))
    if (view.band_served[among.first()] < view.band_served[oldest])
      oldest = among.first();
  return oldest;
}

std::optional<ring::state::candidate> ring::state::find(ring_view& view) {
  const auto cls = view.key.class_max;
  if (view.lists.filled.any()) {
    const auto band = choose_band(view.lists.filled, view);
    const auto m = view.slot_members[view.lists.bands[band].head(
      view.links_of(band), [](std::uint32_t) {})];
    return candidate{m, cell_of(m, band), band, view.key.by};
  }
  if (view.required())
    return std::nullopt;
  const auto soon = [this](std::uint32_t cell) {
    __builtin_prefetch(&members[cells.member(cell)], 1);
  };
  for (auto left = main[cls].filled; left.any();) {
    const auto band = choose_band(left, view);
    auto& list = main[cls].bands[band];
    auto cell = list.head(cells.links(cls), soon);
    if (!view.excluded.empty())
      cell = list.first(cells.links(cls), [&](auto x) {
        return !view.excluded.contains(cells.member(x));
      });
    if (cell != nobody)
      return candidate{cells.member(cell), cell, band, pick_kind::round_robin};
    left.clear(band);
  }
  return std::nullopt;
}

pick ring::state::take(ring_view& view, const candidate& who) {
  auto& x = members[who.member];
  ++x.in_flight;
  ++in_flight;
  ++x.picks;
  ++cells.reserved(who.cell, view.key.class_max);
  ++reserved;
  ++view.picks;
  if (bands > 1)
    view.band_served[who.band] = view.picks;
  // By cost a turn is one item, and its end another place.
  const bool by_turns = shared == fair_by::turns;
  const bool turn_over = x.credit <= 1 || !by_turns;
  if (turn_over) {
    x.stamp = ++stamp_last;
    x.credit = x.turn();
  } else {
    --x.credit;
  }
  pick out{who.member, who.band, view.key.class_max, who.by, x.stamp, x.credit};
  sync(who.member);
  if (!by_turns)
    charge(out);
  else if (turn_over)
    move_to(seeded_bug("served_user_stays_first") ? end::head : end::tail,
            who.member);
  return out;
}

std::optional<pick> ring::next(view_number number) {
  auto& view = *state_->views[number];
  const auto who = state_->find(view);
  if (!who)
    return std::nullopt;
  return state_->take(view, *who);
}

void ring::undo(const pick& x) {
  auto& s = *state_;
  auto& m = s.member(x.member);
  s.change_in_flight(x.member, -1);
  s.release_reserved(x.member, x.band, x.class_max);
  --m.picks;
  if (s.shared != fair_by::turns) {
    s.sync(x.member);
    if (!m.restored)
      s.settle_cost(x.member, x.charge, 0, 0);
    m.restored = true;
    return;
  }
  // A full credit means that the pick ended the turn.
  const bool keeps_place = m.servable && m.credit < m.turn();
  const auto credit = m.credit < m.turn() ? m.credit + 1 : 1;
  s.sync(x.member);
  if (!m.servable)
    return;
  if (keeps_place) {
    m.credit = credit;
  } else if (!m.restored) {
    m.restored = true;
    m.credit = credit;
    s.move_to(state::end::head, x.member);
  }
}

} // namespace depositd::rules
