// Workers outside, who receive from the queues of stages that are for them.

#include "messages/receiving.hpp"
#include "messages/shard.hpp"
#include "tests/actors/work/work_fixture.hpp"

namespace depositd::testing {

namespace {

class outside_workers_test : public work_fixture {
protected:
  void SetUp() override {
    stages.stages[0].kind = handler_kind::external;
    stages.stages[0].handler.clear();
    work_fixture::SetUp();
    submit_and_split(1);
  }

  std::vector<received_item> receive(const std::string& queue,
                                     std::uint32_t lease_ms = 60'000) {
    receive_items what;
    what.queue = queue;
    what.taker = "outside";
    what.count = 10;
    what.lease_ms = lease_ms;
    auto got = ask<items_received>(core, std::move(what));
    EXPECT_TRUE(got);
    return got ? got->items : std::vector<received_item>{};
  }

  /// The only job of the stage.
  received_item job() {
    const auto got = receive("p.first");
    EXPECT_EQ(got.size(), 1u);
    return got.empty() ? received_item{} : got.front();
  }

  bool settle_one(const item_name& name, verdict says,
                  const std::string& document = {},
                  std::uint32_t delay_ms = 0) {
    settle_items what;
    what.queue = "p.first";
    settle_items::one one;
    one.name = name;
    one.says = says;
    one.document = document;
    one.delay_ms = delay_ms;
    what.items.push_back(std::move(one));
    auto ended = ask<items_settled>(core, std::move(what));
    settle();
    EXPECT_TRUE(ended);
    return ended && ended->accepted == std::vector<std::uint8_t>{1};
  }

  void renew(const item_name& name, std::uint32_t lease_ms) {
    EXPECT_TRUE(
      ask<done>(core, renew_items{"p.first", "outside", lease_ms, {name}}));
    settle();
  }
};

} // namespace

TEST_F(outside_workers_test, get_a_job_as_its_document_and_hand_it_on) {
  const auto got = job();
  ASSERT_TRUE(got.body);
  auto document = decode_job_document(*got.body);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->uuid, "jid-1");
  document->more["seen"] = true;
  EXPECT_TRUE(settle_one(got.name, verdict::done, encode(*document)));
  const auto next = take("middle");
  EXPECT_EQ(next.id, got.name.id);
  EXPECT_TRUE(decode_job_document(next.body)->more.contains("seen"));
}

TEST_F(outside_workers_test, skip_what_was_done_before) {
  const auto got = job();
  EXPECT_TRUE(settle_one(got.name, verdict::skip));
  EXPECT_EQ(take("middle").id, got.name.id);
}

TEST_F(outside_workers_test, ask_again_later_without_an_attempt) {
  for (int i = 0; i < 5; ++i) { // more often than the stage has attempts
    const auto got = job();
    EXPECT_TRUE(settle_one(got.name, verdict::not_yet, {}, 1'000));
    EXPECT_TRUE(receive("p.first").empty());
    advance(std::chrono::seconds{2});
  }
  EXPECT_EQ(receive("p.first").size(), 1u);
}

TEST_F(outside_workers_test, extend_a_claim_and_never_shorten_it) {
  const auto got = receive("p.first", 10'000);
  ASSERT_EQ(got.size(), 1u);
  renew(got[0].name, 1'000);
  advance(std::chrono::seconds{5});
  EXPECT_TRUE(receive("p.first").empty());
  renew(got[0].name, 60'000);
  advance(std::chrono::seconds{30});
  EXPECT_TRUE(receive("p.first").empty());
  advance(std::chrono::seconds{40});
  EXPECT_EQ(receive("p.first").size(), 1u);
}

TEST_F(outside_workers_test, cannot_take_by_renewing) {
  const auto got = job();
  renew(got.name, 0); // gives it back
  renew(got.name, 60'000);
  EXPECT_EQ(receive("p.first").size(), 1u) << "nobody has it";
}

TEST_F(outside_workers_test, get_nothing_of_stages_that_are_worked_on_here) {
  EXPECT_TRUE(settle_one(job().name, verdict::done));
  EXPECT_TRUE(receive("p.middle").empty());
  EXPECT_NE(take("middle").id, 0u);
  submit(1);
  EXPECT_TRUE(receive("p.batch").empty());
}

TEST_F(outside_workers_test, are_told_that_a_stage_is_theirs_no_more) {
  const auto got = job();
  stages.stages[0].kind = handler_kind::exec;
  stages.stages[0].command = {"/bin/true"};
  ASSERT_TRUE(change({pipeline_changed{stages, false}}));
  settle_items ack;
  ack.queue = "p.first";
  ack.items.emplace_back().name = got.name;
  EXPECT_EQ(ask<items_settled>(core, std::move(ack)).error(),
            ec::invalid_argument);
  const renew_items longer{"p.first", "outside", 60'000, {got.name}};
  EXPECT_EQ(ask<done>(core, longer).error(), ec::invalid_argument);
  EXPECT_EQ(ask<done>(core, release_queue{"p.first"}).error(),
            ec::invalid_argument);
  EXPECT_TRUE(receive("p.first").empty());
  advance(std::chrono::minutes{1});
  EXPECT_EQ(take("first").id, got.name.id) << "whose work was not taken";
}

} // namespace depositd::testing
