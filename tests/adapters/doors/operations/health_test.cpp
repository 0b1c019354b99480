// What a load balancer hears.

#include "adapters/doors/operations/health.hpp"
#include "tests/adapters/doors/http/kept_answer.hpp"
#include "tests/support/engine_fixture.hpp"

namespace depositd {

namespace {

class health_test : public testing::engine_fixture {
protected:
  void SetUp() override {
    start();
  }

  http::response ask_health(health_question question) {
    const auto whom = spawn(health, caf::actor_cast<shard_doors_actor>(core),
                            caf::actor_cast<read_model_actor>(read_model),
                            std::function<bool()>{[this] { return waits; }});
    const auto to = std::make_shared<testing::kept_answer>();
    caf::anon_send(
      whom, check_health{question, std::make_shared<http::responder>(to)});
    settle();
    return to->got;
  }

  bool waits = false; ///< for the brokers
};

TEST_F(health_test, says_ok_while_all_is_well) {
  const auto x = ask_health(health_question::ready);
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(x.body, "ok\n");
}

TEST_F(health_test, goes_on_degraded_while_kafka_is_away) {
  waits = true;
  const auto x = ask_health(health_question::ready);
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(x.body, "degraded kafka\n");
  EXPECT_EQ(ask_health(health_question::alive).body, "ok\n");
}

TEST_F(health_test, names_the_part_that_does_not_work) {
  fail_appends(*log, 1);
  ASSERT_FALSE(ask<enqueued>(door, enqueue{"q", items_of("ann", 1)}));
  const auto x = ask_health(health_question::ready);
  EXPECT_EQ(x.status, 503u);
  EXPECT_NE(x.body.find("recovering"), std::string::npos);
}

} // namespace

} // namespace depositd
