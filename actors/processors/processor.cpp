#include "actors/processors/processor.hpp"

#include "actors/processors/parts.hpp"
#include "messages/values/test_points.hpp"
#include "messages/values/trace_book.hpp"
#include "messages/values/trace_context.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace depositd::processors {

namespace {

/// The port that gave the item, and that its outcome goes to.
shard_number shard_at(self_pointer self, item_id id) {
  const auto& ports = self->state.ports;
  return ports.size() == 1 ? ports.front().shard : shard_of_item(id);
}

void end_if_finished(self_pointer self) {
  auto& state = self->state;
  if (state.finishing && state.held.empty())
    for (auto& promise : std::exchange(state.awaiting_end, {}))
      promise.deliver(done{});
}

void hand_back_all(self_pointer self) {
  self->state.hand_back_due = false;
  for (auto& [shard, outcomes] : std::exchange(self->state.ended, {}))
    hand_back(self, find_port(self, shard), std::move(outcomes));
  draw(self);
}

/// What ends at about the same time is one message, and one is not kept waiting
/// for those that are still in work.
void hand_back_soon(self_pointer self) {
  auto& state = self->state;
  if (state.in_work == 0)
    return hand_back_all(self);
  if (!std::exchange(state.hand_back_due, true))
    self->send(processor_self{self}, hand_back_ended{});
}

/// The handler is through with a claim.
void ended(self_pointer self, const claim_name& name, outcome what) {
  auto& state = self->state;
  const auto at = state.held.find(name);
  if (at == state.held.end() || !at->second.in_work)
    return; // it took too long, and that was its end
  --state.in_work;
  if (at->second.lost) {
    state.held.erase(at);
    draw(self);
    end_if_finished(self);
    return;
  }
  crash_point("outcome_ready");
  auto& item = at->second;
  item.in_work = false;
  item.ended = std::move(what);
  item.ended.member = item.member;
  state.ended[item.shard].push_back(item.ended);
  hand_back_soon(self);
}

held_item holding(self_pointer self, const claimed_item& item) {
  held_item out;
  out.shard = shard_at(self, item.id);
  out.member = item.member;
  out.user = item.user;
  const auto now = self->clock().now();
  out.since_us = self->state.options.clock.at(now);
  out.until = now + self->state.options.handler_timeout;
  out.ended.id = item.id;
  out.ended.token = item.token;
  out.ended.member = item.member;
  return out;
}

/// What was on its way when the slot was told to end costs no attempt.
void give_back(self_pointer self, const claimed_item& item) {
  auto held = holding(self, item);
  held.in_work = false;
  held.ended.says = verdict::release;
  hand_back(self, find_port(self, held.shard), {held.ended});
  self->state.held.emplace(claim_name{item.id, item.token}, std::move(held));
}

/// One timer of the slot for all its items: CAF's own would cost each of them
/// more than its hand-out.
void await_overdue(self_pointer self) {
  auto& state = self->state;
  auto first = caf::actor_clock::time_point::max();
  for (const auto& [name, item] : state.held)
    if (item.in_work)
      first = std::min(first, item.until);
  if (first == caf::actor_clock::time_point::max()
      || std::exchange(state.overdue_due, true))
    return;
  // A timer keeps even a slot that has ended, so it is never a long one.
  const auto pause = std::clamp<caf::actor_clock::duration_type>(
    first - self->clock().now(), std::chrono::seconds{0},
    std::chrono::minutes{1});
  self->delayed_send(self, pause, look_overdue{});
}

/// A handler that has not answered by now counts as a passing failure.
void end_overdue(self_pointer self) {
  auto& state = self->state;
  state.overdue_due = false;
  const auto now = self->clock().now();
  std::vector<std::pair<claim_name, outcome>> late;
  for (const auto& [name, item] : state.held)
    if (item.in_work && item.until <= now)
      late.emplace_back(name, item.ended);
  for (auto& [name, what] : late) {
    what.says = verdict::retry;
    what.reason =
      "handler: " + render(caf::make_error(caf::sec::request_timeout));
    ended(self, name, std::move(what));
  }
  await_overdue(self);
}

/// What came before this process did is known once it is handed out.
void note_trace_of(const claimed_item& item) {
  if (is_trace_book_open() && !trace_noted(item.id))
    note_trace(item.id, trace_of(item));
}

void process(self_pointer self, claimed_item& item) {
  note_trace_of(item);
  auto& state = self->state;
  const claim_name name{item.id, item.token};
  auto held = holding(self, item);
  auto fallback = held.ended;
  fallback.says = verdict::retry;
  if (!state.held.emplace(name, std::move(held)).second)
    return;
  if (spdlog::should_log(spdlog::level::debug))
    spdlog::debug("item_in_work sp={} slot={} item={} attempt={}{}",
                  state.options.name, state.options.slot, item.id, item.attempt,
                  trace_text(item));
  ++state.in_work;
  touch_later(self);
  look_later(self);
  if (!state.overdue_due)
    await_overdue(self);
  self
    ->request(state.options.handler, caf::infinite,
              handle_item{state.options.queue, state.options.name,
                          std::move(item), state.options.control})
    .then([=](outcome& x) { ended(self, name, std::move(x)); },
          [=](const caf::error& why) {
            auto failed = fallback;
            failed.reason = "handler: " + render(why);
            ended(self, name, std::move(failed));
          });
}

/// An outcome is durable, or its claim was not in force any more.
void settled(self_pointer self, const settlement& x) {
  auto& held = self->state.held;
  auto at = held.lower_bound({x.id, 0});
  while (at != held.end() && at->first.first == x.id && at->second.in_work)
    ++at;
  if (at == held.end() || at->first.first != x.id)
    return;
  if (!x.accepted)
    spdlog::warn("outcome_refused sp={} item={}", self->state.options.name,
                 x.id);
  held.erase(at);
}

void take(self_pointer self, deliver& x) {
  for (const auto& one : x.settled)
    settled(self, one);
  if (x.items.empty() && x.settled.empty() && x.purged.empty())
    take_count(self, x);
  for (auto& item : x.items) {
    if (auto* port = find_port(self, shard_of_item(item.id)))
      arrived(self, *port);
    if (self->state.finishing)
      give_back(self, item);
    else
      process(self, item);
  }
  end_if_finished(self);
}

slots_report::entry idle_row(const processor_options& options) {
  slots_report::entry out;
  out.node = options.node;
  out.processor = options.name;
  out.slot = options.slot;
  out.queue = options.queue;
  out.wants = options.wants;
  return out;
}

slots_report::entry busy_row(const processor_options& options, item_id id,
                             const std::string& user, micros since_us) {
  auto out = idle_row(options);
  out.item = id;
  out.user = user;
  out.since_us = since_us;
  return out;
}

/// Of what is in the hands of a thread, if that is known; else of what it has
/// held for longest.
slots_report report(self_pointer self) {
  const auto& state = self->state;
  const auto& options = state.options;
  slots_report out;
  const held_item* oldest = nullptr;
  item_id its_id = 0;
  for (const auto& [name, item] : state.held) {
    if (!item.in_work)
      continue;
    if (options.begun) {
      if (const auto since = options.begun(name.first); since != never)
        out.entries.push_back(
          busy_row(options, name.first, item.user, since));
    } else if (oldest == nullptr || item.since_us < oldest->since_us) {
      oldest = &item;
      its_id = name.first;
    }
  }
  if (oldest != nullptr)
    out.entries = {busy_row(options, its_id, oldest->user, oldest->since_us)};
  if (out.entries.empty())
    out.entries = {idle_row(options)};
  return out;
}

caf::result<done> finish(self_pointer self) {
  auto& state = self->state;
  state.finishing = true;
  stop_drawing(self);
  if (state.held.empty())
    return done{};
  auto promise = self->make_response_promise<done>();
  state.awaiting_end.push_back(promise);
  return promise;
}

void down(self_pointer self, const caf::down_msg& x) {
  const auto& owner = self->state.options.owner;
  if (owner && owner.address() == x.source)
    self->quit(caf::exit_reason::user_shutdown);
  else
    lose_port(self, x.source);
}

} // namespace

processor_self::behavior_type processor(actor_with<processor_state>* self,
                                        processor_options options) {
  self->state.options = std::move(options);
  self->set_down_handler([=](const caf::down_msg& x) { down(self, x); });
  if (const auto& owner = self->state.options.owner)
    self->monitor(owner);
  self->link_to(self->state.options.handler);
  take_ports(self, self->state.options.ports);
  return {
    [=](deliver& x) { take(self, x); },
    [=](report_slot) { return report(self); },
    [=](finish_slot) { return finish(self); },
    [=](const use_ports& x) { take_ports(self, x.found); },
    [=](const control_changed& x) { self->state.options.control = x.state; },
    [=](const attach_again& x) {
      auto* port = find_port(self, x.shard);
      if (port != nullptr && port->queue == x.queue && port->number == 0)
        attach_to(self, *port);
    },
    [=](renewal_due) { touch_all(self); },
    [=](look_at_ports) { look_again(self); },
    [=](look_overdue) { end_overdue(self); },
    [=](hand_back_ended) { hand_back_all(self); },
  };
}

} // namespace depositd::processors
