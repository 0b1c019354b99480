// What the shard and its queues have a user's actor do beyond handing out: for
// equal payloads, for operators, for the disk, for whoever looks.

#include "actors/users/command.hpp"
#include "messages/values/test_points.hpp"

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

namespace {

/// What is delayed stays so, but where it has to be compared with what waits:
/// there it counts as new.
void move_one(user_command& todo, user_queue& to, item_moved x) {
  const auto item = todo.queue->ledger.glance(x.id);
  const auto id = x.id;
  todo.move(std::move(x), to);
  if (item && item->available_us != never
      && to.settings.dedup != dedup_mode::between_polls)
    todo.happen_in(to, item_delayed{id, to.name, item->available_us});
}

} // namespace

caf::result<items_moved> move_out(self_pointer self, const move_items& x) {
  user_command todo{self, x.from};
  auto* to = find_queue(self, x.to);
  items_moved out;
  if (todo.queue == nullptr || to == nullptr)
    return out;
  const auto& ledger = todo.queue->ledger;
  for (auto& e : ledger.move_out({to->name, x.id_last, x.count_max}, to->ledger,
                                 now(self))) {
    ++out.moved;
    if (auto* moved = std::get_if<item_moved>(&e))
      move_one(todo, *to, std::move(*moved));
    else
      todo.end(std::move(e));
  }
  out.more = ledger.holds_up_to(x.id_last);
  report(self, *to);
  return todo.commit_and_answer(out);
}

caf::result<done> park(self_pointer self, const park_items& x) {
  user_command todo{self, x.queue};
  if (todo.queue != nullptr)
    for (auto& parked : todo.queue->ledger.park(x.ids, x.parked))
      todo.happen(std::move(parked));
  return todo.commit_and_answer(done{});
}

caf::result<items_cancelled> cancel(self_pointer self, const cancel_items& x) {
  user_command todo{self, x.queue};
  items_cancelled out;
  if (todo.queue != nullptr)
    for (auto& ended : todo.queue->ledger.cancel(x.ids, x.reason, now(self))) {
      ++out.count;
      end_claim(todo, self, std::move(ended), true);
    }
  return todo.commit_and_answer(out);
}

namespace {

/// Why a live item cannot be cancelled; none if it can.
caf::error check_cancel(const user_queue& queue, const item_view& item) {
  const auto refuse = [&](const std::string& why) {
    return caf::make_error(ec::invalid_argument,
                           std::to_string(item.id) + " " + why);
  };
  if (queue.settings.kind == queue_kind::stage)
    return refuse("is a batch or a job: see job hold, job fail, job delete and "
                  "batch delete");
  if (queue.settings.kind != queue_kind::deposit)
    return refuse("is no submission, but an item of the queue " + queue.name);
  if (item.state == item_state::claimed)
    return refuse("is in process at " + item.processor
                  + ": only what waits can be cancelled; ask again if it "
                    "comes back");
  return {};
}

} // namespace

caf::result<done> cancel_one(self_pointer self, const cancel_deposit& x) {
  for (auto& [number, queue] : self->state.queues) {
    // In the outbox it has ended, and only its depositor is still to be told.
    if (queue.settings.kind == queue_kind::outbox)
      continue;
    const auto item = queue.ledger.glance(x.id);
    if (!item)
      continue;
    if (auto wrong = check_cancel(queue, *item))
      return wrong;
    user_command todo{self, &queue};
    for (auto& ended : queue.ledger.cancel({x.id}, x.reason, now(self)))
      end_claim(todo, self, std::move(ended), true);
    if (seeded_bug("cancelled_before_commit")) {
      todo.commit();
      return done{};
    }
    return todo.commit_and_answer(done{});
  }
  return caf::make_error(ec::not_found, "submission " + std::to_string(x.id)
                                          + " does not wait any more");
}

/// Writes bodies again that keep an old segment alive. Those that must be read
/// from it first are few: the projector asks for them a handful at a time.
void compact(self_pointer self, const compact_bodies& x) {
  user_command todo{self, x.queue};
  if (todo.queue == nullptr)
    return;
  const auto& ledger = todo.queue->ledger;
  for (std::size_t i = 0; i < x.ids.size(); ++i) {
    const auto id = x.ids[i];
    const auto kept = ledger.body(id);
    const auto body = kept != nullptr ? kept : x.bodies[i];
    if (body == nullptr || !ledger.glance(id))
      continue;
    // What was read may be older than what a worker has made of it since.
    if (kept == nullptr && ledger.place(id) != x.places[i])
      continue;
    // One that still waits for its first place must not stay with that one.
    if (kept == nullptr || self->state.unbudgeted.count(id) > 0)
      todo.ask_place(id);
    todo.happen(body_compacted{id, todo.queue->name, *body, {}}, body);
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
                           queue.ledger.parked(), queue.ledger.bytes(),
                           queue.ledger.bytes_max()});
  return out;
}

caf::result<retired> leave(self_pointer self) {
  const auto idle =
    self->state.bulk_actions == 0
    && std::all_of(self->state.queues.begin(), self->state.queues.end(),
                   [](const auto& x) { return x.second.ledger.idle(); });
  if (idle)
    self->quit();
  return retired{idle};
}

} // namespace depositd::users
