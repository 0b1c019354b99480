// How many users can be served: told to whoever draws from several doors, or
// only watches.

#include "actors/queue/parts.hpp"

#include <chrono>
#include <utility>

namespace depositd::queue {

namespace {

/// Who came and went within this time is no news.
constexpr std::chrono::milliseconds tell_pause{50};

} // namespace

std::uint32_t eligible_for(self_pointer self, const queue_processor& x) {
  return open(self) && !is_full(self) ? self->state.ring.eligible_users(x.view)
                                      : 0;
}

void tell_count(self_pointer self, queue_processor& x, std::uint32_t count) {
  deliver what;
  what.eligible = count;
  what.counted = true;
  x.told = count;
  self->send(x.actor, std::move(what));
}

namespace {

/// Whether it was told that there are more than it knows of.
bool told_of_growth(self_pointer self, queue_processor& x) {
  if (!x.told)
    return false;
  const auto count = eligible_for(self, x);
  if (count == 0 || count < 2 * *x.told)
    return false;
  tell_count(self, x, count);
  return true;
}

} // namespace

void tell_growth(self_pointer self) {
  auto& state = self->state;
  for (const auto number : state.watchers)
    told_of_growth(self, state.processors.at(number));
  if (state.tell_due)
    return;
  for (auto& [number, x] : state.processors)
    if (x.asked && told_of_growth(self, x)
        && !std::exchange(state.tell_due, true))
      self->delayed_send(self, tell_pause, tell_again{});
}

} // namespace depositd::queue
