// A queue in which equal payloads collapse between polls: those who send to it
// and those who poll it.

#include "messages/values/names.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

namespace depositd::simulation {

namespace {

constexpr std::uint32_t payloads = 6;

} // namespace

std::string world::queue_of_equals() {
  return std::string{dedup_queue_prefix} + "q";
}

void world::step_of_equals() {
  switch (equal_chance_.below(8)) {
    default:
      return send_equals();
    case 4:
    case 5:
      return poll_equals();
    case 6:
      return end_equals();
    case 7:
      return equal_chance_.one_in(4)
               ? ask(purge_queue{queue_of_equals()}, [](const done&) {})
               : end_equals();
  }
}

void world::send_equals() {
  enqueue message;
  message.queue = queue_of_equals();
  const auto count = 1 + equal_chance_.below(3);
  for (std::uint32_t i = 0; i < count; ++i) {
    new_item x;
    x.user = std::string{"u"}.append(
      std::to_string(equal_chance_.below(knobs_.users)));
    x.body =
      std::string{"e"}.append(std::to_string(equal_chance_.below(payloads)));
    message.items.push_back(std::move(x));
  }
  send(std::move(message), [this](const std::string& body, item_id id) {
    if (id != 0)
      tell(equal_kept{body, id});
  });
}

void world::poll_equals() {
  receive_items message;
  message.queue = queue_of_equals();
  message.taker = "poller";
  message.count = 1 + equal_chance_.below(5);
  message.lease_ms = 1 + equal_chance_.below(20'000);
  ask(std::move(message), [this](const items_received& x) {
    for (const auto& item : x.items) {
      if (item.name.id == 0)
        continue;
      tell(handed_out{0, queue_of_equals(), item.name.id, 0, item.attempt,
                      item.user, item.body ? *item.body : ""});
      polled_equals_.push_back(item.name);
    }
  });
}

void world::end_equals() {
  if (polled_equals_.empty())
    return poll_equals();
  const auto at = polled_equals_.begin()
                  + equal_chance_.below(
                    static_cast<std::uint32_t>(polled_equals_.size()));
  static constexpr verdict verdicts[] = {verdict::done, verdict::done,
                                         verdict::retry, verdict::release};
  settle_items::one one;
  one.name = *at;
  one.says = verdicts[equal_chance_.below(4)];
  tell(reported{0, at->id, 0, one.says});
  polled_equals_.erase(at);
  ask(settle_items{queue_of_equals(), {std::move(one)}},
      [](const items_settled&) {});
}

} // namespace depositd::simulation
