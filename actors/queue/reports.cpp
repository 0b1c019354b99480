#include "actors/queue/parts.hpp"

#include <algorithm>
#include <chrono>

namespace depositd::queue {

std::int64_t now_s(self_pointer self) {
  return std::chrono::duration_cast<std::chrono::seconds>(
           self->clock().now().time_since_epoch())
    .count();
}

queue_report report(self_pointer self) {
  const auto& state = self->state;
  queue_report out;
  out.name = state.options.name;
  out.settings = state.options.settings;
  out.server_suspended = state.options.server_suspended;
  out.ready = state.ring.ready_total();
  out.in_flight = state.ring.in_flight_total();
  out.users = state.ring.users();
  out.eligible_users = state.ring.eligible_users();
  out.processors = static_cast<std::uint32_t>(state.processors.size());
  out.handed_out = state.handed_out;
  out.finished = state.finished;
  out.items = state.items;
  out.requeued = state.requeued;
  out.timed_out = state.timed_out;
  return out;
}

members_report report_all_members(self_pointer self) {
  const auto& state = self->state;
  const auto& ring = state.ring;
  // One walk for all: to ask for each turn by itself is a walk for each.
  std::vector<std::uint32_t> turns(state.members.size(), 0);
  std::uint32_t turn = 0;
  for (const auto m : ring.in_turn(ring.users()))
    turns[m] = ++turn;
  members_report out{state.options.name, {}};
  for (member_number i = 0; i < state.members.size(); ++i)
    if (state.members[i].actor) {
      out.entries.push_back({state.members[i].user, ring.describe(i)});
      out.entries.back().report.turn = turns[i];
    }
  return out;
}

ring_report report_turns(self_pointer self, const report_ring& x) {
  const auto& state = self->state;
  const auto& ring = state.ring;
  ring_report out;
  out.queue = state.options.name;
  out.suspended = state.options.settings.suspended;
  out.server_suspended = state.options.server_suspended;
  out.processors = static_cast<std::uint32_t>(state.processors.size());
  out.eligible_users = ring.eligible_users();
  out.ready = ring.ready_total();
  out.in_flight = ring.in_flight_total();
  out.turns_taken = state.handed_out;
  out.finished_per_hour = state.pace.per_hour(now_s(self));
  for (const auto m : ring.in_turn(x.count_max)) {
    out.in_turn.push_back({state.members[m].user, ring.describe(m)});
    out.in_turn.back().report.turn =
      static_cast<std::uint32_t>(out.in_turn.size());
  }
  for (const auto m : ring.out_of_turn(x.count_max))
    out.out_of_turn.push_back({state.members[m].user, ring.describe(m)});
  if (x.of && find_member(self, *x.of) != nullptr) {
    const auto report = ring.explain(*x.of);
    auto& to =
      report.state == eligibility::eligible ? out.in_turn : out.out_of_turn;
    to.push_back({state.members[*x.of].user, report});
  }
  return out;
}

member_explained explain(self_pointer self, const explain_member& x) {
  const auto& state = self->state;
  member_explained out;
  if (find_member(self, x.member) != nullptr)
    out.report = state.ring.explain(x.member);
  out.suspended = state.options.settings.suspended;
  out.server_suspended = state.options.server_suspended;
  out.processors = static_cast<std::uint32_t>(state.processors.size());
  for (const auto& [number, processor] : state.processors)
    if (x.size <= processor.wants.size_max
        && state.ring.admits(processor.view, x.member))
      ++out.processors_matching;
  return out;
}

processors_report report_all_processors(self_pointer self) {
  processors_report out;
  for (const auto& [number, x] : self->state.processors)
    out.entries.push_back({x.name, self->state.options.name,
                           x.local ? "" : caf::to_string(x.actor.node()),
                           x.wants, x.credit,
                           static_cast<std::uint32_t>(
                             std::max<std::int64_t>(x.holds, 0)),
                           x.local});
  return out;
}

} // namespace depositd::queue
