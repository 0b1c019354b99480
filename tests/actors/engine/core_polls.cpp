// Steps of those who poll, and of moves between queues.

#include "tests/actors/engine/core_world.hpp"

#include <algorithm>

namespace depositd::testing {

void core_world::poll_some() {
  worker who; // whose criteria admit anybody
  who.queue = any_queue();
  const auto count = 1 + below(4);
  const auto lease_ms = 1000 + below(5000);
  auto got = ask<items_received>(
    core, receive_items{who.queue, "poller", count, lease_ms, no_cap});
  ASSERT_TRUE(got) << render(got.error());
  EXPECT_LE(got->items.size(), count);
  for (const auto& x : got->items)
    handed_now_.insert(x.name.id);
  for (const auto& x : got->items) {
    EXPECT_EQ(x.name.user, digest_of_user(x.user));
    claimed_item item;
    item.id = x.name.id;
    item.user = x.user;
    item.body = *x.body;
    item.attempt = x.attempt;
    item.deadline_us = now() + micros{lease_ms} * 1000;
    model_.claim(item, who.queue, core_model::poller);
    if (HasFailure())
      return;
    if (const auto* passed
        = model_.passed_over(item.id, no_size_limit, handed_now_))
      ADD_FAILURE() << "item " << item.id << " came before " << *passed;
  }
  const auto dry = got->items.size() < count && !model_.suspended;
  for (const auto& [id, x] : model_.live)
    EXPECT_FALSE(dry && may_be_handed(who, x, id))
      << "item " << id << " was not polled";
  take_in();
}

void core_world::ack_by_id() {
  const auto* item = any_live();
  if (item == nullptr)
    return;
  const auto id = *item;
  const auto x = model_.live.at(id);
  settle_items what;
  what.queue = x.queue;
  what.items.resize(2);
  what.items[0].name = {id, digest_of_user(x.user)};
  what.items[1].name = {id + 1'000'000'000, digest_of_user(x.user)};
  auto ended = ask<items_settled>(core, what);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->accepted, (std::vector<std::uint8_t>{1, 0}));
  model_.finish(id);
  take_in();
}

/// Extends, claims anew if that may be or, with no lease, releases.
void core_world::renew_by_id() {
  const auto* item = any_live();
  if (item == nullptr)
    return;
  const auto id = *item;
  auto& x = model_.live.at(id);
  const auto lease_ms = chance(3) ? 0 : 1000 + below(8000);
  const auto deadline = now() + micros{lease_ms} * 1000;
  EXPECT_TRUE(ask<done>(
    core,
    renew_items{x.queue, "poller", lease_ms, {{id, digest_of_user(x.user)}}}));
  if (lease_ms == 0) {
    if (x.claimed)
      model_.end_claim(id, verdict::release, never);
  } else if (x.claimed) {
    if (x.deadline_us != never)
      x.deadline_us = std::max(x.deadline_us, deadline);
  } else if (!x.parked && x.available_us <= now() && model_.may_begin(x)) {
    x.claimed = true;
    x.touched = true;
    x.holder = core_model::poller;
    x.deadline_us = deadline;
    x.available_us = never;
    ++x.attempt;
  }
  take_in();
}

void core_world::move_a_queue() {
  const auto from = any_queue();
  const auto to = any_queue();
  auto begun = ask<move_begun>(core, move_queue{from, to});
  EXPECT_EQ(static_cast<bool>(begun), from != to);
  if (!begun)
    return;
  for (auto& [id, x] : model_.live)
    if (x.queue == from) {
      const auto kept = x;
      x = {};
      x.queue = to;
      x.user = kept.user;
      x.priority = kept.priority;
      x.body = kept.body;
      x.available_us = kept.available_us;
      x.touched = true;
    }
  take_in();
}

const item_id* core_world::any_live() {
  if (model_.live.empty())
    return nullptr;
  return &std::next(model_.live.begin(), below(model_.live.size()))->first;
}

} // namespace depositd::testing
