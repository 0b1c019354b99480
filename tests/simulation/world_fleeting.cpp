// A queue that comes with its first use, goes when nobody uses it, and comes
// again: those who send to it and those who poll it.

#include "messages/receiving.hpp"
#include "messages/values/names.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <string>
#include <utility>

namespace depositd::simulation {

namespace {

constexpr const char* fleeting = "fleeting";

/// When the shard looks for queues that nobody uses.
constexpr auto look_interval = 30s;

} // namespace

void world::step_of_fleeting() {
  switch (fleeting_chance_.below(6)) {
    default:
      return send_fleeting();
    case 2:
    case 3:
      return empty_fleeting();
    case 4:
    case 5:
      break;
  }
  // Somebody may come while it is decided whether it goes; who was held up
  // before, or is by what others do then, is not for all that time.
  do {
    let_go(true);
    settle();
  } while (!held_up_.empty());
  scheduler_.advance_time(look_interval);
  let_go(false);
  run(fleeting_chance_.below(40));
  if (fleeting_chance_.one_in(2))
    send_fleeting();
}

void world::send_fleeting() {
  new_item x;
  x.user = fleeting_chance_.one_in(2) ? std::string{anonymous_user} : "u0";
  x.body = std::string{"fleeting"}.append(std::to_string(++bodies_));
  tell(attempted{x.body, fleeting, x.user});
  enqueue message;
  message.queue = fleeting;
  message.items.push_back(std::move(x));
  send(std::move(message));
}

void world::empty_fleeting() {
  receive_items message;
  message.queue = fleeting;
  message.taker = "poller";
  message.count = 10;
  message.lease_ms = 1 + fleeting_chance_.below(5'000);
  ask(std::move(message), [this](const items_received& x) {
    settle_items all;
    all.queue = fleeting;
    for (const auto& item : x.items) {
      if (item.name.id == 0)
        continue;
      tell(handed_out{0, fleeting, item.name.id, 0, item.attempt, item.user,
                      item.body ? *item.body : ""});
      tell(reported{0, item.name.id, 0, verdict::done});
      all.items.push_back({item.name, verdict::done, 0, "", "", ""});
    }
    if (!all.items.empty())
      ask(std::move(all), [](const items_settled&) {});
  });
}

} // namespace depositd::simulation
