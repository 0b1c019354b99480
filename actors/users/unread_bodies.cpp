// Hand-outs whose bodies were not where they were thought to be.

#include "actors/users/command.hpp"
#include "actors/users/work.hpp"

#include <spdlog/spdlog.h>

#include <optional>
#include <utility>

namespace depositd::users {

namespace {

/// A disk that fails to read a body now need not fail for ever.
constexpr std::uint32_t unreadable_delay_ms = 10'000;

/// The queue where the claim of the hand-out still lives, if any does.
std::optional<queue_number> queue_of_claim(self_pointer self,
                                           const hand_out& x) {
  for (auto& [number, queue] : self->state.queues)
    if (x.item.token != 0 && queue.ledger.token_of(x.item.id) == x.item.token)
      return number;
  return std::nullopt;
}

/// It will not come: the receiver goes without, the processor asks for another.
/// A move may have taken the item from its queue, so every queue is told.
void give_up(self_pointer self, user_command& todo, const hand_out& x) {
  if (x.receiver) {
    todo.deliver(receive_missed{x.receiver, 1});
    return;
  }
  for (auto& [number, queue] : self->state.queues)
    self->send(caf::actor_cast<queue::queue_self>(queue.actor),
               queue::hand_outs_lost{x.to, 1});
}

/// The claim ends as an attempt that did not succeed, as if somebody had worked
/// on it.
void end_unreadable(self_pointer self, user_command& todo, queue_number in,
                    const hand_out& x) {
  spdlog::error("body_unreadable item={} user={} attempt={}", x.item.id,
                x.item.user, x.item.attempt);
  outcome what;
  what.id = x.item.id;
  what.token = x.item.token;
  what.says = verdict::retry;
  what.delay_ms = unreadable_delay_ms;
  what.reason = "body unreadable";
  if (todo.queue->settings.kind == queue_kind::stage)
    end_stage(self, {in, std::move(what), nullptr});
  else if (auto ended = todo.queue->ledger.settle(what, now(self)))
    end_claim(todo, self, std::move(*ended), true);
}

/// Where the body is by now, if that is elsewhere: compacted since, its old
/// segment may be gone. Each new place is tried once.
bool find_body(const rules::ledger& in, hand_out& x) {
  auto body = in.body(x.item.id);
  const auto place = in.place(x.item.id);
  if (body == nullptr && place == x.place)
    return false;
  x.body = std::move(body);
  x.place = place;
  return true;
}

} // namespace

void read_again(self_pointer self, queue::look_again& items) {
  for (auto& x : items.items) {
    const auto in = queue_of_claim(self, x);
    user_command todo{self, in ? find_queue(self, *in) : nullptr};
    if (todo.queue != nullptr && find_body(todo.queue->ledger, x)) {
      todo.deliver(std::move(x));
    } else {
      if (todo.queue != nullptr)
        end_unreadable(self, todo, *in, x);
      give_up(self, todo, x);
    }
    todo.commit();
  }
}

} // namespace depositd::users
