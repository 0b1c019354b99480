// Decisions that take items away from where they wait: into equal ones, or to
// other queues.

#include "actors/rules/ledger/ledger.hpp"
#include "actors/rules/ledger/state.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace depositd::rules {

namespace {

event collapsed(const std::string& queue, item_id id, micros now) {
  item_finished out;
  out.id = id;
  out.queue = queue;
  out.how = ending::collapsed;
  out.finished_us = now;
  return out;
}

} // namespace

bool ledger::swallows(std::uint64_t digest) const noexcept {
  return digest != 0 && state_->digests.contains(digest);
}

std::vector<event> ledger::collapse(const std::vector<item_id>& ids,
                                    micros now) const {
  std::vector<event> out;
  for (const auto id : ids) {
    const auto where = state_->find(id);
    if (where.item == nullptr || where.item->attempt > 0
        || where.claimed != nullptr
        || (where.set_aside != nullptr
            && where.set_aside->where != state::set_aside_as::unadmitted))
      continue;
    out.push_back(collapsed(state_->queue, id, now));
  }
  return out;
}

std::vector<event> ledger::move_out(const move_limits& how,
                                    const ledger& destination,
                                    micros now) const {
  const auto& s = *state_;
  const auto leaving = s.items_up_to(how.id_last, how.count_max);
  std::unordered_set<std::uint64_t> seen;
  std::vector<event> out;
  out.reserve(leaving.size());
  for (const auto& x : leaving) {
    const auto keyed =
      x.digest != 0
      && destination.state_->settings.dedup == dedup_mode::while_pending;
    if (keyed
        && (destination.swallows(x.digest) || !seen.insert(x.digest).second))
      out.push_back(collapsed(s.queue, x.id, now));
    else
      out.emplace_back(item_moved{x.id, s.queue, how.to, now});
  }
  return out;
}

std::vector<waiting_item> ledger::waiting(std::size_t count_max) const {
  const auto& s = *state_;
  std::vector<waiting_item> out;
  for (const auto& x :
       s.items_up_to(std::numeric_limits<item_id>::max(), count_max)) {
    if (s.claims.contains(x.id))
      continue;
    const auto aside = s.items_set_aside.find(x.id);
    out.push_back(
      {x.id, x.priority, x.size, x.received_us,
       aside == s.items_set_aside.end() ? never : aside->second.available_us,
       x.kind, x.body, x.place});
  }
  return out;
}

bool ledger::holds_up_to(item_id id_last) const {
  const auto& s = *state_;
  const auto old = [&](const auto& entry) { return entry.first <= id_last; };
  return std::any_of(s.lanes.begin(), s.lanes.end(),
                     [&](const auto& entry) {
                       return entry.second.front().id <= id_last;
                     })
         || std::any_of(s.claims.begin(), s.claims.end(), old)
         || std::any_of(s.items_set_aside.begin(), s.items_set_aside.end(),
                        old);
}

} // namespace depositd::rules
