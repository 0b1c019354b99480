// Deposits that a door works on itself: they come claimed by it.

#include "messages/receiving.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/submission_body.hpp"
#include "tests/support/submission_rows.hpp"

namespace depositd {

namespace {

using namespace std::chrono_literals;

class at_once : public testing::showing_submissions {
protected:
  void SetUp() override {
    start();
  }

  static submit of(const submission_source& source) {
    submission what;
    what.file_name = "a.xml";
    what.operation = "doMDUpload";
    what.source = source.name;
    what.size = 4;
    return {"metadata", "ann", 0, what, "<a/>"};
  }

  item_id deposit() {
    const auto done = ask<enqueued>(core, of(source_v2));
    EXPECT_TRUE(done) << (done ? "" : render(done.error()));
    return done ? done->ids.at(0) : 0;
  }

  void set_cap(std::uint32_t to) {
    ASSERT_TRUE(
      change({user_limits_changed{"metadata", "ann", false, 0, true, to}}));
  }

  bool settle_as(item_id id, verdict says) {
    settle_items what{"metadata", {}};
    settle_items::one one;
    one.name = {id, digest_of_user("ann")};
    one.says = says;
    one.batch_id = "batch-1";
    one.document = "<doi_batch_diagnostic/>";
    what.items.push_back(std::move(one));
    const auto said = ask<items_settled>(core, what);
    EXPECT_TRUE(said) << (said ? "" : render(said.error()));
    return said && said->accepted.at(0) != 0;
  }

  std::uint32_t running() {
    const auto said =
      ask<pending_counted>(core, count_pending{"metadata", "ann"});
    EXPECT_TRUE(said);
    return said ? said->running : 0;
  }

  /// What a processor of the queue is handed now.
  std::vector<claimed_item> handed_out() {
    auto sp = attach_to("metadata");
    want(sp, 5);
    return sp.got->items;
  }
};

TEST_F(at_once, they_are_in_process_and_nobody_else_gets_them) {
  const auto id = deposit();
  EXPECT_EQ(row_of(id).status, submission_status::in_process);
  EXPECT_EQ(row_of(id).processor, "v2");
  EXPECT_TRUE(handed_out().empty());
  EXPECT_EQ(running(), 1u);
  EXPECT_EQ(report_of("metadata").in_flight, 1u);
}

TEST_F(at_once, they_end_as_their_door_says) {
  for (const auto says : {verdict::done, verdict::failed}) {
    const auto id = deposit();
    EXPECT_TRUE(settle_as(id, says));
    const auto row = row_of(id);
    EXPECT_EQ(row.status, submission_status::completed);
    EXPECT_EQ(row.failed, says == verdict::failed);
    EXPECT_EQ(row.document, "<doi_batch_diagnostic/>");
    EXPECT_EQ(row.batch_id, "batch-1");
    EXPECT_EQ(row.contents, "<a/>");
    EXPECT_FALSE(settle_as(id, says)) << "once";
  }
  EXPECT_EQ(running(), 0u);
  EXPECT_EQ(report_of("metadata").in_flight, 0u);
}

TEST_F(at_once, they_are_their_queues_after_a_crash) {
  const auto id = deposit();
  crash();
  start();
  EXPECT_EQ(row_of(id).status, submission_status::queued);
  const auto items = handed_out();
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].id, id);
  EXPECT_EQ(items[0].attempt, 2u);
  const auto body = decode_submission_body(items[0].body);
  ASSERT_TRUE(body);
  EXPECT_EQ(body->body, "<a/>");
}

TEST_F(at_once, they_are_their_queues_when_their_door_gives_them_back) {
  const auto id = deposit();
  EXPECT_TRUE(settle_as(id, verdict::release));
  const auto items = handed_out();
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].id, id);
}

TEST_F(at_once, they_are_their_queues_when_their_door_says_nothing) {
  const auto id = deposit();
  auto sp = attach_to("metadata");
  want(sp, 1);
  advance(at_once_max - 1s);
  EXPECT_TRUE(sp.got->items.empty());
  advance(2s);
  ASSERT_EQ(sp.got->items.size(), 1u);
  EXPECT_EQ(sp.got->items[0].id, id);
}

TEST_F(at_once, they_count_for_the_cap_of_their_user) {
  set_cap(1);
  const auto id = deposit();
  ASSERT_TRUE(ask<enqueued>(core, of(source_http)));
  auto sp = attach_to("metadata");
  want(sp, 5);
  EXPECT_TRUE(sp.got->items.empty());
  EXPECT_TRUE(settle_as(id, verdict::done));
  EXPECT_EQ(sp.got->items.size(), 1u);
}

TEST_F(at_once, none_comes_in_beyond_the_cap_of_its_user) {
  set_cap(1);
  const auto id = deposit();
  EXPECT_EQ(deposit(), 0u);
  EXPECT_EQ(running(), 1u);
  EXPECT_EQ(report_of("metadata").in_flight, 1u);
  EXPECT_TRUE(settle_as(id, verdict::done));
  EXPECT_TRUE(handed_out().empty()) << "nothing of it was kept";
  EXPECT_NE(deposit(), 0u);
}

TEST_F(at_once, one_that_comes_while_a_pick_is_on_its_way_takes_its_place) {
  set_cap(1);
  ASSERT_TRUE(ask<enqueued>(core, of(source_http)));
  auto sp = attach_to("metadata");
  caf::anon_send(core, of(source_v2));
  want(sp, 5); // the queue has not heard of it when it picks
  EXPECT_EQ(running(), 1u);
  EXPECT_TRUE(sp.got->items.empty());
  EXPECT_EQ(report_of("metadata").in_flight, 1u);
  advance(at_once_max + 1s);
  EXPECT_EQ(running(), 1u);
  EXPECT_EQ(sp.got->items.size(), 1u);
}

TEST_F(at_once, none_comes_in_of_whom_nothing_is_handed_out) {
  ASSERT_TRUE(change({user_eligibility_changed{"ann", true, false}}));
  const auto held = ask<enqueued>(core, of(source_v2));
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error(), ec::overloaded);
  EXPECT_TRUE(ask<enqueued>(core, of(source_http)));
  EXPECT_EQ(running(), 0u);
}

} // namespace

} // namespace depositd
