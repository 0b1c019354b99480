// What becomes of requests when the owner of a shard goes while it has them.

#include "actors/cluster/router/shard_router.hpp"
#include "messages/topics.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/event_based_actor.hpp>

#include <memory>

namespace depositd::testing {

namespace {

using std::chrono::milliseconds;

/// Takes every request and never answers, as one that is cut off.
caf::behavior mute(caf::event_based_actor* self,
                   std::shared_ptr<int> requests) {
  using answer = caf::result<caf::message>;
  self->set_default_handler(
    [=](caf::scheduled_actor*, caf::message_view&) -> answer {
      ++*requests;
      return caf::delegated<caf::message>{};
    });
  return {[](float) { /* nobody sends one */ }};
}

/// Explains items and takes deposits; `why`: or turns them away.
caf::behavior owner(caf::event_based_actor*, caf::error why) {
  return {
    [=](const explain_item& x) -> caf::result<item_explained> {
      if (why)
        return why;
      item_explained out;
      out.user = x.user;
      return out;
    },
    [=](const submit&) -> caf::result<enqueued> {
      if (why)
        return why;
      return enqueued{{7}, 0};
    },
  };
}

using promised = caf::typed_response_promise<enqueued>;

/// Takes a deposit and answers when it is told to.
caf::behavior late_owner(caf::event_based_actor* self,
                         std::shared_ptr<promised> answer) {
  return {
    [=](const submit&) -> caf::result<enqueued> {
      *answer = self->make_response_promise<enqueued>();
      return *answer;
    },
    [=](float) { answer->deliver(enqueued{{8}, 0}); },
  };
}

class forwarded : public actor_fixture {
protected:
  forwarded() {
    cluster::forwarding_options to;
    to.count = 2;
    to.owner_wait = milliseconds{10'000};
    to.lost = [this] { ++lost; };
    at = spawn(cluster::shard_router, cluster::shard_router_options{to});
    user = "u";
    while (shard_of(user, 2) != 1)
      user += "u";
  }

  void place(const caf::actor& who, epoch_number epoch) {
    shard_placed x;
    x.shard = 1;
    x.epoch = epoch;
    if (who)
      x.core = caf::actor_cast<shard_actor>(who);
    caf::anon_send(at, x);
    settle();
  }

  auto explain() {
    auto out = self->request(at, caf::infinite, explain_item{1, user});
    settle();
    return out;
  }

  auto deposit() {
    submit what;
    what.queue = "metadata";
    what.user = user;
    auto out = self->request(at, caf::infinite, what);
    settle();
    return out;
  }

  template <class Request>
  caf::error refusal(Request& from) {
    caf::error out;
    EXPECT_TRUE(self->has_next_message());
    if (self->has_next_message())
      from.receive([](const enqueued&) { ADD_FAILURE() << "accepted"; },
                   [&](caf::error& why) { out = std::move(why); });
    return out;
  }

  template <class Request>
  std::string explained(Request& from) {
    std::string out;
    EXPECT_TRUE(self->has_next_message());
    if (self->has_next_message())
      from.receive([&](const item_explained& x) { out = x.user; },
                   [](const caf::error& why) {
                     ADD_FAILURE() << render(why);
                   });
    return out;
  }

  shard_router_actor at;
  std::string user;
  int lost = 0;
  std::shared_ptr<int> taken = std::make_shared<int>(0);
};

TEST_F(forwarded, fail_at_once_when_the_owner_dies_with_them) {
  const auto dying = spawn(mute, taken);
  place(dying, 1);
  auto asked = deposit();
  EXPECT_EQ(*taken, 1);
  EXPECT_FALSE(self->has_next_message());
  caf::anon_send_exit(dying, caf::exit_reason::kill);
  settle();
  const auto why = refusal(asked);
  EXPECT_EQ(why, ec::store_failed);
  EXPECT_NE(render(why).find("nobody knows"), std::string::npos);
  EXPECT_EQ(lost, 1);
}

TEST_F(forwarded, wait_longer_for_what_takes_long) {
  place(spawn(mute, taken), 1);
  std::string topic{"t"};
  while (shard_of(topic, 2) != 1)
    topic += "t";
  auto quick = explain();
  auto slow = self->request(at, caf::infinite,
                            order_topic{topic, "", topic_action::empty});
  advance(milliseconds{31'000});
  EXPECT_EQ(*taken, 2);
  ASSERT_TRUE(self->has_next_message());
  quick.receive(
    [](const item_explained&) { ADD_FAILURE() << "explained"; },
    [](const caf::error& why) { EXPECT_EQ(why, caf::sec::request_timeout); });
  EXPECT_FALSE(self->has_next_message());
  advance(milliseconds{3'600'000});
  ASSERT_TRUE(self->has_next_message());
  slow.receive(
    [](const done&) { ADD_FAILURE() << "done"; },
    [](const caf::error& why) { EXPECT_EQ(why, caf::sec::request_timeout); });
}

TEST_F(forwarded, go_to_the_next_owner_if_that_does_no_harm) {
  const auto dying = spawn(mute, taken);
  place(dying, 1);
  auto asked = explain();
  caf::anon_send_exit(dying, caf::exit_reason::kill);
  settle();
  EXPECT_FALSE(self->has_next_message()) << "it waits";
  place(spawn(owner, caf::error{}), 2);
  EXPECT_EQ(explained(asked), user);
}

TEST_F(forwarded, leave_an_owner_that_others_have_replaced) {
  place(spawn(mute, taken), 1);
  auto asked = deposit();
  auto repeated = explain();
  place(spawn(owner, caf::error{}), 2);
  EXPECT_EQ(explained(repeated), user) << "may be asked for twice";
  EXPECT_FALSE(self->has_next_message()) << "the first one may still answer";
  advance(milliseconds{2'500});
  EXPECT_EQ(refusal(asked), ec::store_failed) << "nobody knows";
}

TEST_F(forwarded, are_answered_by_an_owner_that_hands_over) {
  const auto answer = std::make_shared<promised>();
  const auto slow = spawn(late_owner, answer);
  place(slow, 1);
  auto asked = deposit();
  place({}, 1);
  place(spawn(owner, caf::error{}), 2);
  EXPECT_FALSE(self->has_next_message());
  caf::anon_send(slow, 1.0F);
  settle();
  ASSERT_TRUE(self->has_next_message());
  asked.receive([](const enqueued& x) { EXPECT_EQ(x.ids[0], 8u); },
                [](const caf::error& why) { FAIL() << render(why); });
}

TEST_F(forwarded, fail_at_once_when_an_owner_of_the_past_dies) {
  const auto dying = spawn(mute, taken);
  place(dying, 1);
  auto asked = deposit();
  place(spawn(owner, caf::error{}), 2);
  EXPECT_FALSE(self->has_next_message());
  caf::anon_send_exit(dying, caf::exit_reason::kill);
  settle();
  EXPECT_EQ(refusal(asked), ec::store_failed);
}

TEST_F(forwarded, wait_when_the_owner_turned_them_away) {
  place(spawn(owner, caf::make_error(ec::draining)), 1);
  auto asked = deposit();
  EXPECT_FALSE(self->has_next_message());
  EXPECT_EQ(lost, 1) << "the keeper is told to look";
  place(spawn(owner, caf::error{}), 2);
  ASSERT_TRUE(self->has_next_message());
  asked.receive([](const enqueued& x) { EXPECT_EQ(x.ids[0], 7u); },
                [](const caf::error& why) { FAIL() << render(why); });
}

TEST_F(forwarded, are_not_repeated_if_an_owner_that_was_fenced_had_them) {
  place(spawn(owner, caf::make_error(ec::fenced)), 1);
  auto asked = deposit();
  EXPECT_EQ(refusal(asked), ec::fenced) << "it may be in the journal";
  place(spawn(owner, caf::make_error(ec::fenced)), 2);
  auto harmless = explain();
  EXPECT_FALSE(self->has_next_message());
  place(spawn(owner, caf::error{}), 3);
  EXPECT_EQ(explained(harmless), user);
}

TEST_F(forwarded, are_not_given_to_an_owner_of_the_past) {
  place(spawn(owner, caf::error{}), 5);
  place(spawn(mute, taken), 4);
  auto asked = explain();
  EXPECT_EQ(explained(asked), user);
  EXPECT_EQ(*taken, 0);
}

TEST_F(forwarded, are_refused_when_nobody_comes) {
  auto asked = deposit();
  advance(milliseconds{9'000});
  EXPECT_FALSE(self->has_next_message());
  advance(milliseconds{1'500});
  const auto why = refusal(asked);
  EXPECT_EQ(why, ec::overloaded);
  EXPECT_NE(render(why).find("no engine has shard 1"), std::string::npos);
}

TEST_F(forwarded, are_refused_at_once_while_the_engine_drains) {
  auto asked = deposit();
  ASSERT_TRUE(ask<done>(at, drain{}));
  EXPECT_EQ(refusal(asked), ec::draining);
  auto late = deposit();
  EXPECT_EQ(refusal(late), ec::draining);
}

} // namespace

} // namespace depositd::testing
