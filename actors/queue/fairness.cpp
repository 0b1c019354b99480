// What the queue shares out between its users, where it is not turns: what they
// have spent comes and goes with picks and with what users' actors tell.

#include "actors/queue/parts.hpp"

namespace depositd::queue {

void use_terms(self_pointer self, const fair_terms& x) {
  auto& state = self->state;
  if (state.options.fair == x)
    return;
  // It may have been changed to and fro since it was told last.
  if (state.options.fair.by == x.by)
    state.ring.set_fair_by(fair_by::turns);
  state.ring.set_fair_by(x.by);
  state.options.fair = x;
  for (auto& member : state.members)
    member.costs_heard = 0;
}

void add_terms(self_pointer self, member_number number, hand_over& to) {
  const auto& state = self->state;
  to.fair = state.options.fair;
  to.costs_heard = state.members[number].costs_heard;
  to.cost_floor = state.ring.cost_floor();
  to.claims_max = state.ring.look(number).concurrency;
}

void take_costs(self_pointer self, const counts_changed& x,
                rules::ring::news& to) {
  auto& state = self->state;
  if (x.fair_since != state.options.fair.since)
    return;
  to.cost_each = x.bytes_each;
  if (x.charged == 0 && x.cost == 0)
    return;
  to.charged = x.charged;
  to.cost = x.cost;
  ++state.members[x.member].costs_heard;
}

void undo_picks(self_pointer self, const picks_declined& x) {
  auto& state = self->state;
  state.counters.n[count_declined] += x.picks.size();
  for (auto pick : x.picks) {
    if (find_member(self, pick.member) == nullptr)
      continue; // its user has left
    if (x.fair_since != state.options.fair.since)
      pick.charge = 0; // it was forgotten with everything else
    state.ring.undo(pick);
  }
}

} // namespace depositd::queue
