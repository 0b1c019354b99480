// What the library says of itself becomes numbers; nonsense does not.

#include "adapters/logs/kafka/statistics.hpp"

#include "messages/values/tallies.hpp"

#include <gtest/gtest.h>

namespace depositd::kafka {

namespace {

double value_of(tally_of what, const std::string& client) {
  for (const auto& x : tallies(what))
    if (x.first == client)
      return x.value;
  return -1;
}

TEST(kafka_statistics, say_what_waits_and_how_far_brokers_are) {
  note_statistics("producer-1", R"({"name":"rdkafka","msg_cnt":12,"brokers":{
    "h:1/1":{"txerrs":2,"rtt":{"avg":1500,"cnt":7}},
    "h:1/bootstrap":{"txerrs":1,"rtt":{"avg":0,"cnt":0}}}})");
  EXPECT_EQ(value_of(tally_of::kafka_queued, "producer-1"), 12);
  EXPECT_EQ(value_of(tally_of::kafka_tx_errors, "producer-1"), 3);
  const auto trips = tallies(tally_of::kafka_rtt_us);
  ASSERT_EQ(trips.size(), 1u);
  EXPECT_EQ(trips[0].second, "h:1/1");
  EXPECT_EQ(trips[0].value, 1500);
  forget_statistics("producer-1");
  EXPECT_EQ(value_of(tally_of::kafka_queued, "producer-1"), -1);
  EXPECT_TRUE(tallies(tally_of::kafka_rtt_us).empty());
}

TEST(kafka_statistics, say_which_partitions_an_open_transaction_holds_up) {
  const auto held = held_offsets_in(R"({"topics":{"in":{"partitions":{
    "0":{"ls_offset":7,"hi_offset":9},
    "1":{"ls_offset":9,"hi_offset":9},
    "2":{"ls_offset":-1001,"hi_offset":9},
    "3":{"ls_offset":0,"hi_offset":1},
    "-1":{"ls_offset":0,"hi_offset":9}}}, "out":{}}})");
  EXPECT_EQ(held, (held_offsets{{{"in", 0}, 7}, {{"in", 3}, 0}}));
  for (const auto* text : {"", "[]", R"({"topics":[1]})",
                           R"({"topics":{"in":{"partitions":{"0":1}}}})",
                           R"({"topics":{"in":{"partitions":{"a":{}}}}})"})
    EXPECT_TRUE(held_offsets_in(text).empty());
}

TEST(kafka_statistics, that_are_none_are_passed) {
  for (const auto* text : {"", "[]", "{", R"({"brokers":[1]})",
                           R"({"brokers":{"a":1},"msg_cnt":"x"})"})
    note_statistics("consumer-2", text);
  EXPECT_LE(value_of(tally_of::kafka_queued, "consumer-2"), 0);
  forget_statistics("consumer-2");
}

} // namespace

} // namespace depositd::kafka
