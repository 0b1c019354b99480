#include "actors/queue/parts.hpp"

#include <algorithm>

namespace depositd::queue {

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
  members_report out{state.options.name, {}};
  for (member_number i = 0; i < state.members.size(); ++i)
    if (state.members[i].actor)
      out.entries.push_back({state.members[i].user, state.ring.explain(i)});
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
