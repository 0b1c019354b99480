// The one timer of a user's actor.

#include "tests/support/engine_fixture.hpp"

namespace depositd {

namespace {

class user_timer : public testing::engine_fixture {
protected:
  std::size_t timers() {
    return sched.clock().schedule().size();
  }

  /// A worker with an item of its own, under a lease.
  testing::test_processor worker(const std::string& queue,
                                 std::uint32_t lease_ms) {
    put(queue, items_of("ann", 1));
    auto out = attach_to(queue, {}, lease_ms);
    want(out, 1);
    EXPECT_EQ(out.got->items.size(), 1u);
    return out;
  }

  void renew(const testing::test_processor& who) {
    const auto& item = who.got->items.front();
    const renew_claims what{who.number, {{item.id, item.token, item.member}}};
    caf::anon_send(who.door, what);
    settle();
  }
};

TEST_F(user_timer, stays_one_however_many_queues_have_deadlines) {
  start();
  const std::vector workers{worker("a", 60'000), worker("b", 45'000),
                            worker("c", 30'000)};
  advance(std::chrono::seconds{5});
  const auto before = timers();
  for (auto round = 0; round < 40; ++round) {
    for (const auto& who : workers)
      renew(who);
    advance(std::chrono::seconds{20});
  }
  EXPECT_LE(timers(), before + 3 * workers.size());
  for (const auto& who : workers)
    EXPECT_TRUE(who.got->settled.empty());
  EXPECT_EQ(report_of("a").in_flight, 1u) << "its lease was extended";
}

} // namespace

} // namespace depositd
