// A slot between several ports, which the test plays: what it asks, how often,
// and for how long it waits for an answer.

#include "actors/processors/processor.hpp"
#include "messages/values/sharding.hpp"
#include "tests/support/actor_fixture.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace depositd::testing {

namespace {

struct shelf {
  shard_number shard = 0;
  std::uint32_t items = 0;
  std::uint32_t counts = 0; ///< how often it was asked for its number
  std::uint32_t answers = 1'000; ///< to that; then it is silent
  std::uint32_t last = 0;
  std::uint32_t works = 0;
  std::uint32_t hangs_at = 1'000; ///< it does nothing more
  std::uint32_t refusals = 0;     ///< of those who come
  std::vector<settle_and_request> kept; ///< while it hangs
};

queue_port_actor::behavior_type shelf_door(queue_port_actor::pointer self,
                                           std::shared_ptr<shelf> of) {
  const auto serve = [=](const settle_and_request& x,
                         const processor_actor& who) {
    deliver out;
    for (const auto& one : x.outcomes)
      out.settled.push_back({one.id, true});
    if (x.counts) {
      if (++of->counts > of->answers)
        return;
      out.counted = true;
      out.eligible = of->items > 0 ? 1 : 0;
    }
    if (x.credit > 0 && of->items > 0) {
      --of->items;
      claimed_item item;
      item.id = ids_begin(of->shard) + ++of->last;
      out.items.push_back(item);
    }
    if (!out.items.empty() || !out.settled.empty() || out.counted || !x.waits)
      self->send(who, std::move(out));
  };
  const auto slot = std::make_shared<processor_actor>();
  return {
    [=](const attach& x) -> caf::result<attached> {
      if (of->refusals > 0) {
        --of->refusals;
        return caf::make_error(ec::store_failed, "no disk");
      }
      *slot = x.who;
      return attached{1, {}};
    },
    [=](const settle_and_request& x) {
      if (++of->works >= of->hangs_at)
        of->kept.push_back(x);
      else
        serve(x, *slot);
    },
    [=](const cancel_credit&) {
      if (of->works >= of->hangs_at)
        return;
      for (const auto& x : std::exchange(of->kept, {}))
        serve(x, *slot);
    },
    [](const renew_claims&) {},
    [](const detach&) -> caf::result<done> { return done{}; },
  };
}

handler_actor::behavior_type quick_handler(handler_actor::pointer) {
  return {
    [](const handle_item& x) -> caf::result<outcome> {
      outcome out;
      out.id = x.item.id;
      return out;
    },
  };
}

class slot_at_ports : public actor_fixture {
protected:
  std::shared_ptr<shelf> add(std::uint32_t items) {
    auto out = std::make_shared<shelf>();
    out->shard = static_cast<shard_number>(ports.ports.size());
    out->items = items;
    ports.ports.push_back({out->shard, spawn(shelf_door, out)});
    return out;
  }

  void work_on() {
    processors::processor_options options;
    options.ports = ports;
    options.handler = spawn(quick_handler);
    spawn(processors::processor, options);
  }

  ports_opened ports;
};

TEST_F(slot_at_ports, asks_the_only_door_for_items_alone) {
  const auto only = add(100);
  work_on();
  EXPECT_EQ(only->items, 0u);
  EXPECT_EQ(only->counts, 0u);
}

TEST_F(slot_at_ports, comes_again_to_a_door_that_did_not_take_it) {
  const auto only = add(3);
  only->refusals = 2;
  work_on();
  EXPECT_EQ(only->items, 3u);
  for (auto i = 0; i < 2; ++i)
    advance(std::chrono::seconds{1});
  EXPECT_EQ(only->items, 0u);
}

TEST_F(slot_at_ports, asks_for_numbers_now_and_then) {
  const auto one = add(160);
  const auto other = add(160);
  work_on();
  EXPECT_EQ(one->items + other->items, 0u);
  EXPECT_GE(one->counts, 20u);
  EXPECT_LE(one->counts, 25u);
}

TEST_F(slot_at_ports, asks_a_silent_door_for_its_number_once) {
  const auto one = add(160);
  const auto silent = add(160);
  silent->answers = 1;
  work_on();
  EXPECT_EQ(silent->items, 0u) << "it is visited by the number it had said";
  EXPECT_EQ(silent->counts, 2u);
  EXPECT_GE(one->counts, 10u);
}

TEST_F(slot_at_ports, goes_on_without_a_door_that_hangs) {
  for (std::uint32_t hangs_at : {1u, 20u, 21u, 22u, 23u, 24u, 25u}) {
    ports = {};
    const auto one = add(160);
    const auto hung = add(160);
    hung->hangs_at = hangs_at;
    work_on();
    EXPECT_GT(one->items, 0u) << "it was waited for a moment";
    for (auto i = 0; i < 4; ++i)
      advance(std::chrono::seconds{1});
    EXPECT_EQ(one->items, 0u);
    hung->hangs_at = 10'000; // it goes on
    caf::anon_send(ports.ports[1].queue, cancel_credit{});
    for (auto i = 0; i < 4; ++i)
      advance(std::chrono::seconds{1});
    EXPECT_EQ(hung->items, 0u);
    const auto asked = one->works + hung->works;
    for (auto i = 0; i < 4; ++i)
      advance(std::chrono::seconds{1});
    EXPECT_EQ(one->works + hung->works, asked) << "it waits";
  }
}

} // namespace

} // namespace depositd::testing
