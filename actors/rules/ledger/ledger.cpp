#include "actors/rules/ledger/ledger.hpp"

#include "actors/rules/ledger/state.hpp"

#include <algorithm>
#include <utility>

namespace depositd::rules {

ledger::ledger() : state_(std::make_unique<state>()) {
  // nop
}

ledger::~ledger() = default;

ledger::ledger(ledger&&) noexcept = default;

ledger& ledger::operator=(ledger&&) noexcept = default;

void ledger::configure(std::string queue, const queue_settings& settings,
                       const size_classes& classes) {
  auto& s = *state_;
  const auto bands = s.settings.priority != settings.priority;
  const auto dedup = s.settings.dedup != settings.dedup;
  const auto sizes = s.classes.limits() != classes.limits();
  s.queue = std::move(queue);
  s.settings = settings;
  s.classes = classes;
  if (bands || sizes)
    s.rebuild_lanes();
  if (dedup)
    s.rebuild_dedup();
}

void ledger::raise_tokens(claim_token tokens_from) {
  state_->token_last = std::max(state_->token_last, tokens_from);
}

void ledger::limit_bytes(std::uint64_t bytes_max) {
  state_->bytes_max = bytes_max;
}

// -- bodies -------------------------------------------------------------------

bool ledger::set_place(item_id id, const body_location& place) {
  return state_->change(id, [&](stored_item& x) { x.place = place; });
}

std::size_t ledger::drop_body(item_id id) {
  std::size_t freed = 0;
  state_->change(id, [&](stored_item& x) {
    if (x.body == nullptr || x.place.length == 0)
      return;
    freed = x.body->size();
    x.body.reset();
  });
  return freed;
}

body_bytes ledger::body(item_id id) const {
  const auto* x = state_->find(id).item;
  return x != nullptr ? x->body : nullptr;
}

body_location ledger::place(item_id id) const {
  const auto* x = state_->find(id).item;
  return x != nullptr ? x->place : body_location{};
}

// -- looking ------------------------------------------------------------------

ledger_changes ledger::take_changes() {
  auto out = std::exchange(state_->changes, {});
  std::erase_if(out.ready, [](const auto& x) { return x.delta == 0; });
  return out;
}

void ledger::note_ends(bool wanted) {
  state_->notes_ends = wanted;
  state_->ended.clear();
}

std::vector<item_id> ledger::take_ended() {
  return std::exchange(state_->ended, {});
}

std::vector<arrival> ledger::arrivals() const {
  std::vector<arrival> out;
  for (const auto& [id, x] : state_->items_set_aside)
    if (x.where == state::set_aside_as::unadmitted)
      out.push_back(state_->arrival_of(x.item));
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  return out;
}

std::vector<ready_change> ledger::ready_counts() const {
  std::vector<ready_change> out;
  for (const auto& [key, priority_lane] : state_->lanes) {
    const auto& x = priority_lane.front();
    const auto band = state_->band_of(x);
    const auto count = static_cast<std::int32_t>(priority_lane.size());
    const auto known = std::find_if(out.begin(), out.end(), [&](auto& y) {
      return y.band == band && y.cls == x.cls;
    });
    if (known != out.end())
      known->delta += count;
    else
      out.push_back({band, x.cls, count});
  }
  return out;
}

micros ledger::next_due() const noexcept {
  const auto& deadlines = state_->deadlines;
  const auto& delays = state_->delays;
  if (deadlines.empty())
    return delays.empty() ? never : delays.begin()->first;
  if (delays.empty())
    return deadlines.begin()->first;
  return std::min(deadlines.begin()->first, delays.begin()->first);
}

micros ledger::oldest_ready() const noexcept {
  auto out = never;
  for (const auto& [key, priority_lane] : state_->lanes) {
    const auto& x = priority_lane.front();
    // Probably chosen next, and its body is in no processor's cache.
    __builtin_prefetch(x.body.get());
    out = out == never ? x.received_us : std::min(out, x.received_us);
  }
  return out;
}

micros ledger::claimed_since(item_id id) const noexcept {
  const auto at = state_->claims.find(id);
  return at == state_->claims.end() ? never : at->second.claimed_us;
}

bool ledger::idle() const noexcept {
  return size() == 0;
}

std::uint64_t ledger::size() const noexcept {
  return state_->pending() + state_->claims.size();
}

std::uint64_t ledger::pending() const noexcept {
  return state_->pending();
}

std::uint64_t ledger::bytes() const noexcept {
  return state_->bytes;
}

std::uint64_t ledger::bytes_max() const noexcept {
  return state_->bytes_max;
}

std::uint32_t ledger::claims() const noexcept {
  return static_cast<std::uint32_t>(state_->claims.size());
}

std::uint64_t ledger::parked() const noexcept {
  return state_->parked;
}

std::optional<item_view> ledger::glance(item_id id) const {
  const auto where = state_->find(id);
  if (where.item == nullptr)
    return std::nullopt;
  return state_->view(where);
}

std::optional<item_view> ledger::find(item_id id) const {
  auto out = glance(id);
  if (out && out->state == item_state::pending)
    out->ahead = state_->ahead_of(*state_->find(id).item);
  return out;
}

std::vector<item_view> ledger::items() const {
  auto& s = *state_;
  std::vector<item_view> out;
  out.reserve(size());
  for (auto& [key, priority_lane] : s.lanes)
    priority_lane.for_each([&](const stored_item& x) {
      out.push_back(s.view({&x}));
    });
  // What is ahead of an item is what precedes it in this order.
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::pair{a.priority, a.id} < std::pair{b.priority, b.id};
  });
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i].ahead = static_cast<std::uint32_t>(i);
  for (auto& [id, x] : s.claims)
    out.push_back(s.view({&x.item, &x, nullptr}));
  for (auto& [id, x] : s.items_set_aside)
    out.push_back(s.view({&x.item, nullptr, &x}));
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  return out;
}

} // namespace depositd::rules
