// What the shard and its queues have a user's actor do beyond handing out: for
// equal payloads, for operators, for the disk, for whoever looks.

#include "actors/journal/reply.hpp"
#include "actors/users/command.hpp"
#include "actors/users/parts.hpp"

#include <algorithm>

namespace depositd::users {

void admit(self_pointer self, const admit_items& x) {
  auto* queue = find_queue(self, x.queue);
  if (queue == nullptr)
    return;
  report_extras extras;
  for (const auto& item : x.items)
    if (!queue->ledger.admit(item.id, x.counted) && x.counted)
      extras.not_there.push_back({item.band, item.cls, 1});
  report(self, *queue, std::move(extras));
}

void collapse(self_pointer self, const collapse_items& x) {
  auto* queue = find_queue(self, x.queue);
  if (queue == nullptr)
    return;
  user_command todo{self};
  report_extras extras;
  extras.collapses_done = static_cast<std::uint32_t>(x.ids.size());
  for (auto& ended : queue->ledger.collapse(x.ids, now(self))) {
    ++extras.finished;
    todo.happen(*queue, std::move(ended));
  }
  report(self, *queue, std::move(extras));
  todo.commit();
}

caf::result<items_moved> move_out(self_pointer self, const move_items& x) {
  auto* from = find_queue(self, x.from);
  auto* to = find_queue(self, x.to);
  items_moved out;
  if (from == nullptr || to == nullptr)
    return out;
  user_command todo{self};
  report_extras extras;
  for (auto& e : from->ledger.move_out({to->name, x.id_last, x.count_max},
                                       to->ledger, now(self))) {
    ++out.moved;
    if (auto* moved = std::get_if<item_moved>(&e)) {
      todo.move(*from, *to, std::move(*moved));
    } else {
      ++extras.finished;
      todo.happen(*from, std::move(e));
    }
  }
  out.more = from->ledger.holds_up_to(x.id_last);
  todo.deliver(reply{journal::take_reply(self), caf::make_message(out)});
  report(self, *from, std::move(extras));
  report(self, *to);
  todo.commit();
  return journal::answered_later<items_moved>();
}

void park(self_pointer self, const park_items& x) {
  user_command todo{self};
  auto* queue = find_queue(self, x.queue);
  if (queue != nullptr)
    for (auto& parked : queue->ledger.park(x.ids, x.parked))
      todo.happen(*queue, std::move(parked));
  todo.deliver(x.answer);
  if (queue != nullptr)
    report(self, *queue);
  todo.commit();
}

void purge(self_pointer self, const purge_items& x) {
  user_command todo{self};
  auto* queue = find_queue(self, x.queue);
  if (queue != nullptr)
    for (auto& purged : queue->ledger.purge(now(self)))
      todo.happen(*queue, std::move(purged));
  todo.deliver(x.answer);
  if (queue != nullptr)
    report(self, *queue);
  todo.commit();
}

/// Writes bodies again that keep an old segment alive. Those that must be read
/// from it first are few: the projector asks for them a handful at a time.
void compact(self_pointer self, const compact_bodies& x) {
  auto* queue = find_queue(self, x.queue);
  if (queue == nullptr)
    return;
  user_command todo{self};
  for (std::size_t i = 0; i < x.ids.size(); ++i) {
    auto body = queue->ledger.body(x.ids[i]);
    if (body == nullptr)
      body = x.bodies[i];
    if (body == nullptr || !queue->ledger.find(x.ids[i]))
      continue;
    // One that still waits for its first place must not stay with that one.
    auto& unbudgeted = self->state.unbudgeted;
    if (queue->ledger.body(x.ids[i]) == nullptr
        || unbudgeted.count(x.ids[i]) > 0) {
      unbudgeted.insert(x.ids[i]);
      todo.ask_locations(*queue);
    }
    todo.happen(*queue, body_compacted{x.ids[i], queue->name, *body, {}}, body);
  }
  todo.commit();
}

caf::result<item_found> find(self_pointer self, item_id id) {
  for (auto& [number, queue] : self->state.queues)
    if (auto item = queue.ledger.find(id))
      return item_found{true, number, std::move(*item)};
  return item_found{};
}

caf::result<user_report> report_sizes(self_pointer self) {
  user_report out{self->state.options.user, {}};
  for (auto& [number, queue] : self->state.queues)
    out.entries.push_back({queue.name, queue.ledger.size(),
                           queue.ledger.pending(), queue.ledger.claims(),
                           queue.ledger.parked()});
  return out;
}

caf::result<retired> leave(self_pointer self) {
  const auto idle =
    std::all_of(self->state.queues.begin(), self->state.queues.end(),
                [](const auto& entry) { return entry.second.ledger.idle(); });
  if (idle)
    self->quit();
  return retired{idle};
}

} // namespace depositd::users
