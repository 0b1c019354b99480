// Records of sources in the shard of their queue: each key once, whatever
// crashes.

#include "tests/actors/shard/feeding_fixture.hpp"

namespace depositd {

namespace {

using namespace std::chrono_literals;
using testing::record_feeding_test;

// -- taking -------------------------------------------------------------------

TEST_F(record_feeding_test, makes_items_of_what_is_new) {
  auto x = message({"k1"});
  x.records.push_back(record_of("k2", "Société Générale"));
  EXPECT_EQ(feed(x), (states{unknown, unknown}));
  const auto taken = poll("q");
  EXPECT_EQ(bodies_of(taken), (strings{"body of k1", "body of k2"}));
  EXPECT_EQ(measured({"ann", "Société Générale", "eve"}).of_users,
            (std::vector<std::uint64_t>{1, 1, 0}));
}

TEST_F(record_feeding_test, says_what_is_known_and_makes_nothing_of_it) {
  EXPECT_EQ(feed(strings{"k1", "k2", "k1"}),
            (states{unknown, unknown, queued}));
  EXPECT_EQ(feed(strings{"k3", "k2"}), (states{unknown, queued}));
  EXPECT_EQ(size("q"), 3u);
  work_off(1);
  work_off(1, verdict::failed);
  EXPECT_EQ(feed(strings{"k1", "k2", "k3"}),
            (states{finished, failed, queued}));
  EXPECT_EQ(size("q"), 1u);
}

TEST_F(record_feeding_test, feeds_by_hand_whatever_is_known) {
  feed(strings{"k1", "k2"});
  work_off(1, verdict::failed);
  auto x = message({"k1", "k2"});
  for (auto& one : x.records)
    one.by_hand = true;
  EXPECT_EQ(feed(x), (states{unknown, unknown}));
  EXPECT_EQ(size("q"), 3u);
  const auto taken = poll("q");
  ASSERT_EQ(taken.size(), 3u);
  // The item that had the key k2 before says nothing of it any more.
  finish("q", {taken[0].name}, verdict::failed);
  EXPECT_EQ(look_up("k2").id, taken[2].name.id);
  finish("q", {taken[1].name, taken[2].name});
  EXPECT_EQ(feed(strings{"k1", "k2"}), (states{finished, finished}));
  EXPECT_EQ(counts().failed, 2u);
  EXPECT_EQ(counts().finished, 2u);
}

TEST_F(record_feeding_test, forgets_the_oldest_that_are_over) {
  known_max = 2;
  auto with_two = a_source("a", made_us);
  with_two.settings.known_max = known_max;
  ASSERT_TRUE(change({with_two}));
  feed(strings{"k1", "k2", "k3", "lives"});
  work_off(3);
  EXPECT_EQ(counts().remembered, 2u);
  restart();
  EXPECT_EQ(state_of("k1"), unknown);
  EXPECT_EQ(feed(strings{"k3", "k2", "k1", "lives"}),
            (states{finished, finished, unknown, queued}));
  EXPECT_EQ(counts().finished, 3u) << "what is forgotten has been";
  project();
  restart();
  EXPECT_EQ(feed(strings{"k3", "k2", "k1", "lives"}),
            (states{finished, finished, queued, queued}));
}

TEST_F(record_feeding_test, refuses_what_it_cannot_take) {
  EXPECT_EQ(refusal_of(message(strings(feed_records_max + 1, "k"))),
            ec::too_large);
  auto x = message({"k"});
  x.records[0].body.assign(feed_bytes_max, 'x');
  EXPECT_EQ(refusal_of(x), ec::too_large);
  x = message({"k"});
  x.queue = "metadata"; // of deposits
  EXPECT_EQ(refusal_of(x), ec::invalid_argument);
  x.queue = "*";
  EXPECT_EQ(refusal_of(x), ec::invalid_argument);
  x = message({"k"});
  x.source = "b";
  EXPECT_EQ(refusal_of(x), ec::stale_claim);
  x = message({"k"});
  x.made_us = 6;
  EXPECT_EQ(refusal_of(x), ec::stale_claim);
  EXPECT_EQ(size("q"), 0u);
  EXPECT_EQ(state_of("k"), unknown);
}

TEST_F(record_feeding_test, keeps_what_no_item_can_be_made_of_as_bad) {
  auto x = message({"", "k"});
  x.records.push_back(record_of("long"));
  x.records[2].body.assign(inline_body_bytes_max + 1, 'x');
  EXPECT_EQ(feed(x), (states{failed, unknown, failed}));
  EXPECT_EQ(size("q"), 1u);
  const auto kept = failed_rows();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[1].key, "long");
  EXPECT_EQ(kept[1].body.size(), refused_body_bytes_max);
}

TEST_F(record_feeding_test, keeps_bad_records_once) {
  auto x = message({});
  x.bad = {{"k1", "ann", "no JSON", "{", 0}, {"", "", "no key", "{}", 0}};
  EXPECT_EQ(feed(x), states{});
  EXPECT_EQ(feed(x), states{});
  restart();
  EXPECT_EQ(feed(x), states{});
  const auto kept = failed_rows();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].key, "k1");
  EXPECT_EQ(kept[0].user, "ann");
  EXPECT_EQ(kept[0].reason, "no JSON");
  EXPECT_EQ(kept[0].body, "{");
  EXPECT_EQ(kept[1].body, "{}");
  EXPECT_EQ(state_of("k1"), unknown) << "it may come as a good one";
}

// -- what became of them ------------------------------------------------------

TEST_F(record_feeding_test, follows_each_record) {
  feed(strings{"k1", "k2"});
  const auto taken = poll("q", 1);
  ASSERT_EQ(taken.size(), 1u);
  auto found = look_up("k1");
  EXPECT_EQ(found.state, record_state::claimed);
  EXPECT_EQ(found.id, taken[0].name.id);
  EXPECT_EQ(found.attempt, 1u);
  EXPECT_EQ(found.user, "ann");
  EXPECT_EQ(state_of("k2"), queued);
  EXPECT_EQ(state_of("never"), unknown);
  EXPECT_EQ(counts().claimed, 1u);
  EXPECT_EQ(counts().queued, 1u);
  finish("q", names_of(taken), verdict::release);
  EXPECT_EQ(state_of("k1"), queued);
  EXPECT_EQ(counts().claimed, 0u);
  work_off(1);
  found = look_up("k1");
  EXPECT_EQ(found.state, finished);
  EXPECT_EQ(found.id, 0u);
  EXPECT_EQ(found.user, "ann");
  EXPECT_EQ(counts().finished, 1u);
  EXPECT_EQ(counts().remembered, 1u);
}

TEST_F(record_feeding_test, hears_of_them_from_those_who_have_them_only) {
  feed(strings{"k1", "k2"});
  const auto before = look_up("k1");
  ASSERT_EQ(before.state, queued);
  records_moved late; // of an actor that has died since
  late.user = "ann";
  late.queue = "q";
  late.claimed.push_back({"a", made_us, 1});
  late.ended.push_back({"a", made_us, "k1", before.id, false});
  late.moved = 3;
  caf::anon_send(core, late);
  settle();
  EXPECT_EQ(state_of("k1"), queued);
  EXPECT_EQ(counts().claimed, 0u);
  EXPECT_EQ(measured().left, 2u);
}

TEST_F(record_feeding_test, counts_claims_that_end_by_themselves) {
  feed(strings{"k1", "k2", "k3"});
  const auto taken = poll("q", 3, 1'000);
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(counts().claimed, 3u);
  renew("q", names_of(taken), 2'000);
  EXPECT_EQ(counts().claimed, 3u) << "as before";
  renew("q", {taken[0].name}, 0);
  EXPECT_EQ(counts().claimed, 2u);
  advance(3s);
  EXPECT_EQ(counts().claimed, 0u);
  EXPECT_EQ(counts().queued, 3u);
  renew("q", {taken[1].name}, 2'000); // claims it anew
  EXPECT_EQ(counts().claimed, 1u);
  purge("q");
  EXPECT_EQ(counts().claimed, 0u);
  EXPECT_EQ(counts().queued, 0u);
  EXPECT_EQ(counts().finished, 3u) << "a purged item is finished";
}

TEST_F(record_feeding_test, measures_what_is_left_in_the_queue) {
  feed(strings{"k1", "k2", "k3", "k4"});
  put("q", items_of("ann", 2));
  EXPECT_EQ(measured({"ann"}).left, 6u);
  EXPECT_EQ(measured({"ann"}).of_users, std::vector<std::uint64_t>{4});
  const auto taken = poll("q", 2);
  finish("q", {taken[0].name}, verdict::retry);
  EXPECT_EQ(measured().left, 6u) << "claimed and delayed ones are left";
  park_matching park;
  park.queue = "q";
  park.to_us = time_us * 2;
  ASSERT_TRUE(ask<matching_parked>(core, park));
  const auto parked = 6u - measured().left;
  EXPECT_GE(parked, 4u);
  restart();
  EXPECT_EQ(measured().left, 6u - parked);
  park.parked = false;
  ASSERT_TRUE(ask<matching_parked>(core, park));
  EXPECT_EQ(measured().left, 6u);
  purge("q");
  EXPECT_EQ(measured({"ann"}).left, 0u);
  EXPECT_EQ(measured({"ann"}).of_users, std::vector<std::uint64_t>{0});
  EXPECT_EQ(measured({"ann"}, "never").left, 0u);
}

TEST_F(record_feeding_test, keeps_failed_ones_with_their_bodies) {
  feed(strings{"k1", "k2", "k3"});
  work_off(1, verdict::failed);
  project(); // one from before the slice, one from within it
  work_off(1, verdict::failed);
  feed(strings{"k4"});
  finish("q", {poll("q", 1)[0].name});
  work_off(1, verdict::failed);
  const auto kept = failed_rows();
  ASSERT_EQ(kept.size(), 3u);
  const strings keys{"k1", "k2", "k4"};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(kept[i].key, keys[i]);
    EXPECT_EQ(kept[i].body, "body of " + keys[i]);
    EXPECT_EQ(kept[i].user, "ann");
  }
  EXPECT_LT(kept[0].place, kept[1].place);
}

TEST_F(record_feeding_test, follows_items_to_another_queue) {
  feed(strings{"k1", "k2"});
  (void)poll("q", 1);
  move("q", "other");
  EXPECT_EQ(size("other"), 2u);
  EXPECT_EQ(counts().queued, 2u);
  EXPECT_EQ(measured({"ann"}).of_users, std::vector<std::uint64_t>{0});
  EXPECT_EQ(measured({"ann"}, "other").of_users, std::vector<std::uint64_t>{2});
  for (auto round = 0; round < 2; ++round) {
    EXPECT_EQ(feed(strings{"k1", "k2"}), (states{queued, queued}));
    EXPECT_EQ(measured({"ann"}, "other").of_users,
              std::vector<std::uint64_t>{2});
    restart();
  }
  finish("other", names_of(poll("other")));
  EXPECT_EQ(feed(strings{"k1", "k2"}), (states{finished, finished}));
  EXPECT_EQ(measured({"ann"}, "other").of_users, std::vector<std::uint64_t>{0});
}

} // namespace

} // namespace depositd
