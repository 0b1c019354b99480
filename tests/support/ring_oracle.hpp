#pragma once

// The settled rules of selection once more, by brute force: no links, no
// sets kept up to date, every question answered by looking at every user. What
// rules/ring.hpp must agree with, pick for pick.

#include "messages/values/scheduling.hpp"
#include "messages/values/types.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace depositd::testing {

class ring_oracle {
public:
  using view_id = std::size_t;

  ring_oracle(bool across_users, std::uint32_t oldest_band_every)
    : across_users_(across_users), oldest_band_every_(oldest_band_every) {}

  // -- users

  void join(member_number m, const std::string& name,
            const member_limits& limits, std::uint64_t stamp = 0,
            std::uint32_t credit = 0) {
    user x;
    x.name = name;
    x.limits = limits;
    x.stamp = stamp;
    x.credit = std::min(credit, turn(x));
    stamp_last_ = std::max(stamp_last_, stamp);
    users_[m] = x;
  }

  std::pair<std::uint64_t, std::uint32_t> leave(member_number m) {
    const std::pair out{users_[m].stamp, users_[m].credit};
    users_.erase(m);
    return out;
  }

  void set_limits(member_number m, const member_limits& limits) {
    auto& x = users_[m];
    const auto before = turn(x);
    x.limits = limits;
    if (turn(x) > before)
      x.credit += turn(x) - before;
    else
      x.credit = std::min(x.credit, turn(x));
    place(m);
  }

  void report(member_number m, const std::vector<ready_change>& ready, bool all,
              const std::vector<ready_change>& answered,
              std::int32_t claims_ended) {
    auto& x = users_[m];
    for (const auto& picks : answered)
      for (std::int32_t i = 0; i < picks.delta; ++i) {
        give_back(x, picks.band, picks.cls);
        x.restored = false;
      }
    x.in_flight -= claims_ended;
    if (all)
      x.ready.clear();
    for (const auto& change : ready)
      x.ready[{change.band, change.cls}] += change.delta;
    place(m);
  }

  void insert_class(size_class at) {
    for (auto& [m, x] : users_) {
      decltype(x.ready) ready;
      for (const auto& [key, count] : x.ready)
        ready[{key.first, shifted(key.second, at)}] = count;
      x.ready = ready;
      for (auto& [band, cls] : x.reserved)
        cls = shifted(cls, at);
      decltype(x.places) places;
      for (const auto& [key, place] : x.places) {
        auto [filter, list, band] = key;
        if (filter) {
          places[key] = place;
          continue;
        }
        places[{false, shifted(static_cast<size_class>(list), at), band}] =
          place;
        if (list + 1 == at) // holds for the new class too: nothing is in it
          places[{false, at, band}] = place;
      }
      x.places = places;
    }
    for (auto& view : views_)
      view.class_max = shifted(view.class_max, at);
    ++classes_;
  }

  void settle_order() {
    recovering_ = false;
    std::vector<std::pair<std::uint64_t, member_number>> order;
    for (const auto& [m, x] : users_)
      if (x.servable)
        order.push_back({x.stamp == 0 ? never_served : x.stamp, m});
    std::sort(order.begin(), order.end());
    for (const auto& [stamp, m] : order) {
      if (users_[m].stamp == 0)
        users_[m].stamp = ++stamp_last_;
      to_tail(m);
    }
  }

  void raise_stamp(std::uint64_t stamp) {
    stamp_last_ = std::max(stamp_last_, stamp);
  }

  // -- views

  view_id open_view(const criteria& wants, size_class class_max) {
    view fresh;
    fresh.class_max = class_max;
    fresh.is_required = !wants.required.empty();
    const std::set<std::string> excluded(wants.excluded.begin(),
                                         wants.excluded.end());
    for (const auto& name :
         fresh.is_required ? wants.required : wants.preferred)
      if (!excluded.contains(name))
        fresh.names.insert(name);
    if (!fresh.is_required)
      fresh.excluded = excluded;
    for (view_id i = 0; i < views_.size(); ++i)
      if (views_[i].uses > 0 && same(views_[i], fresh)) {
        ++views_[i].uses;
        return i;
      }
    // One that names nobody is never forgotten.
    fresh.uses =
      fresh.names.empty() && fresh.excluded.empty() && !fresh.is_required ? 2
                                                                          : 1;
    views_.push_back(fresh);
    const auto id = views_.size() - 1;
    std::vector<std::pair<std::uint64_t, member_number>> order;
    for (const auto& [m, x] : users_)
      order.push_back({x.stamp == 0 ? never_served : x.stamp, m});
    std::sort(order.begin(), order.end());
    for (const auto& [stamp, m] : order)
      place_in_lists(m);
    return id;
  }

  void close_view(view_id id) {
    --views_[id].uses;
  }

  std::optional<pick> next(view_id id) {
    const auto who = find(id);
    if (!who)
      return std::nullopt;
    return take(id, *who);
  }

  void undo(const pick& what) {
    auto& x = users_[what.member];
    --x.in_flight;
    --x.picks;
    give_back(x, what.band, what.class_max);
    const bool was_in = x.servable;
    const bool turn_ended = x.credit >= turn(x);
    const auto credit = turn_ended ? 1 : x.credit + 1;
    place(what.member);
    if (!x.servable)
      return;
    if (was_in && !turn_ended) {
      x.credit = credit;
    } else if (!x.restored) {
      x.restored = true;
      x.credit = credit;
      --head_;
      for (auto& [key, at] : x.places)
        at = head_;
    }
  }

  // -- waiting

  void wait(view_id id, std::uint64_t taker, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i)
      waiting_.push_back({id, taker});
  }

  std::uint32_t stop_waiting(std::uint64_t taker) {
    return static_cast<std::uint32_t>(std::erase_if(
      waiting_, [&](const auto& x) { return x.second == taker; }));
  }

  std::optional<std::pair<std::uint64_t, pick>> next_match() {
    std::set<view_id> empty;
    for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
      if (empty.contains(at->first))
        continue;
      if (const auto what = next(at->first)) {
        const std::pair out{at->second, *what};
        waiting_.erase(at);
        return out;
      }
      empty.insert(at->first);
    }
    return std::nullopt;
  }

  // -- looking

  /// Whether somebody could be handed out now.
  bool can_serve(view_id id) const {
    return find(id).has_value();
  }

  bool eligible(member_number m) const {
    return users_.at(m).eligible;
  }

  eligibility_report explain(member_number m) const {
    const auto& x = users_.at(m);
    eligibility_report out;
    std::int64_t ready = -static_cast<std::int64_t>(x.reserved.size());
    for (const auto& [key, count] : x.ready)
      ready += count;
    out.ready = static_cast<std::uint64_t>(std::max<std::int64_t>(ready, 0));
    out.in_flight = static_cast<std::uint32_t>(x.in_flight);
    out.turns_taken = x.picks;
    out.credit = x.credit;
    out.stamp = x.stamp;
    out.limits = x.limits;
    if (x.eligible) {
      out.state = eligibility::eligible;
      out.length = eligible_users();
      out.turn = turn_of(m);
    } else if (out.ready == 0) {
      out.state = eligibility::nothing_ready;
    } else if (x.limits.held) {
      out.state = eligibility::held;
    } else if (x.limits.prohibited) {
      out.state = eligibility::prohibited;
    } else if (x.limits.allocation == 0) {
      out.state = eligibility::no_allocation;
    } else {
      out.state = eligibility::at_cap;
    }
    return out;
  }

  std::uint32_t eligible_users() const {
    std::uint32_t out = 0;
    for (const auto& [m, x] : users_)
      out += x.eligible;
    return out;
  }

  std::uint64_t stamp_last() const {
    return stamp_last_;
  }

private:
  static constexpr auto never_served =
    std::numeric_limits<std::uint64_t>::max();

  /// A list: main of a class (false) or of a view (true), and its band.
  using list_key = std::tuple<bool, std::size_t, std::uint8_t>;

  struct user {
    std::string name;
    member_limits limits;
    std::uint64_t stamp = 0;
    std::uint32_t credit = 0;
    std::int64_t in_flight = 0;
    std::uint64_t picks = 0;
    bool servable = false;
    bool eligible = false;
    bool restored = false;
    std::map<std::pair<std::uint8_t, size_class>, std::int32_t> ready;
    std::vector<std::pair<std::uint8_t, size_class>> reserved;
    /// Lists it is in, and since when: the lowest is the head.
    std::map<list_key, std::int64_t> places;
  };

  struct view {
    size_class class_max = 0;
    bool is_required = false;
    std::set<std::string> names;
    std::set<std::string> excluded;
    std::uint32_t uses = 0;
    std::uint64_t picks = 0;
    std::map<std::uint8_t, std::uint64_t> served;
  };

  struct found {
    member_number member = 0;
    std::uint8_t band = 0;
    pick_kind by = pick_kind::round_robin;
  };

  static std::uint32_t turn(const user& x) {
    return std::max<std::uint32_t>(x.limits.allocation, 1);
  }

  static size_class shifted(size_class cls, size_class at) {
    return cls < at ? cls : static_cast<size_class>(cls + 1);
  }

  static bool same(const view& x, const view& y) {
    return x.class_max == y.class_max && x.is_required == y.is_required
           && x.names == y.names && x.excluded == y.excluded;
  }

  static void give_back(user& x, std::uint8_t band, size_class cls) {
    auto best = x.reserved.end();
    for (auto at = x.reserved.begin(); at != x.reserved.end(); ++at)
      if (at->first == band && at->second >= cls
          && (best == x.reserved.end() || at->second < best->second))
        best = at;
    if (best != x.reserved.end())
      x.reserved.erase(best);
  }

  /// Whether an item up to the class may be left in the band: every reserved
  /// pick, those with the least choice first, takes an item above the class
  /// where it may.
  bool available(const user& x, std::uint8_t band, size_class cls) const {
    std::map<size_class, std::int32_t> above;
    std::int32_t left = 0;
    for (const auto& [key, count] : x.ready)
      if (key.first == band) {
        if (key.second > cls)
          above[key.second] += count;
        else
          left += count;
      }
    std::vector<size_class> picks;
    for (const auto& [of_band, class_max] : x.reserved)
      if (of_band == band)
        picks.push_back(class_max);
    std::sort(picks.begin(), picks.end());
    for (auto class_max : picks) {
      const auto at = std::find_if(above.begin(), above.end(),
                                   [](const auto& y) { return y.second > 0; });
      if (at != above.end() && at->first <= class_max)
        --at->second;
      else
        --left;
    }
    return left > 0;
  }

  std::set<std::uint8_t> bands_of(const user& x) const {
    std::set<std::uint8_t> out;
    for (const auto& [key, count] : x.ready)
      out.insert(key.first);
    return out;
  }

  /// Recomputes where a user stands after anything about it changed.
  void place(member_number m) {
    auto& x = users_[m];
    bool servable = false;
    if (!x.limits.held && x.in_flight < std::int64_t{x.limits.concurrency})
      for (auto band : bands_of(x))
        servable |= available(x, band, classes_ - 1);
    const bool eligible =
      servable && !x.limits.prohibited && x.limits.allocation > 0;
    if ((servable && !x.servable) || (eligible && !x.eligible)) {
      if (!recovering_) {
        x.stamp = ++stamp_last_;
        x.credit = turn(x);
      } else if (x.credit == 0 || x.credit > turn(x)) {
        x.credit = turn(x);
      }
    }
    x.servable = servable;
    x.eligible = eligible;
    place_in_lists(m);
  }

  void place_in_lists(member_number m) {
    auto& x = users_[m];
    decltype(x.places) places;
    const auto keep = [&](const list_key& key) {
      const auto at = x.places.find(key);
      places[key] = at == x.places.end() ? ++tail_ : at->second;
    };
    for (auto band : bands_of(x)) {
      if (x.eligible)
        for (size_class cls = 0; cls < classes_; ++cls)
          if (available(x, band, cls))
            keep({false, cls, band});
      for (view_id i = 0; i < views_.size(); ++i)
        if (views_[i].uses > 0 && views_[i].names.contains(x.name)
            && (views_[i].is_required ? x.servable : x.eligible)
            && available(x, band, views_[i].class_max))
          keep({true, i, band});
    }
    x.places = places;
  }

  void to_tail(member_number m) {
    ++tail_;
    for (auto& [key, at] : users_[m].places)
      at = tail_;
  }

  /// Whoever comes first in each band of a list.
  std::map<std::uint8_t, member_number>
  heads(bool of_view, std::size_t list,
        const std::set<std::string>& excluded) const {
    std::map<std::uint8_t, std::pair<std::int64_t, member_number>> best;
    for (const auto& [m, x] : users_) {
      if (excluded.contains(x.name))
        continue;
      for (const auto& [key, at] : x.places) {
        if (std::get<0>(key) != of_view || std::get<1>(key) != list)
          continue;
        const auto [known, fresh] = best.try_emplace(std::get<2>(key), at, m);
        if (!fresh && at < known->second.first)
          known->second = {at, m};
      }
    }
    std::map<std::uint8_t, member_number> out;
    for (const auto& [band, who] : best)
      out[band] = who.second;
    return out;
  }

  std::optional<found> find(view_id id) const {
    const auto& v = views_[id];
    const bool oldest = across_users_ && oldest_band_every_ > 0
                        && (v.picks + 1) % oldest_band_every_ == 0;
    for (const bool named : {true, false}) {
      if (named ? v.names.empty() : v.is_required)
        continue;
      std::optional<found> out;
      for (const auto& [band, m] :
           named ? heads(true, id, {}) : heads(false, v.class_max, v.excluded))
        if (!out || (oldest && served(v, band) < served(v, out->band)))
          out = found{m, band,
                      !named          ? pick_kind::round_robin
                      : v.is_required ? pick_kind::required
                                      : pick_kind::preferred};
      if (out)
        return out;
    }
    return std::nullopt;
  }

  static std::uint64_t served(const view& v, std::uint8_t band) {
    const auto at = v.served.find(band);
    return at == v.served.end() ? 0 : at->second;
  }

  pick take(view_id id, const found& who) {
    auto& v = views_[id];
    auto& x = users_[who.member];
    ++x.in_flight;
    ++x.picks;
    x.reserved.push_back({who.band, v.class_max});
    v.served[who.band] = ++v.picks;
    const bool turn_ended = x.credit <= 1;
    if (turn_ended)
      x.stamp = ++stamp_last_;
    x.credit = turn_ended ? turn(x) : x.credit - 1;
    const pick out{who.member, who.band, v.class_max,
                   who.by,     x.stamp,  x.credit};
    place(who.member);
    if (turn_ended)
      to_tail(who.member);
    return out;
  }

  std::uint32_t turn_of(member_number m) const {
    std::vector<std::tuple<std::uint8_t, std::int64_t, member_number>> order;
    for (const auto& [n, x] : users_)
      for (const auto& [key, at] : x.places)
        if (!std::get<0>(key) && std::get<1>(key) + 1u == classes_)
          order.push_back({std::get<2>(key), at, n});
    std::sort(order.begin(), order.end());
    std::set<member_number> ahead;
    for (const auto& [band, at, n] : order) {
      ahead.insert(n);
      if (n == m)
        break;
    }
    return static_cast<std::uint32_t>(ahead.size());
  }

  bool across_users_;
  std::uint32_t oldest_band_every_;
  bool recovering_ = true;
  size_class classes_ = 1;
  std::map<member_number, user> users_;
  std::vector<view> views_;
  std::vector<std::pair<view_id, std::uint64_t>> waiting_;
  std::uint64_t stamp_last_ = 0;
  std::int64_t tail_ = 0;
  std::int64_t head_ = 0;
};

} // namespace depositd::testing
