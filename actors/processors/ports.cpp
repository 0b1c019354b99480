#include "actors/processors/parts.hpp"

#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace depositd::processors {

namespace {

bool is_remote(self_pointer self, const processor_port& port) {
  return port.queue && port.queue.node() != self->node();
}

/// The same at every reconnect, so that claims can be found by it.
std::string name_of(const processor_options& x) {
  const auto slot = x.name + "/" + std::to_string(x.slot);
  return x.node.empty() ? slot : x.node + "/" + slot;
}

std::size_t attached_ports(self_pointer self) {
  const auto& ports = self->state.ports;
  return static_cast<std::size_t>(std::count_if(
    ports.begin(), ports.end(), [](const auto& x) { return x.number != 0; }));
}

std::vector<claim_name> claims_at(self_pointer self, shard_number shard) {
  std::vector<claim_name> out;
  for (const auto& [name, item] : self->state.held)
    if (item.shard == shard && !item.lost)
      out.push_back(name);
  return out;
}

/// The claim is not in force. An outcome that was told before may be the
/// reason: it was durable, and only the answer was lost.
void give_up(self_pointer self, std::map<claim_name, held_item>::iterator at) {
  const auto name = name_of(self->state.options);
  if (at->second.in_work) {
    spdlog::warn("claim_lost sp={} item={}", name, at->first.first);
    at->second.lost = true;
  } else {
    spdlog::info("outcome_known_or_late sp={} item={}", name, at->first.first);
    self->state.held.erase(at);
  }
}

/// What the queue says of claims that were named to it.
void take_eligibility(self_pointer self, processor_port& port,
                      const std::vector<claim_name>& named,
                      const std::vector<std::uint32_t>& members) {
  auto& state = self->state;
  state.ended.erase(port.shard); // all of them are told here
  std::vector<outcome> ended;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const auto at = state.held.find(named[i]);
    if (at == state.held.end())
      continue;
    auto& item = at->second;
    const auto member = i < members.size() ? members[i] : no_member;
    if (member == no_member) {
      give_up(self, at);
      continue;
    }
    item.member = member;
    item.ended.member = member;
    if (!item.in_work && !seeded_bug("outcome_not_said_again"))
      ended.push_back(item.ended);
  }
  if (!ended.empty())
    hand_back(self, &port, std::move(ended));
}

/// The owner says it for all slots: what keeps one mostly keeps all. Without a
/// reason: this one is attached.
void tell_owner(self_pointer self, shard_number shard, std::string reason) {
  auto& state = self->state;
  const bool was_refused = state.refused.erase(shard) > 0;
  if (!reason.empty())
    state.refused.insert(shard);
  const auto& options = state.options;
  if (options.owner && (was_refused || !reason.empty()))
    self->send(options.owner, attaching{name_of(options), shard, options.queue,
                                        std::move(reason)});
}

void attach_later(self_pointer self, shard_number shard,
                  const queue_port_actor& queue, const caf::error& why) {
  const auto* port = find_port(self, shard);
  if (port == nullptr || port->queue != queue)
    return; // it went, or another came, meanwhile
  tell_owner(self, shard, render(why));
  self->delayed_send(self, std::chrono::seconds{1},
                     attach_again{shard, queue});
}

void attached_to(self_pointer self, shard_number shard,
                 const queue_port_actor& queue, const attached& x,
                 const std::vector<claim_name>& named) {
  auto* port = find_port(self, shard);
  if (port == nullptr || port->queue != queue)
    return; // it went, or another came, meanwhile
  tell_owner(self, shard, {});
  port->number = x.processor;
  port->credit = 0;
  open_draws(self, *port);
  take_eligibility(self, *port, named, x.members);
  if (!self->state.held.empty())
    touch_later(self);
  if (self->state.waits_at_all && credit_out(self) > 0
      && !self->state.finishing)
    ask(self, *port, 1, true); // the others may wait for a long time
  else
    draw(self);
}

} // namespace

std::uint32_t credit_out(self_pointer self) {
  std::uint32_t out = 0;
  for (const auto& port : self->state.ports)
    out += port.credit;
  return out;
}

void ask(self_pointer self, processor_port& port, std::uint32_t credit,
         bool waits) {
  port.credit += credit;
  settle_and_request what;
  what.processor = port.number;
  what.credit = credit;
  what.waits = waits;
  self->send(port.queue, std::move(what));
}

processor_port* find_port(self_pointer self, shard_number shard) {
  auto& ports = self->state.ports;
  if (ports.size() == 1) // a queue in one shard, whatever its items are called
    return &ports.front();
  const auto at = std::find_if(ports.begin(), ports.end(),
                               [&](const auto& x) { return x.shard == shard; });
  return at == ports.end() ? nullptr : &*at;
}

void attach_to(self_pointer self, processor_port& port) {
  const auto& options = self->state.options;
  attach request{processor_actor{self},
                 name_of(options),
                 options.wants,
                 is_remote(self, port) ? options.lease_ms : 0,
                 {}};
  const auto named = claims_at(self, port.shard);
  for (const auto& claim : named)
    request.holds.push_back(
      {claim.first, claim.second, self->state.held.at(claim).user});
  const auto shard = port.shard;
  const auto queue = port.queue;
  self->request(queue, options.request_timeout, std::move(request))
    .then([=](const attached& x) { attached_to(self, shard, queue, x, named); },
          [=](const caf::error& why) {
            attach_later(self, shard, queue, why);
          });
}

void take_ports(self_pointer self, const ports_opened& found) {
  auto& ports = self->state.ports;
  for (const auto& x : found.ports) {
    auto at = std::find_if(ports.begin(), ports.end(),
                           [&](const auto& y) { return y.shard == x.shard; });
    if (at == ports.end())
      at = ports.insert(ports.end(), processor_port{x.shard});
    else if (at->queue == x.queue)
      continue;
    if (at->queue)
      self->demonitor(at->queue.address());
    close_draws(self, *at);
    *at = {x.shard, x.queue};
    self->monitor(x.queue);
    attach_to(self, *at);
  }
}

void lose_port(self_pointer self, const caf::actor_addr& who) {
  for (auto& port : self->state.ports)
    if (port.queue && port.queue.address() == who) {
      close_draws(self, port);
      port = processor_port{port.shard};
      draw(self); // from the others
    }
}

void draw(self_pointer self) {
  auto& state = self->state;
  const auto ports = attached_ports(self);
  const auto taken = state.in_work + credit_out(self);
  if (state.finishing || ports == 0 || taken >= state.options.capacity)
    return;
  if (state.ports.size() > 1) {
    if (credit_out(self) == 0)
      probe(self);
    return;
  }
  ask(self, state.ports.front(), state.options.capacity - taken, true);
}

void hand_back(self_pointer self, processor_port* port,
               std::vector<outcome> outcomes) {
  auto& state = self->state;
  if (port == nullptr || port->number == 0)
    return;
  settle_and_request what;
  what.processor = port->number;
  what.outcomes = std::move(outcomes);
  const auto taken = state.in_work + credit_out(self);
  // The next item in the same message, where there is but one place to ask.
  if (state.ports.size() == 1 && !state.finishing
      && taken < state.options.capacity) {
    what.credit = state.options.capacity - taken;
    port->credit += what.credit;
  }
  self->send(port->queue, std::move(what));
}

void stop_drawing(self_pointer self) {
  for (auto& port : self->state.ports)
    if (port.credit > 0) {
      self->send(port.queue, cancel_credit{port.number});
      port.credit = 0;
    }
}

void touch_later(self_pointer self) {
  auto& state = self->state;
  const auto& ports = state.ports;
  if (state.touching || std::none_of(ports.begin(), ports.end(), [&](auto& x) {
        return is_remote(self, x);
      }))
    return;
  state.touching = true;
  self->delayed_send(
    self, std::chrono::milliseconds{std::max(1u, state.options.lease_ms / 3)},
    renewal_due{});
}

void touch_all(self_pointer self) {
  auto& state = self->state;
  state.touching = false;
  for (auto& port : state.ports) {
    if (port.number == 0 || !is_remote(self, port))
      continue;
    renew_claims what{port.number, {}};
    for (const auto& claim : claims_at(self, port.shard))
      what.claims.push_back(
        {claim.first, claim.second, state.held.at(claim).member});
    if (!what.claims.empty())
      self->send(port.queue, std::move(what));
  }
  if (!state.held.empty())
    touch_later(self);
}

} // namespace depositd::processors
