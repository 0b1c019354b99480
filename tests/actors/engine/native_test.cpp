// What producers on other nodes may ask, and how often.

#include "adapters/doors/kit/request_quotas.hpp"
#include "tests/support/engine_fixture.hpp"

#include <caf/event_based_actor.hpp>

#include <utility>

namespace depositd::testing {
namespace {

class native_test : public engine_fixture {
protected:
  void SetUp() override {
    start();
    ASSERT_TRUE(change({queue_changed{"q", {}}}));
    adopt_native(core);
  }

  /// With a quota that counts with other doors', as in the program.
  void adopt_native(const shard_doors_actor& shard) {
    native_ = spawn(
      engine::native,
      engine::native_options{
        shard, std::make_shared<engine::grants>(rules::access::own_people{}),
        [this](const control_state& known, const std::string& queue,
               const std::string& user,
               auto now) { return quotas_.take(known, queue, user, now); }});
  }

  caf::expected<enqueued> send(const std::vector<std::string>& users) {
    enqueue what{"q", {}};
    for (const auto& user : users)
      what.items.push_back({user, 0, "x"});
    return ask<enqueued>(native_, std::move(what));
  }

  caf::error refusal(const std::vector<std::string>& users) {
    auto said = send(users);
    return said ? caf::error{} : std::move(said.error());
  }

  void allow(const std::string& user, std::uint32_t requests_per_second) {
    ASSERT_TRUE(
      change({quota_changed{"q", user, false, 0, true, requests_per_second}}));
  }

  std::uint64_t waiting(const std::string& user) {
    const auto counted = ask<pending_counted>(core, count_pending{"q", user});
    return counted ? counted->pending : 0;
  }

  kit::request_quotas quotas_;
  native_actor native_;
};

TEST_F(native_test, refuses_requests_beyond_a_user_s_quota) {
  allow("ann", 2);
  EXPECT_TRUE(send({"ann"}));
  EXPECT_TRUE(send({"ann"}));
  EXPECT_EQ(refusal({"ann"}), ec::quota_reached);
  EXPECT_EQ(waiting("ann"), 2u);
  EXPECT_TRUE(send({"bob"}));
}

TEST_F(native_test, takes_more_when_the_second_is_over) {
  allow("ann", 1);
  EXPECT_TRUE(send({"ann"}));
  EXPECT_EQ(refusal({"ann"}), ec::quota_reached);
  advance(std::chrono::seconds{1});
  EXPECT_TRUE(send({"ann"}));
}

TEST_F(native_test, counts_a_group_as_one_request_of_each_in_it) {
  allow("", 1);
  EXPECT_TRUE(send({"ann", "ann", "bob", "ann"}));
  EXPECT_EQ(refusal({"bob"}), ec::quota_reached);
  EXPECT_EQ(waiting("ann"), 3u);
}

TEST_F(native_test, takes_nothing_of_a_group_with_one_who_asks_too_often) {
  allow("ann", 1);
  EXPECT_TRUE(send({"ann"}));
  const auto why = refusal({"bob", "ann"});
  EXPECT_EQ(why, ec::quota_reached);
  EXPECT_NE(render(why).find("ann"), std::string::npos) << render(why);
  EXPECT_EQ(waiting("bob"), 0u);
}

TEST_F(native_test, counts_with_what_comes_in_at_other_doors) {
  allow("ann", 1);
  control_state known;
  known.quotas[{"q", "ann"}] = {"q", "ann", false, 0, true, 1};
  EXPECT_TRUE(quotas_.take(known, "q", "ann", sched.clock().now()));
  EXPECT_EQ(refusal({"ann"}), ec::quota_reached);
}

TEST_F(native_test, goes_by_the_newest_quota) {
  allow("ann", 1);
  EXPECT_TRUE(send({"ann"}));
  EXPECT_EQ(refusal({"ann"}), ec::quota_reached);
  ASSERT_TRUE(change({quota_changed{"q", "ann", false, 0, false, 0}}));
  EXPECT_TRUE(send({"ann"}));
}

TEST_F(native_test, takes_nothing_before_quotas_are_known) {
  const auto shard = spawn([](caf::event_based_actor*) -> caf::behavior {
    return {[](const watch_control&) -> caf::result<control_changed> {
              return caf::make_error(ec::draining);
            },
            [](const enqueue&) {
              ADD_FAILURE() << "passed on";
              return enqueued{};
            }};
  });
  adopt_native(caf::actor_cast<shard_doors_actor>(
    caf::actor_cast<caf::strong_actor_ptr>(shard)));
  EXPECT_EQ(refusal({"ann"}), ec::overloaded);
}

TEST_F(native_test, does_not_believe_what_a_node_says_is_set) {
  allow("ann", 1);
  EXPECT_TRUE(send({"ann"}));
  caf::anon_send(
    caf::actor_cast<caf::actor>(native_),
    control_changed{std::make_shared<const control_state>(), 1'000});
  settle();
  EXPECT_EQ(refusal({"ann"}), ec::quota_reached);
}

} // namespace
} // namespace depositd::testing
