// What goes to the shard together, and how each client is answered.

#include "adapters/doors/emodb/round_answers.hpp"
#include "adapters/doors/kit/round.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/event_based_actor.hpp>

namespace depositd::testing {

namespace {

using emodb::ack_and_poll;
using emodb::round_answers;

/// Where a client waits.
struct kept_answer final : http::answer_sink {
  bool answer(http::response what) override {
    answers.push_back(std::move(what));
    return takes;
  }

  void pass() override {
    // nop
  }

  bool hold(std::uint64_t) override {
    return true;
  }

  std::vector<http::response> answers;
  bool takes = true;
};

using client = std::shared_ptr<kept_answer>;

client a_client() {
  return std::make_shared<kept_answer>();
}

class emodb_round : public actor_fixture {
protected:
  emodb_round() {
    const auto shard = spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
        [this](const receive_items& x) -> caf::result<items_received> {
          polls.push_back(x);
          if (refuses_polls)
            return caf::make_error(ec::draining);
          items_received out;
          received_item one;
          one.name.id = 7;
          one.body = std::make_shared<const std::string>("1");
          out.items.push_back(one);
          return out;
        },
        [this](const settle_items& x) -> caf::result<items_settled> {
          acks.push_back(x);
          if (refuses_acks)
            return caf::make_error(ec::store_failed);
          return items_settled{{1}};
        },
      };
    });
    const auto keeper = spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
        [this](const emodb::give_back_items& x) { returned.push_back(x); },
      };
    });
    room = caf::actor_cast<emodb::waiting_room_actor>(
      caf::actor_cast<caf::strong_actor_ptr>(keeper));
    together = std::make_unique<kit::round<round_answers>>(
      asked, caf::actor_cast<shard_receiving_actor>(
               caf::actor_cast<caf::strong_actor_ptr>(shard)));
  }

  void TearDown() override {
    asked.close();
    actor_fixture::TearDown();
  }

  static receive_items poll_for(std::uint32_t lease_ms, std::string taker) {
    return {"q", std::move(taker), 1, lease_ms};
  }

  client poll(std::uint32_t lease_ms, std::string taker = "ann") {
    auto out = a_client();
    take(poll_for(lease_ms, std::move(taker)), http::responder{out});
    return out;
  }

  template <class To>
  void take(const receive_items& what, To to) {
    auto poll = std::make_shared<emodb::claiming_poll>(
      emodb::claiming_poll{room, what, {}, std::move(to), {}});
    together->take(what, std::move(poll));
  }

  client ack_and_poll_one() {
    auto out = a_client();
    auto both = std::make_shared<ack_and_poll>(http::responder{out});
    together->acknowledge("q", {{{5, 6}, verdict::done, 0, "", "", ""}}, both);
    take(poll_for(60'000, "ann"), std::move(both));
    return out;
  }

  void flush() {
    together->flush();
    settle();
  }

  kit::gateway asked{sys, {.news = {}}};
  std::unique_ptr<kit::round<round_answers>> together;
  std::vector<receive_items> polls;
  std::vector<settle_items> acks;
  emodb::waiting_room_actor room;
  std::vector<emodb::give_back_items> returned;
  bool refuses_polls = false;
  bool refuses_acks = false;
};

TEST_F(emodb_round, polls_of_one_look_are_one_request) {
  const auto first = poll(1'000);
  const auto second = poll(1'000);
  flush();
  ASSERT_EQ(polls.size(), 1u);
  EXPECT_EQ(polls[0].count, 2u);
  ASSERT_EQ(first->answers.size(), 1u);
  EXPECT_NE(first->answers[0].body, "[]");
  ASSERT_EQ(second->answers.size(), 1u);
  EXPECT_EQ(second->answers[0].body, "[]") << "there was one item";
}

TEST_F(emodb_round, polls_for_other_leases_are_requests_of_their_own) {
  poll(1'000);
  poll(3'600'000);
  poll(1'000);
  flush();
  ASSERT_EQ(polls.size(), 2u);
  EXPECT_EQ(polls[0].lease_ms, 1'000u);
  EXPECT_EQ(polls[0].count, 2u);
  EXPECT_EQ(polls[1].lease_ms, 3'600'000u);
}

TEST_F(emodb_round, so_are_those_of_other_takers) {
  poll(1'000, "ann");
  poll(1'000, "bob");
  flush();
  ASSERT_EQ(polls.size(), 2u);
  EXPECT_EQ(polls[1].taker, "bob");
}

TEST_F(emodb_round, an_ack_with_a_poll_is_answered_once_with_what_was_found) {
  const auto x = ack_and_poll_one();
  together->flush();
  EXPECT_TRUE(x->answers.empty());
  settle();
  ASSERT_EQ(acks.size(), 1u);
  ASSERT_EQ(polls.size(), 1u);
  ASSERT_EQ(x->answers.size(), 1u);
  EXPECT_EQ(x->answers[0].status, 200u);
  EXPECT_NE(x->answers[0].body, "[]");
}

TEST_F(emodb_round, what_nobody_takes_is_given_back) {
  poll(60'000)->takes = false;
  flush();
  ASSERT_EQ(returned.size(), 1u);
  EXPECT_EQ(returned[0].from.queue, "q");
  EXPECT_EQ(returned[0].from.taker, "ann");
  ASSERT_EQ(returned[0].names.size(), 1u);
  EXPECT_EQ(returned[0].names[0].id, 7u);
  ack_and_poll_one()->takes = false;
  flush();
  EXPECT_EQ(returned.size(), 2u);
  poll(0)->takes = false;
  flush();
  EXPECT_EQ(returned.size(), 2u) << "by now it may be somebody else's";
}

TEST_F(emodb_round, what_went_wrong_is_told_once_whichever_it_was) {
  for (const bool of_acks : {true, false}) {
    refuses_acks = of_acks;
    refuses_polls = !of_acks;
    const auto x = ack_and_poll_one();
    flush();
    ASSERT_EQ(x->answers.size(), 1u) << of_acks;
    EXPECT_EQ(x->answers[0].status, 503u) << of_acks;
  }
}

TEST(emodb_ack_and_poll, waits_for_both_in_either_order) {
  for (const bool ack_first : {true, false}) {
    const auto x = a_client();
    ack_and_poll both{http::responder{x}};
    const auto found = http::response::of(200, "application/json", "[1]");
    if (ack_first)
      both.acknowledged();
    else
      both.polled(found, [] {});
    EXPECT_TRUE(x->answers.empty()) << ack_first;
    if (ack_first)
      both.polled(found, [] {});
    else
      both.acknowledged();
    ASSERT_EQ(x->answers.size(), 1u) << ack_first;
    EXPECT_EQ(x->answers[0].body, "[1]");
  }
}

TEST(emodb_ack_and_poll, gives_back_what_was_found_if_the_acks_failed) {
  for (const bool poll_first : {true, false}) {
    const auto x = a_client();
    ack_and_poll both{http::responder{x}};
    const auto found = http::response::of(200, "application/json", "[1]");
    bool given_back = false;
    if (!poll_first)
      both.failed(http::response::text(503, "no"));
    both.polled(found, [&] { given_back = true; });
    if (poll_first)
      both.failed(http::response::text(503, "no"));
    ASSERT_EQ(x->answers.size(), 1u) << poll_first;
    EXPECT_EQ(x->answers[0].status, 503u);
    EXPECT_TRUE(given_back) << poll_first;
  }
}

} // namespace

} // namespace depositd::testing
