// Hand-outs whose bodies were not where they were thought to be.

#include "actors/users/command.hpp"
#include "actors/users/parts.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace depositd::users {

namespace {

/// A disk that fails to read a body now need not fail for ever.
constexpr std::uint32_t unreadable_delay_ms = 10'000;

/// The queue where the claim of the hand-out still lives, or null.
user_queue* queue_of_claim(self_pointer self, const hand_out& x) {
  for (auto& [number, queue] : self->state.queues)
    if (x.item.token != 0 && queue.ledger.token_of(x.item.id) == x.item.token)
      return &queue;
  return nullptr;
}

/// It will not come: the poll goes without, the processor asks for another. A
/// move may have taken the item from its queue, so every queue is told.
void give_up(self_pointer self, user_command& todo, const hand_out& x) {
  if (x.poll) {
    todo.deliver(receive_missed{x.poll, 1});
    return;
  }
  for (auto& [number, queue] : self->state.queues)
    self->send(caf::actor_cast<queue::queue_self>(queue.actor),
               queue::hand_outs_lost{x.to, 1});
}

/// The claim ends as an attempt that did not succeed.
void end_unreadable(self_pointer self, user_command& todo, user_queue& queue,
                    const hand_out& x) {
  spdlog::error("body_unreadable item={} user={} attempt={}", x.item.id,
                x.item.user, x.item.attempt);
  outcome what;
  what.id = x.item.id;
  what.token = x.item.token;
  what.says = verdict::retry;
  what.delay_ms = unreadable_delay_ms;
  what.reason = "body unreadable";
  report_extras extras;
  if (auto ended = queue.ledger.settle(what, now(self))) {
    if (std::holds_alternative<item_finished>(*ended))
      extras.finished = 1;
    todo.happen(queue, std::move(*ended));
  }
  report(self, queue, std::move(extras));
}

} // namespace

void read_again(self_pointer self, queue::look_again& items) {
  user_command todo{self};
  for (auto& x : items.items) {
    auto* queue = queue_of_claim(self, x);
    if (queue != nullptr) {
      auto body = queue->ledger.body(x.item.id);
      const auto place = queue->ledger.place(x.item.id);
      if (body != nullptr || place != x.place) {
        // Relocated since: its old segment may be gone. Each new place is tried
        // once.
        x.body = std::move(body);
        x.place = place;
        todo.deliver(std::move(x));
        continue;
      }
      end_unreadable(self, todo, *queue, x);
    }
    give_up(self, todo, x);
  }
  todo.commit();
}

} // namespace depositd::users
