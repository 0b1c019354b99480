#include "actors/rules/ring/state.hpp"

#include <algorithm>

namespace depositd::rules {

// Invariant: a view at which somebody waits and which can be served is among
// `required_stirred`, or its class is `stirred`. So `next_match` looks at
// nothing unless somebody became eligible or came to wait.

void ring::state::stir_required(view_number number) {
  const auto& view = *views[number];
  if (!view.waiting.empty())
    required_stirred.insert({view.waiting.front().ticket, number});
}

void ring::state::enlist(view_number number) {
  const auto& view = *views[number];
  if (view.waiting.empty())
    return;
  const ticketed entry{view.waiting.front().ticket, number};
  if (!view.required())
    open_waiting[view.key.class_max].insert(entry);
  else if (view.lists.filled.any())
    required_stirred.insert(entry);
}

void ring::state::delist(view_number number) {
  const auto& view = *views[number];
  const ticketed entry{view.waiting.front().ticket, number};
  if (view.required())
    required_stirred.erase(entry);
  else
    open_waiting[view.key.class_max].erase(entry);
}

void ring::state::forget_request(view_number number,
                                 std::list<waiting_request>::iterator at) {
  auto& view = *views[number];
  const bool first = at == view.waiting.begin();
  if (first)
    delist(number);
  view.waiting.erase(at);
  if (first)
    enlist(number);
}

void ring::wait(view_number number, std::uint64_t taker, std::uint32_t count) {
  auto& s = *state_;
  auto& view = *s.views[number];
  if (count == 0)
    return;
  // Nobody came in between: the same as one larger request.
  if (!view.waiting.empty() && view.waiting.back().taker == taker
      && view.waiting.back().ticket == s.ticket_last) {
    view.waiting.back().count += count;
    return;
  }
  view.waiting.push_back({++s.ticket_last, taker, count});
  s.takers[taker].push_back({number, std::prev(view.waiting.end())});
  if (view.waiting.size() > 1)
    return;
  s.enlist(number);
  if (!view.required())
    s.stirred[view.key.class_max] = true;
}

std::uint32_t ring::stop_waiting(std::uint64_t taker) {
  auto& s = *state_;
  const auto found = s.takers.find(taker);
  if (found == s.takers.end())
    return 0;
  std::uint32_t count = 0;
  for (const auto& x : found->second) {
    count += x.at->count;
    s.forget_request(x.view, x.at);
  }
  s.takers.erase(found);
  return count;
}

std::optional<std::pair<view_number, ring::state::candidate>>
ring::state::first_waiting() {
  std::optional<std::pair<view_number, candidate>> out;
  auto ticket = ~std::uint64_t{0};
  while (!required_stirred.empty()) {
    const auto at = required_stirred.begin();
    if (const auto who = find(*views[at->second])) {
      ticket = at->first;
      out = {at->second, *who};
      break;
    }
    required_stirred.erase(at);
  }
  for (size_class cls = 0; cls < cells.classes(); ++cls) {
    if (!stirred[cls])
      continue;
    stirred[cls] = false;
    if (!main[cls].filled.any())
      continue;
    for (const auto& entry : open_waiting[cls]) {
      if (entry.first > ticket) {
        stirred[cls] = true; // not looked at to the end
        break;
      }
      if (const auto who = find(*views[entry.second])) {
        stirred[cls] = true;
        ticket = entry.first;
        out = {entry.second, *who};
        break;
      }
    }
  }
  return out;
}

std::optional<ring::match> ring::next_match() {
  auto& s = *state_;
  const auto found = s.first_waiting();
  if (!found)
    return std::nullopt;
  const auto& [number, who] = *found;
  auto& view = *s.views[number];
  const auto front = view.waiting.begin();
  const match out{front->taker, s.take(view, who)};
  if (--front->count > 0)
    return out;
  const auto entry = s.takers.find(out.taker);
  auto& requests = entry->second;
  requests.erase(
    std::find_if(requests.begin(), requests.end(),
                 [front](const state::parked& x) { return x.at == front; }));
  if (requests.empty())
    s.takers.erase(entry);
  s.forget_request(number, front);
  return out;
}

} // namespace depositd::rules
