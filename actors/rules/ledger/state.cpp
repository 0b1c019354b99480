#include "actors/rules/ledger/state.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace depositd::rules {

namespace {

std::uint16_t lane_key(std::uint8_t priority, size_class cls) {
  return static_cast<std::uint16_t>(priority << 8 | cls);
}

std::uint8_t priority_of(std::uint16_t key) {
  return static_cast<std::uint8_t>(key >> 8);
}

size_class class_of(std::uint16_t key) {
  return static_cast<size_class>(key & 0xff);
}

} // namespace

// -- finding ------------------------------------------------------------------

std::uint8_t ledger::state::band_of(const stored_item& x) const noexcept {
  return settings.priority == priority_mode::across_users ? x.priority : 0;
}

const stored_item* ledger::state::first(const pick& what) const {
  const auto across = settings.priority == priority_mode::across_users;
  const stored_item* best = nullptr;
  auto at = across ? lanes.lower_bound(lane_key(what.band, 0)) : lanes.begin();
  for (; at != lanes.end(); ++at) {
    const auto priority = priority_of(at->first);
    if (best != nullptr ? priority != best->priority
                        : across && priority != what.band)
      break;
    if (class_of(at->first) > what.class_max)
      continue;
    const auto& front = at->second.front();
    if (best == nullptr || front.id < best->id)
      best = &front;
  }
  return best;
}

ledger::state::whereabouts ledger::state::find(item_id id) const {
  if (const auto at = claims.find(id); at != claims.end())
    return {&at->second.item, &at->second, nullptr};
  if (const auto at = items_set_aside.find(id); at != items_set_aside.end())
    return {&at->second.item, nullptr, &at->second};
  for (const auto& [key, priority_lane] : lanes)
    if (const auto* x = priority_lane.find(id))
      return {x, nullptr, nullptr};
  return {};
}

const ledger::state::claim* ledger::state::live_claim(item_id id,
                                                      claim_token token) const {
  const auto at = claims.find(id);
  if (at == claims.end()
      || (at->second.token != token && !seeded_bug("stale_token_accepted")))
    return nullptr;
  return &at->second;
}

std::uint64_t ledger::state::pending() const noexcept {
  return ready + items_set_aside.size();
}

std::vector<stored_item>
ledger::state::items_up_to(item_id id_last, std::size_t count_max) const {
  std::vector<stored_item> out;
  const auto take = [&](const stored_item& x) {
    if (out.size() < count_max && x.id <= id_last)
      out.push_back(x);
    return out.size() < count_max;
  };
  for (const auto& [key, priority_lane] : lanes)
    priority_lane.visit_up_to(id_last, take);
  const auto take_from = [&](const auto& set_aside_as) {
    for (const auto& [id, x] : set_aside_as)
      if (!take(x.item))
        return;
  };
  take_from(claims);
  take_from(items_set_aside);
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  return out;
}

std::uint32_t ledger::state::ahead_of(const stored_item& x) const {
  std::uint64_t out = 0;
  for (const auto& [key, priority_lane] : lanes) {
    if (priority_of(key) < x.priority)
      out += priority_lane.size();
    else if (priority_of(key) == x.priority)
      out += priority_lane.older_than(x.id);
  }
  return static_cast<std::uint32_t>(out);
}

item_view ledger::state::view(const whereabouts& where) const {
  const auto& x = *where.item;
  item_view out;
  out.id = x.id;
  out.priority = x.priority;
  out.attempt = x.attempt;
  out.size = x.size;
  out.received_us = x.received_us;
  if (where.claimed != nullptr) {
    out.state = item_state::claimed;
    out.token = where.claimed->token;
    out.deadline_us = where.claimed->deadline_us;
    out.processor = where.claimed->processor;
  } else if (where.set_aside != nullptr) {
    out.available_us = where.set_aside->available_us;
    switch (where.set_aside->where) {
      case set_aside_as::delayed:
        out.state = item_state::delayed;
        break;
      case set_aside_as::parked:
        out.state = item_state::parked;
        break;
      case set_aside_as::unadmitted:
        out.state = item_state::pending;
        break;
    }
  }
  return out;
}

// -- moving -------------------------------------------------------------------

bool ledger::state::collapses(const stored_item& x) const noexcept {
  return settings.dedup == dedup_mode::between_polls && x.digest != 0
         && x.attempt == 0;
}

arrival ledger::state::arrival_of(const stored_item& x) const noexcept {
  return {x.id, x.digest, x.size, band_of(x)};
}

void ledger::state::note_left(const stored_item& x) {
  if (collapses(x))
    changes.left.push_back({x.id, x.digest});
}

void ledger::state::make_pending(stored_item&& x) {
  if (!collapses(x)) {
    make_ready(std::move(x));
    return;
  }
  changes.arrived.push_back(arrival_of(x));
  set_aside(std::move(x), set_aside_as::unadmitted);
}

void ledger::state::make_ready(stored_item&& x) {
  x.cls = classes.of(x.size);
  ++ready;
  bytes += x.size;
  note_ready(x, 1);
  note_digest(x, true);
  const auto key = lane_key(x.priority, x.cls);
  lanes[key].add(std::move(x));
}

void ledger::state::set_aside(stored_item&& x, set_aside_as where,
                              micros available_us) {
  bytes += x.size;
  note_digest(x, true);
  if (where == set_aside_as::parked)
    ++parked;
  else if (where == set_aside_as::delayed)
    delays.emplace(available_us, x.id);
  const auto id = x.id;
  items_set_aside.emplace(id,
                          set_aside_item{std::move(x), where, available_us});
}

void ledger::state::lend(stored_item&& x, claim&& limits) {
  const auto id = x.id;
  limits.item = std::move(x);
  if (limits.deadline_us != never)
    deadlines.emplace_hint(deadlines.end(), limits.deadline_us, id);
  token_last = std::max(token_last, limits.token);
  claims.emplace(id, std::move(limits));
}

std::optional<stored_item> ledger::state::take_ready(item_id id) {
  // Nearly always the first of a lane, and to know it costs no search.
  auto at = std::find_if(lanes.begin(), lanes.end(), [&](const auto& entry) {
    return entry.second.front().id == id;
  });
  std::optional<stored_item> out;
  if (at == lanes.end())
    at = std::find_if(lanes.begin(), lanes.end(), [&](auto& entry) {
      return (out = entry.second.take(id)).has_value();
    });
  else
    out = at->second.take(id);
  if (!out)
    return std::nullopt;
  if (at->second.empty())
    lanes.erase(at);
  --ready;
  bytes -= out->size;
  note_ready(*out, -1);
  note_digest(*out, false);
  return out;
}

std::optional<stored_item> ledger::state::take_pending(item_id id) {
  if (auto out = take_ready(id))
    return out;
  const auto at = items_set_aside.find(id);
  if (at == items_set_aside.end())
    return std::nullopt;
  if (at->second.where == set_aside_as::parked)
    --parked;
  else if (at->second.where == set_aside_as::delayed)
    delays.erase({at->second.available_us, id});
  std::optional<stored_item> out{std::move(at->second.item)};
  items_set_aside.erase(at);
  bytes -= out->size;
  note_digest(*out, false);
  return out;
}

std::optional<stored_item> ledger::state::end_claim(item_id id) {
  const auto at = claims.find(id);
  if (at == claims.end())
    return std::nullopt;
  if (at->second.deadline_us != never)
    deadlines.erase({at->second.deadline_us, id});
  std::optional<stored_item> out{std::move(at->second.item)};
  claims.erase(at);
  ++changes.claims_ended;
  if (notes_ends)
    ended.push_back(id);
  return out;
}

void ledger::state::set_deadline(item_id id, claim& x, micros deadline_us) {
  if (x.deadline_us != never)
    deadlines.erase({x.deadline_us, id});
  x.deadline_us = deadline_us;
  if (deadline_us != never)
    deadlines.emplace(deadline_us, id);
}

// -- keeping count ------------------------------------------------------------

void ledger::state::note_ready(const stored_item& x, std::int32_t delta) {
  const auto band = band_of(x);
  for (auto& known : changes.ready) {
    if (known.band == band && known.cls == x.cls) {
      known.delta += delta;
      return;
    }
  }
  changes.ready.push_back({band, x.cls, delta});
}

void ledger::state::note_digest(const stored_item& x, bool pending) {
  if (settings.dedup != dedup_mode::while_pending || x.digest == 0)
    return;
  if (pending) {
    ++digests[x.digest];
    return;
  }
  const auto at = digests.find(x.digest);
  assert(at != digests.end());
  if (--at->second == 0)
    digests.erase(at);
}

void ledger::state::rebuild_lanes() {
  auto old = std::exchange(lanes, {});
  ready = 0;
  const auto known_bytes = bytes;
  // The digests know these items already.
  const auto dedup = std::exchange(settings.dedup, dedup_mode::none);
  for (auto& [key, priority_lane] : old)
    while (!priority_lane.empty())
      make_ready(*priority_lane.take(priority_lane.front().id));
  settings.dedup = dedup;
  bytes = known_bytes;
  // Whoever changes the classes counts again; deltas mean nothing any more.
  changes.ready.clear();
}

void ledger::state::rebuild_dedup() {
  std::vector<item_id> waiting;
  for (const auto& [key, priority_lane] : lanes)
    priority_lane.for_each([&](const stored_item& x) {
      if (collapses(x))
        waiting.push_back(x.id);
    });
  for (const auto id : waiting)
    make_pending(*take_pending(id));
  std::vector<stored_item> free;
  for (auto& [id, x] : items_set_aside)
    if (x.where == set_aside_as::unadmitted && !collapses(x.item))
      free.push_back(std::move(x.item));
  for (auto& x : free) {
    items_set_aside.erase(x.id);
    bytes -= x.size;
    make_ready(std::move(x));
  }
  digests.clear();
  for (const auto& [key, priority_lane] : lanes)
    priority_lane.for_each([&](const stored_item& x) { note_digest(x, true); });
  for (const auto& [id, x] : items_set_aside)
    note_digest(x.item, true);
}

} // namespace depositd::rules
