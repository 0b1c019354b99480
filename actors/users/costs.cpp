// What the user's items cost in queues that share out bytes or time.

#include "actors/users/command.hpp"

#include <memory>

namespace depositd::users {

void use_fair_terms(self_pointer self, user_queue& queue,
                    const fair_terms& terms, const cost_sum& paid,
                    std::uint32_t weight) {
  if (queue.costs ? queue.costs->terms() == terms : terms.by == fair_by::turns)
    return;
  queue.costs =
    terms.by == fair_by::turns
      ? nullptr
      : std::make_unique<rules::cost_account>(terms, paid, weight, now(self));
  queue.ledger.note_ends(terms.by == fair_by::seconds);
}

void meet_picks(self_pointer self, user_queue& queue, const hand_over& x) {
  if (x.fair.since > (queue.costs ? queue.costs->terms().since : 0))
    use_fair_terms(self, queue, x.fair, {}, 1); // each pick has its weight
  if (queue.costs && queue.costs->terms() == x.fair)
    queue.costs->meet_picks(x.costs_heard, x.cost_floor);
}

void charge(user_queue& queue, const hand_over& x, const pick& what,
            const rules::handed_item& taken) {
  if (!queue.costs)
    return;
  const auto id = taken.claim.id;
  const auto time = taken.claim.claimed_us;
  if (queue.costs->terms() == x.fair)
    queue.costs->take(what, id, taken.size, time);
  else
    queue.costs->take_unpicked(id, taken.size, time, true);
}

void charge_unpicked(user_queue& queue, const item_claimed& x) {
  if (!queue.costs)
    return;
  const auto item = queue.ledger.glance(x.id);
  queue.costs->take_unpicked(x.id, item ? item->size : 0, x.claimed_us);
}

void settle_costs(user_command& todo, user_pointer self) {
  auto& queue = *todo.queue;
  auto& costs = *queue.costs;
  for (const auto id : queue.ledger.take_ended())
    costs.end(id, now(self));
  const auto news = costs.take_news();
  if (!news)
    return;
  todo.note(ring_paid{queue.name, news->paid.spent, news->paid.floor,
                      costs.terms().since});
  todo.extras.charged = news->charged;
  todo.extras.cost = news->cost;
}

} // namespace depositd::users
