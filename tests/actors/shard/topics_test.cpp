// What channels promise to publishers and consumers, row by row of the
// reference.

#include "tests/actors/shard/topics_fixture.hpp"

namespace depositd {

namespace {

using namespace std::chrono_literals;

using counts = std::vector<std::uint64_t>;

class topics_test : public testing::topics_fixture {};

TEST_F(topics_test, row_q14_what_is_finished_is_gone) {
  make("t", "c");
  ASSERT_TRUE(send("t", {"a"}));
  const auto who = consume("t", "c", 1);
  ASSERT_EQ(who.got->bodies(), std::vector<std::string>{"a"});
  EXPECT_EQ(who.got->items[0].attempt, 1u);
  EXPECT_EQ(counts_of("t", "c"), (counts{0, 1, 0}));
  answer(who, 0);
  ASSERT_EQ(who.got->settled.size(), 1u);
  EXPECT_TRUE(who.got->settled[0].accepted);
  EXPECT_EQ(counts_of("t", "c"), (counts{0, 0, 0}));
  want(who, 1);
  EXPECT_EQ(who.got->items.size(), 1u);
}

TEST_F(topics_test, row_q15_another_cannot_finish_what_somebody_has) {
  make("t", "c");
  ASSERT_TRUE(send("t", {"a"}));
  const auto owner = consume("t", "c", 1);
  auto wrong = outcome_of(owner.got->items.at(0));
  ++wrong.token;
  caf::anon_send(owner.door, settle_and_request{owner.number, 0, {wrong}});
  settle();
  ASSERT_EQ(owner.got->settled.size(), 1u);
  EXPECT_FALSE(owner.got->settled[0].accepted);
  answer(owner, 0);
  EXPECT_TRUE(owner.got->settled.at(1).accepted);
}

TEST_F(topics_test, row_q17_a_claim_past_its_time_counts_as_timed_out) {
  make("t", "c");
  ASSERT_TRUE(send("t", {"a"}));
  const auto who = consume("t", "c", 2, 1'000);
  ASSERT_EQ(who.got->items.size(), 1u);
  pass(1'100ms);
  ASSERT_EQ(who.got->items.size(), 2u);
  EXPECT_EQ(who.got->items[1].attempt, 2u);
  const auto x = channel_of("t", "c");
  EXPECT_EQ(x.timed_out, 1u);
  EXPECT_EQ(x.requeued, 0u);
  // Row Q18: the old claim ends nothing any more.
  answer(who, 0);
  ASSERT_EQ(who.got->settled.size(), 1u);
  EXPECT_FALSE(who.got->settled[0].accepted);
}

TEST_F(topics_test, row_q19_what_is_touched_does_not_time_out) {
  make("t", "c");
  ASSERT_TRUE(send("t", {"a"}));
  const auto who = consume("t", "c", 1, 1'000);
  const auto& item = who.got->items.at(0);
  pass(700ms);
  caf::anon_send(
    who.door, renew_claims{who.number, {{item.id, item.token, item.member}}});
  settle();
  pass(700ms);
  answer(who, 0);
  EXPECT_TRUE(who.got->settled.at(0).accepted);
  EXPECT_EQ(channel_of("t", "c").timed_out, 0u);
}

TEST_F(topics_test, row_q21_given_back_it_is_there_at_once) {
  make("t", "c");
  ASSERT_TRUE(send("t", {"a"}));
  const auto who = consume("t", "c", 1);
  for (std::uint32_t attempt = 1; attempt <= 20; ++attempt) {
    ASSERT_EQ(who.got->items.size(), attempt);
    EXPECT_EQ(who.got->items.back().attempt, attempt);
    answer(who, attempt - 1, verdict::retry);
    want(who, 1);
  }
  EXPECT_EQ(channel_of("t", "c").requeued, 20u) << "attempts have no end";
}

TEST_F(topics_test, row_q22_given_back_for_later_it_is_deferred) {
  make("t", "c");
  ASSERT_TRUE(send("t", {"a"}));
  const auto who = consume("t", "c", 2);
  answer(who, 0, verdict::retry, 2'000);
  EXPECT_EQ(counts_of("t", "c"), (counts{0, 0, 1}));
  pass(1'900ms);
  EXPECT_EQ(who.got->items.size(), 1u);
  pass(200ms);
  ASSERT_EQ(who.got->items.size(), 2u);
  EXPECT_EQ(who.got->items[1].attempt, 2u);
}

TEST_F(topics_test, row_q26_each_channel_gets_each_message) {
  make("t", "a");
  make("t", "b");
  const auto bodies = numbered("m", 20);
  const auto first = consume("t", "b", 10);
  const auto second = consume("t", "b", 10);
  for (const auto& body : bodies)
    ASSERT_TRUE(send("t", {body}));
  EXPECT_EQ(channel_of("t", "a").depth, 20u);
  auto shared = first.got->bodies();
  const auto more = second.got->bodies();
  EXPECT_EQ(shared.size(), 10u);
  EXPECT_EQ(more.size(), 10u);
  shared.insert(shared.end(), more.begin(), more.end());
  EXPECT_EQ(sorted(shared), sorted(bodies));
  EXPECT_EQ(drain_channel("t", "a"), sorted(bodies));
  EXPECT_EQ(topic_of("t").messages, 20u);
  EXPECT_EQ(channel_of("t", "a").messages, 20u);
}

TEST_F(topics_test, copies_have_numbers_and_fates_of_their_own) {
  make("t", "a");
  make("t", "b");
  ASSERT_TRUE(send("t", {"m"}));
  const auto a = consume("t", "a", 1);
  const auto b = consume("t", "b", 1);
  EXPECT_NE(a.got->items.at(0).id, b.got->items.at(0).id);
  answer(a, 0);
  EXPECT_EQ(counts_of("t", "a"), (counts{0, 0, 0}));
  EXPECT_EQ(counts_of("t", "b"), (counts{0, 1, 0}));
}

TEST_F(topics_test, a_publish_is_one_commit_whatever_the_channels) {
  for (const auto* channel : {"a", "b", "c"})
    make("t", channel);
  disk->groups.clear();
  ASSERT_TRUE(send("t", numbered("m", 5)));
  EXPECT_EQ(disk->groups, std::vector<std::uint32_t>{15});
}

TEST_F(topics_test, what_there_is_memory_for_is_not_read_from_the_journal) {
  make("t", "a");
  ASSERT_TRUE(send("t", numbered("m", 3)));
  disk->before_body = [](const body_location&) {
    return caf::make_error(ec::store_failed, "no disk");
  };
  EXPECT_EQ(consume("t", "a", 10).got->bodies(), numbered("m", 3));
}

TEST_F(topics_test, row_r6_a_full_disk_refuses_what_is_published) {
  make("t", "c");
  ASSERT_TRUE(send("t", {"a"}));
  disk->full = true;
  EXPECT_EQ(send("t", {"b"}).error(), ec::overloaded);
  EXPECT_EQ(say(topic_action::create, "t", "d").error(), ec::overloaded);
  EXPECT_EQ(drain_channel("t", "c"), std::vector<std::string>{"a"})
    << "what is there goes on";
  disk->full = false;
  ASSERT_TRUE(send("t", {"c"}));
  EXPECT_EQ(drain_channel("t", "c"), std::vector<std::string>{"c"});
}

TEST_F(topics_test, row_q27_the_first_channel_gets_what_has_waited) {
  ASSERT_TRUE(send("t", numbered("m", 4)));
  EXPECT_EQ(topic_of("t").depth, 4u);
  make("t", "first");
  make("t", "second");
  EXPECT_EQ(channel_of("t", "first").depth, 4u);
  EXPECT_EQ(channel_of("t", "first").messages, 4u);
  EXPECT_EQ(channel_of("t", "second").depth, 0u);
  EXPECT_EQ(topic_of("t").depth, 0u);
  EXPECT_EQ(drain_channel("t", "first"), numbered("m", 4));
}

TEST_F(topics_test, row_q31_what_a_dead_consumer_had_goes_on_at_once) {
  make("t", "c");
  ASSERT_TRUE(send("t", {"a"}));
  const auto dies = consume("t", "c", 1);
  const auto waits = consume("t", "c", 1);
  ASSERT_EQ(dies.got->items.size(), 1u);
  caf::anon_send_exit(dies.actor, caf::exit_reason::kill);
  settle();
  ASSERT_EQ(waits.got->items.size(), 1u);
  EXPECT_EQ(waits.got->items[0].attempt, 2u);
}

TEST_F(topics_test, row_q32_what_is_ephemeral_goes_with_its_last_consumer) {
  const std::string topic = "t#ephemeral";
  const std::string channel = "c#ephemeral";
  const auto one = consume(topic, channel, 1);
  note(topic, channel, 1);
  note(topic, channel, 1);
  ASSERT_TRUE(send(topic, {"a", "b"}));
  note(topic, channel, -1);
  EXPECT_TRUE(is_there(topic));
  leave(one);
  note(topic, channel, -1);
  EXPECT_FALSE(is_there(topic));
  // Of the same name there may be another one.
  EXPECT_TRUE(drain_channel(topic, channel).empty());
  ASSERT_TRUE(send(topic, {"c"}));
  EXPECT_EQ(drain_channel(topic, channel), std::vector<std::string>{"c"});
}

TEST_F(topics_test, an_ephemeral_channel_leaves_its_topic_be) {
  make("t", "keeps");
  const auto who = consume("t", "c#ephemeral");
  note("t", "c#ephemeral", 1);
  ASSERT_TRUE(send("t", {"a"}));
  leave(who);
  note("t", "c#ephemeral", -1);
  const auto x = topic_of("t");
  ASSERT_EQ(x.channels.size(), 1u);
  EXPECT_EQ(x.channels[0].name, "keeps");
  EXPECT_EQ(x.channels[0].depth, 1u);
}

TEST_F(topics_test, an_ephemeral_channel_that_nobody_tells_of_goes_when_idle) {
  const auto who = consume("t", "c#ephemeral");
  make("empty#ephemeral", "");
  caf::anon_send_exit(who.actor, caf::exit_reason::kill);
  for (int i = 0; i < 55; ++i)
    pass(1min);
  EXPECT_EQ(topic_of("t").channels.size(), 1u);
  EXPECT_TRUE(is_there("empty#ephemeral"));
  for (int i = 0; i < 10; ++i)
    pass(1min);
  EXPECT_TRUE(topic_of("t").channels.empty());
  EXPECT_FALSE(is_there("empty#ephemeral"));
}

TEST_F(topics_test, an_ephemeral_channel_that_was_ordered_waits_for_its_first) {
  make("t", "c#ephemeral");
  ASSERT_TRUE(send("t", {"a"}));
  for (int i = 0; i < 55; ++i)
    pass(1min);
  ASSERT_EQ(topic_of("t").channels.size(), 1u);
  const auto who = consume("t", "c#ephemeral", 1);
  EXPECT_EQ(who.got->bodies(), std::vector<std::string>{"a"});
  leave(who);
  note("t", "c#ephemeral", -1);
  EXPECT_TRUE(topic_of("t").channels.empty());
  make("t", "c#ephemeral");
  for (int i = 0; i < 65; ++i)
    pass(1min);
  EXPECT_TRUE(topic_of("t").channels.empty()) << "nobody came for long";
}

TEST_F(topics_test, an_ephemeral_channel_goes_with_its_last_whatever_was_told) {
  const auto one = consume("t", "c#ephemeral");
  const auto other = consume("t", "c#ephemeral");
  for (int i = 0; i < 5; ++i) // told again and again, as of others that died
    note("t", "c#ephemeral", 1);
  note("t", "c#ephemeral", -1);
  note("t", "c#ephemeral", -1);
  leave(one);
  note("t", "c#ephemeral", -1);
  EXPECT_EQ(topic_of("t").channels.size(), 1u) << "one is there";
  leave(other);
  note("t", "c#ephemeral", -1);
  EXPECT_TRUE(topic_of("t").channels.empty());
}

TEST_F(topics_test, two_that_leave_at_once_are_both_seen) {
  const auto one = consume("t", "c#ephemeral");
  const auto other = consume("t", "c#ephemeral");
  caf::anon_send(one.door, detach{one.number});
  caf::anon_send(core, note_consumers{"t", "c#ephemeral", -1});
  caf::anon_send(other.door, detach{other.number});
  caf::anon_send(core, note_consumers{"t", "c#ephemeral", -1});
  settle();
  EXPECT_TRUE(topic_of("t").channels.empty());
}

TEST_F(topics_test, who_attaches_to_an_ephemeral_channel_that_ends_is_told) {
  const auto one = consume("t", "c#ephemeral");
  note("t", "c#ephemeral", 1);
  // Another one has its port, and is slow.
  const auto port = ask<queue_port_actor>(
    core, open_queue{channel_queue("t", "c#ephemeral")});
  ASSERT_TRUE(port);
  leave(one);
  note("t", "c#ephemeral", -1);
  const auto late = spawn(testing::recording_processor, one.got);
  EXPECT_FALSE(ask<attached>(*port, attach{late, "late", {}, 60'000, {}}));
  const auto said = ask<done>(core, note_consumers{"t", "c#ephemeral", 1});
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error(), ec::not_found);
  const auto again = consume("t", "c#ephemeral");
  note("t", "c#ephemeral", 1);
  EXPECT_EQ(topic_of("t").channels.size(), 1u);
}

TEST_F(topics_test, the_port_of_a_new_channel_comes_when_that_is_durable) {
  const auto open = [&] {
    return ask<queue_port_actor>(core, open_queue{channel_queue("t", "c")});
  };
  make("t", "");
  fail_appends(*log, 1);
  EXPECT_FALSE(open());
  fail_appends(*log, 0);
  advance(std::chrono::seconds{3});
  EXPECT_TRUE(topic_of("t").channels.empty());
  EXPECT_TRUE(open());
  restart();
  EXPECT_EQ(topic_of("t").channels.size(), 1u);
}

TEST_F(topics_test, an_ephemeral_channel_stays_for_who_comes_as_its_last_goes) {
  const auto one = consume("t", "c#ephemeral");
  leave(one);
  caf::anon_send(core, note_consumers{"t", "c#ephemeral", -1});
  caf::anon_send(core, note_consumers{"t", "c#ephemeral", 1});
  settle();
  EXPECT_EQ(topic_of("t").channels.size(), 1u);
}

TEST_F(topics_test, bad_names_and_bad_messages_are_refused) {
  const auto wrong = ec::invalid_argument;
  EXPECT_EQ(send("a b", {"x"}).error(), wrong);
  EXPECT_EQ(send("", {"x"}).error(), wrong);
  EXPECT_EQ(send(std::string(65, 'a'), {"x"}).error(), wrong);
  EXPECT_EQ(send("t", {"x", ""}).error(), wrong);
  EXPECT_EQ(send("t", {"x"}, 0, "no user").error(), wrong);
  EXPECT_EQ(say(topic_action::create, "t", "a/b").error(), wrong);
  EXPECT_EQ(send("t", std::vector<std::string>(10'001, "x")).error(),
            ec::too_large);
  for (const auto* name : {"nsq/t", "nsq/", "nsq//c", "nsq/t/a/b"})
    EXPECT_EQ(ask<queue_port_actor>(core, open_queue{name}).error(), wrong)
      << name;
  EXPECT_TRUE(listed().topics.empty());
}

TEST_F(topics_test, no_other_door_reaches_a_channel) {
  make("t", "c");
  ASSERT_TRUE(send("t", {"a"}));
  const std::string queue = channel_queue("t", "c");
  const auto wrong = ec::invalid_argument;
  EXPECT_EQ(ask<enqueued>(core, enqueue{queue, {{"u", 0, "x"}}}).error(),
            wrong);
  EXPECT_EQ(ask<queue_port_actor>(door, open_queue{queue}).error(), wrong);
  EXPECT_EQ(ask<ports_opened>(core, open_ports{queue}).error(), wrong);
  EXPECT_EQ(ask<move_begun>(core, move_queue{queue, "q", ""}).error(), wrong);
  EXPECT_EQ(change({queue_changed{queue, {}}}).error(), wrong);
  EXPECT_EQ(change({topic_changed{"t"}}).error(), wrong);
  const auto got =
    ask<items_received>(core, receive_items{queue, "w", 1, 1'000});
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->items.empty());
  EXPECT_EQ(counts_of("t", "c"), (counts{1, 0, 0}));
}

TEST_F(topics_test, users_who_publish_take_turns) {
  make("t", "c");
  ASSERT_TRUE(send("t", numbered("a", 6), 0, "ann"));
  ASSERT_TRUE(send("t", numbered("b", 2), 0, "bob"));
  const auto who = consume("t", "c", 4);
  EXPECT_EQ(sorted(who.got->users()),
            (std::vector<std::string>{"ann", "ann", "bob", "bob"}));
}

} // namespace

} // namespace depositd
