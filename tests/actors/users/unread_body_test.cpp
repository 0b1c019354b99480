// Items whose bodies are on disk and cannot be read when they are handed out.

#include "messages/projection.hpp"
#include "messages/values/operations.hpp"
#include "tests/support/polling_fixture.hpp"
#include "tests/support/watched_engine.hpp"

namespace depositd {

namespace {

using namespace std::chrono_literals;

class unread_body_test : public testing::watching<testing::polling_fixture> {
protected:
  void SetUp() override {
    body_budget = 0;
    configuration.queues.push_back({notify_queue, outbox_queue_defaults()});
    start();
  }

  void fail_reads(std::uint32_t count) {
    disk->before_body = [left = count](const body_location&) mutable {
      if (left == 0)
        return caf::error{};
      --left;
      return caf::make_error(ec::store_failed, std::string{"no such sector"});
    };
  }

  item_explained explained(item_id id, const std::string& user) {
    auto out = ask<item_explained>(core, explain_item{id, user});
    EXPECT_TRUE(out);
    return out ? *out : item_explained{};
  }

  /// A hand-out of ann's claim, with a place where the body was once.
  hand_out lost_on_the_way_to(const testing::test_processor& sp, item_id id) {
    hand_out out;
    out.to = caf::actor_cast<caf::strong_actor_ptr>(sp.actor);
    out.item.id = id;
    out.item.token = explained(id, "ann").item.token;
    out.item.user = "ann";
    out.place = {9999, 0, 1};
    return out;
  }

  void send_back(hand_out x) {
    caf::anon_send(caf::actor_cast<shard::shard_self>(core),
                   queue::look_again{{std::move(x)}});
    settle();
  }
};

TEST_F(unread_body_test, a_poll_goes_without_and_the_claim_ends) {
  const auto ids = put("q", sent_by("ann", {"a", "b"}));
  fail_reads(1);
  EXPECT_EQ(polled("q"), strings{"b"});
  EXPECT_EQ(claims("q"), 1u);
  EXPECT_EQ(size("q"), 2u);
  EXPECT_EQ(explained(ids[0], "ann").item.state, item_state::delayed);
  advance(10s);
  const auto again = poll("q");
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(*again[0].body, "a");
  EXPECT_EQ(again[0].attempt, 2u);
}

TEST_F(unread_body_test, a_processor_gets_another_item_instead) {
  put("q", sent_by("ann", {"a", "b"}));
  auto sp = attach_to("q");
  fail_reads(1);
  want(sp, 1);
  EXPECT_EQ(sp.got->bodies(), strings{"b"});
  EXPECT_EQ(claims("q"), 1u);
  end(sp, sp.got->items.at(0), verdict::done, 1);
  advance(10s);
  EXPECT_EQ(sp.got->bodies(), (strings{"b", "a"}));
}

TEST_F(unread_body_test, a_processor_that_waits_for_it_is_not_forgotten) {
  put("q", sent_by("ann", {"a"}));
  auto sp = attach_to("q");
  fail_reads(1);
  want(sp, 1);
  EXPECT_TRUE(sp.got->items.empty());
  put("q", sent_by("bob", {"b"}));
  EXPECT_EQ(sp.got->bodies(), strings{"b"});
}

TEST_F(unread_body_test, an_item_without_a_body_runs_out_of_attempts) {
  auto settings = deposit_queue_defaults();
  settings.attempts_max = 2;
  ASSERT_TRUE(change({queue_changed{"q", settings}}));
  put("q", sent_by("ann", {"a"}));
  auto sp = attach_to("q");
  fail_reads(1000);
  want(sp, 1);
  advance(10s);
  EXPECT_TRUE(sp.got->items.empty());
  EXPECT_EQ(size("q"), 0u);
  EXPECT_EQ(claims("q"), 0u);
  EXPECT_EQ(report_of("q").finished, 1u);
}

TEST_F(unread_body_test, a_deposit_without_a_body_is_told_of) {
  auto once = deposit_queue_defaults();
  once.attempts_max = 1;
  ASSERT_TRUE(change({queue_changed{"metadata", once}}));
  submission what;
  what.source = "http";
  what.size = 4;
  const auto done =
    ask<enqueued>(core, submit{"metadata", "ann", 0, what, "<a/>"});
  ASSERT_TRUE(done) << render(done.error());
  fail_reads(1);
  want(attach_to("metadata"), 1);
  EXPECT_EQ(size("metadata"), 0u);
  auto teller = attach_to(notify_queue);
  want(teller, 1);
  ASSERT_EQ(teller.got->items.size(), 1u);
  EXPECT_EQ(teller.got->items[0].id, done->ids.at(0));
}

TEST_F(unread_body_test, a_restart_finds_the_attempt_counted) {
  put("q", sent_by("ann", {"a"}));
  fail_reads(1);
  EXPECT_TRUE(poll("q").empty());
  restart();
  advance(10s);
  const auto again = poll("q");
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].attempt, 2u);
}

/// The segment was dropped after the body had been written again elsewhere.
TEST_F(unread_body_test, relocated_on_its_way_it_is_handed_out_all_the_same) {
  const auto ids = put("q", sent_by("ann", {"a"}));
  int reads = 0;
  disk->before_body = [&](const body_location& place) {
    if (++reads > 1)
      return caf::error{};
    compact_items elsewhere;
    elsewhere.items.push_back(
      {ids[0], "q", "ann", std::make_shared<const std::string>("a"), place});
    caf::anon_send(core, std::move(elsewhere));
    return caf::make_error(ec::not_found, std::string{"the segment is gone"});
  };
  const auto got = poll("q");
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(*got[0].body, "a");
  EXPECT_EQ(got[0].attempt, 1u);
  EXPECT_EQ(claims("q"), 1u);
}

TEST_F(unread_body_test, relocated_before_its_first_place_is_known) {
  const auto first = put("q", sent_by("ann", {"a"})).at(0);
  bool told = false;
  disk->during_append = [&] {
    if (std::exchange(told, true))
      return;
    compact_items elsewhere;
    elsewhere.items.push_back(
      {first + 1, "q", "ann", std::make_shared<const std::string>("b"), {}});
    caf::anon_send(core, std::move(elsewhere));
  };
  ASSERT_EQ(put("q", sent_by("ann", {"b"})).at(0), first + 1);
  std::uint64_t newest = 0;
  ASSERT_FALSE(disk->read(1, [&](const stored_group& x) {
    newest = x.group;
    return true;
  }));
  std::vector<body_location> read;
  disk->before_body = [&](const body_location& place) {
    read.push_back(place);
    return caf::error{};
  };
  EXPECT_EQ(polled("q"), (strings{"a", "b"}));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(std::max(read[0].group, read[1].group), newest);
}

TEST_F(unread_body_test, it_is_read_once_at_a_place_that_is_newer) {
  const auto ids = put("q", sent_by("ann", {"a"}));
  ASSERT_EQ(poll("q").size(), 1u);
  auto sp = attach_to("q");
  send_back(lost_on_the_way_to(sp, ids[0]));
  EXPECT_EQ(sp.got->bodies(), strings{"a"});
  EXPECT_EQ(claims("q"), 1u);
}

TEST_F(unread_body_test, a_later_claim_is_not_ended_for_an_earlier_one) {
  const auto ids = put("q", sent_by("ann", {"a"}));
  ASSERT_EQ(poll("q").size(), 1u);
  auto sp = attach_to("q");
  const auto late = lost_on_the_way_to(sp, ids[0]);
  ASSERT_TRUE(ask<done>(core, release_queue{"q"}));
  ASSERT_EQ(poll("q").size(), 1u);
  send_back(late);
  EXPECT_TRUE(sp.got->items.empty());
  const auto now = explained(ids[0], "ann").item;
  EXPECT_EQ(now.state, item_state::claimed);
  EXPECT_EQ(now.attempt, 2u);
}

TEST_F(unread_body_test, purged_meanwhile_the_poll_is_answered) {
  put("q", sent_by("ann", {"a"}));
  disk->before_body = [&](const body_location&) {
    caf::anon_send(core, purge_queue{"q"});
    return caf::make_error(ec::store_failed, std::string{"no such sector"});
  };
  EXPECT_TRUE(poll("q").empty());
  EXPECT_EQ(size("q"), 0u);
  EXPECT_EQ(report_of("q").in_flight, 0u);
}

} // namespace

} // namespace depositd
