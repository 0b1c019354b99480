// The judges of topics, and of what operators cancel, are judged.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

/// A topic with two channels, and a message that its publisher was told of.
class channels : public ::testing::Test {
protected:
  channels() {
    topic_changed x;
    x.topic = "t";
    x.channels = {"a", "b"};
    t.write("", x);
  }

  void send(const std::string& body) {
    t.add(attempted{body, "nsq/t", "ann"});
  }

  item_id come(const std::string& body, const std::string& queue) {
    item_enqueued x;
    x.id = ++last_;
    x.queue = queue;
    x.body = body;
    t.write("ann", x);
    return x.id;
  }

  names wrong() const {
    findings found;
    check_channels(t.told, found);
    names out;
    for (const auto& x : found)
      out.insert(x.what);
    return out;
  }

  tale t;

private:
  item_id last_ = 0;
};

TEST_F(channels, are_right_if_each_has_it_once) {
  send("m");
  come("m", "nsq/t/a");
  come("m", "nsq/t/b");
  t.add(message_kept{"m"});
  EXPECT_EQ(wrong(), names{});
}

/// One of the topic's channels goes with its last consumer.
class ephemeral_channels : public channels {
protected:
  ephemeral_channels() {
    change({passing}, {});
  }

  void change(std::vector<std::string> all, std::vector<std::string> ending) {
    topic_changed x;
    x.topic = "t";
    x.channels = std::move(all);
    x.ending = std::move(ending);
    t.write("", x);
  }

  void consumer(bool here) {
    t.add(consumer_noted{1, queue, here});
  }

  static constexpr const char* passing = "c#ephemeral";
  static constexpr const char* queue = "nsq/t/c#ephemeral";
};

TEST_F(ephemeral_channels, go_with_what_is_in_them_when_nobody_is_there) {
  consumer(true);
  send("m");
  come("m", "nsq/t");
  t.add(message_kept{"m"});
  consumer(false);
  change({passing}, {passing});
  change({}, {});
  EXPECT_EQ(wrong(), names{"m came into no channel"});
}

TEST_F(ephemeral_channels, do_not_go_while_somebody_is_there) {
  consumer(true);
  change({passing}, {passing});
  change({}, {});
  EXPECT_EQ(wrong(),
            names{"nsq/t/c#ephemeral ended and has a consumer, 1"});
}

TEST_F(ephemeral_channels, go_with_an_engine_that_dies) {
  consumer(true);
  t.add(fault{"the engine crashes"});
  change({}, {});
  EXPECT_EQ(wrong(), names{});
}

TEST_F(ephemeral_channels, go_although_an_engine_that_went_has_said_otherwise) {
  t.add(fault{"another engine takes the shard"});
  consumer(true);
  change({}, {});
  EXPECT_EQ(wrong(), names{});
}

TEST_F(ephemeral_channels, go_when_another_engine_has_the_shard) {
  consumer(true);
  t.epoch += 1;
  change({}, {});
  EXPECT_EQ(wrong(), names{});
}

TEST_F(channels, may_get_it_by_way_of_the_topic) {
  send("m");
  const auto id = come("m", "nsq/t");
  t.add(message_kept{"m"});
  t.write("ann", item_moved{id, "nsq/t", "nsq/t/a", t.now_us});
  come("m", "nsq/t/b");
  EXPECT_EQ(wrong(), names{});
}

TEST_F(channels, may_not_miss_it) {
  send("m");
  come("m", "nsq/t/a");
  t.add(message_kept{"m"});
  EXPECT_EQ(wrong(), names{"m did not come into nsq/t/b"});
}

TEST_F(channels, may_miss_it_if_they_were_to_go) {
  send("m");
  come("m", "nsq/t/a");
  t.add(message_kept{"m"});
  t.add(topic_wanted{"t", "b", topic_action::remove});
  EXPECT_EQ(wrong(), names{});
}

TEST_F(channels, may_not_have_it_twice) {
  send("m");
  come("m", "nsq/t/a");
  come("m", "nsq/t/b");
  come("m", "nsq/t/b");
  EXPECT_EQ(wrong(), names{"m came into nsq/t/b twice"});
}

TEST_F(channels, have_it_before_its_publisher_is_told) {
  send("m");
  t.add(message_kept{"m"});
  come("m", "nsq/t/a");
  come("m", "nsq/t/b");
  EXPECT_EQ(wrong(), names{"m was kept too early"});
}

TEST_F(channels, do_not_get_what_waits_for_ever) {
  send("m");
  come("m", "nsq/t");
  t.add(message_kept{"m"});
  EXPECT_EQ(wrong(), (names{"m came into no channel",
                            "m did not come into nsq/t/a",
                            "m did not come into nsq/t/b"}));
}

TEST_F(channels, do_not_get_what_was_emptied_out_of_the_topic) {
  send("m");
  auto end = t.an_end(come("m", "nsq/t"));
  t.add(message_kept{"m"});
  end.how = ending::purged;
  t.write("ann", end);
  EXPECT_EQ(wrong(), names{});
}

/// A deposit that an operator cancels.
class cancelled : public ::testing::Test {
protected:
  cancelled() {
    t.add(attempted{"f", "metadata", "ann"});
    item_enqueued x;
    x.id = id;
    x.queue = "metadata";
    x.body = "f";
    t.write("ann", x);
    t.add(acknowledged{"f", id});
  }

  void end() {
    auto x = t.an_end(id);
    x.how = ending::failed;
    t.write("ann", x);
    t.flush();
  }

  static constexpr item_id id = 1;
  tale t;
};

TEST_F(cancelled, deposits_end_without_a_claim) {
  t.add(cancel_wanted{id, "ann"});
  end();
  t.add(cancelled_as_wanted{id});
  EXPECT_EQ(t.broken(), names{});
}

TEST_F(cancelled, deposits_of_somebody_end_all) {
  t.add(cancel_wanted{0, "ann"});
  end();
  EXPECT_EQ(t.broken(), names{});
}

TEST_F(cancelled, deposits_have_ended_before_anybody_is_told) {
  t.add(cancel_wanted{id, "ann"});
  t.add(cancelled_as_wanted{id});
  end();
  EXPECT_EQ(t.broken(), names{"C-2"});
}

TEST_F(cancelled, deposits_are_those_that_somebody_wanted) {
  t.add(cancel_wanted{0, "bob"});
  end();
  EXPECT_EQ(t.broken(), names{"I-6"});
}

} // namespace

} // namespace depositd::simulation
