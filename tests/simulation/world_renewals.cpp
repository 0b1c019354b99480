// Claims that are made to last for longer, are given back or taken away, and
// processors that leave and come back without dying.

#include "messages/processors.hpp"
#include "messages/receiving.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace depositd::simulation {

namespace {

constexpr std::uint32_t lease_ms_max = 30'000;

std::vector<item_id> ids_of(const std::vector<item_name>& names) {
  std::vector<item_id> out;
  for (const auto& one : names)
    out.push_back(one.id);
  return out;
}

} // namespace

void world::step_of_renewals() {
  switch (renewal_chance_.below(8)) {
    default:
      return trouble_worker();
    case 3:
      return poll();
    case 4:
    case 5:
    case 6:
      return renew_polled();
    case 7:
      return renewal_chance_.one_in(3) ? release_all() : poll();
  }
}

/// By name, as doors do that never hear of tokens. Some of the items ended long
/// ago, or are somebody else's by now.
void world::renew_polled() {
  if (polled_.empty())
    return poll();
  const auto& first = polled_[renewal_chance_.below(
    static_cast<std::uint32_t>(polled_.size()))];
  renew_items message;
  message.queue = first.queue;
  message.taker = "poller";
  for (const auto& one : polled_)
    if (one.queue == first.queue && message.items.size() < 5
        && (one.name == first.name || renewal_chance_.one_in(2)))
      message.items.push_back(one.name);
  if (!renewal_chance_.one_in(3))
    message.lease_ms = 1 + renewal_chance_.below(lease_ms_max);
  if (renewal_chance_.one_in(4))
    message.claims_max = renewal_chance_.below(4);
  const auto number = ++renewals_;
  tell(renewal_wanted{number, 0, message.queue, false, ids_of(message.items),
                      message.lease_ms});
  ask(std::move(message),
      [=, this](const done&) { tell(renewed_as_wanted{number}); });
}

/// Whoever has any of it.
void world::release_all() {
  const std::string queue = queue_names[renewal_chance_.below(4)];
  const auto number = ++renewals_;
  tell(renewal_wanted{number, 0, queue, true, {}, 0});
  ask(release_queue{queue},
      [=, this](const done&) { tell(renewed_as_wanted{number}); });
}

void world::trouble_worker() {
  std::vector<simulated_worker*> some;
  for (const auto& worker : workers_)
    if (!worker->gone && !worker->quick && !worker->doors.empty())
      some.push_back(worker.get());
  if (some.empty())
    return add_processor();
  auto& who = *some[renewal_chance_.below(
    static_cast<std::uint32_t>(some.size()))];
  switch (renewal_chance_.below(6)) {
    default:
      return renew_holdings(who);
    case 4:
      return leave_and_come_back(who);
    case 5:
      return pause_asking(who);
  }
}

/// Of what it has; each shard knows its own.
void world::renew_holdings(const simulated_worker& who) {
  for (const auto& in : who.doors) {
    renew_claims what;
    what.processor = in.number;
    if (renewal_chance_.one_in(2))
      what.lease_ms = 1 + renewal_chance_.below(lease_ms_max);
    renewal_wanted wish;
    wish.number = ++renewals_;
    wish.processor = who.number;
    wish.queue = who.queue;
    wish.lease_ms = what.lease_ms == 0 ? who.lease_ms : what.lease_ms;
    for (const auto& one : who.holds)
      if (!is_shared() || in.shard == shard_of_item(one.item.id)) {
        what.claims.push_back({one.item.id, one.item.token, one.item.member});
        wish.ids.push_back(one.item.id);
      }
    if (in.number == 0 || what.claims.empty())
      continue;
    tell(std::move(wish));
    caf::anon_send(in.door, std::move(what));
  }
}

/// What it has is somebody else's then; it works on, and is told so.
void world::leave_and_come_back(simulated_worker& who) {
  for (const auto& in : who.doors)
    if (in.number != 0)
      caf::anon_send(in.door, detach{in.number});
  who.doors.clear();
  who.looking = true;
  who.missing = 0;
  caf::anon_send(who.actor, attach_again{});
}

/// It wants nothing more for a while, and then as much as before.
void world::pause_asking(simulated_worker& who) {
  const auto missing = std::exchange(who.missing, 0);
  if (missing > 0) {
    for (const auto& in : who.doors)
      if (in.number != 0)
        caf::anon_send(in.door, settle_and_request{in.number, missing, {}});
    return;
  }
  if (who.holds.size() >= who.slots)
    return;
  who.missing = who.slots - static_cast<std::uint32_t>(who.holds.size());
  // What is on its way comes as well.
  tell(processor_joined{who.number, who.queue, who.wants, 3 * who.slots});
  for (const auto& in : who.doors)
    if (in.number != 0)
      caf::anon_send(in.door, cancel_credit{in.number});
}

} // namespace depositd::simulation
