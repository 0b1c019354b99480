// How deposits end of which somebody is to be told: they go on to the outbox,
// in the record that says what became of them.

#include "actors/rules/control/telling.hpp"
#include "actors/users/command.hpp"
#include "messages/values/operations.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace depositd::users {

namespace {

/// Null unless the user may be told anything.
user_queue* outbox_of(self_pointer self) {
  for (auto& [number, queue] : self->state.queues)
    if (queue.settings.kind == queue_kind::outbox && queue.name == notify_queue)
      return &queue;
  return nullptr;
}

/// The item goes on, and with it what was deposited.
void hand_on(user_command& todo, self_pointer self, item_finished&& x,
             user_queue& outbox) {
  todo.move(item_moved{x.id, x.queue, outbox.name, x.finished_us}, outbox);
  todo.note(rules::deposit_end(std::move(x)));
  report(self, outbox);
}

void set_aside(user_command& todo, item_finished&& x) {
  spdlog::warn("notification_failed submission={} reason=\"{}\"", x.id,
               x.reason);
  auto kept = rules::keep_aside(x, todo.queue->ledger);
  if (!kept)
    return todo.end(std::move(x));
  todo.end(std::move(kept->back));
  todo.happen(std::move(kept->aside));
}

/// Where items of the command's queue go on to when they have ended; null if
/// nobody is told.
user_queue* outbox_for(const user_command& todo, self_pointer self) {
  return todo.queue->settings.kind == queue_kind::deposit ? outbox_of(self)
                                                          : nullptr;
}

} // namespace

void end_claim(user_command& todo, self_pointer self, event ended, bool tell) {
  auto* finished = std::get_if<item_finished>(&ended);
  if (finished == nullptr)
    return todo.end(std::move(ended));
  const auto kind = todo.queue->settings.kind;
  if (kind == queue_kind::outbox && finished->how == ending::failed)
    return set_aside(todo, std::move(*finished));
  auto* outbox = tell ? outbox_for(todo, self) : nullptr;
  if (outbox == nullptr)
    return todo.end(std::move(ended));
  if (outbox->ledger.room() == 0) {
    spdlog::warn("notification_dropped submission={} reason=\"as many wait as "
                 "may be\"",
                 finished->id);
    return todo.end(std::move(ended));
  }
  ++todo.extras.finished;
  todo.extras.note_end(todo.queue->ledger.claimed_since(finished->id),
                       finished->finished_us,
                       finished->how == ending::failed);
  hand_on(todo, self, std::move(*finished), *outbox);
}

void end_purged(user_command& todo, self_pointer self,
                std::vector<event> ended) {
  auto* outbox = outbox_for(todo, self);
  std::size_t dropped = 0;
  for (auto& x : ended) {
    if (outbox != nullptr && outbox->ledger.room() > 0) {
      hand_on(todo, self, std::move(std::get<item_finished>(x)), *outbox);
      continue;
    }
    dropped += outbox != nullptr ? 1 : 0;
    todo.happen(std::move(x));
  }
  if (dropped > 0)
    spdlog::warn("notification_dropped submissions={} reason=\"as many wait as "
                 "may be\"",
                 dropped);
}

} // namespace depositd::users
