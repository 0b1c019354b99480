// What happens seldom is counted once, by its labels; batches by their state.

#include "messages/values/tallies.hpp"
#include "messages/values/work_numbers.hpp"

#include <gtest/gtest.h>

#include <string>

namespace depositd {

namespace {

double value_of(tally_of what, const std::string& first,
                const std::string& second = "") {
  for (const auto& x : tallies(what))
    if (x.first == first && x.second == second)
      return x.value;
  return -1;
}

TEST(tallies, add_up_by_their_labels) {
  tally(tally_of::submission_rejected, "q", "quota_reached");
  tally(tally_of::submission_rejected, "q", "quota_reached", 4);
  tally(tally_of::submission_rejected, "q", "draining");
  EXPECT_EQ(value_of(tally_of::submission_rejected, "q", "quota_reached"), 5);
  EXPECT_EQ(value_of(tally_of::submission_rejected, "q", "draining"), 1);
  EXPECT_EQ(value_of(tally_of::login_failed, "q"), -1);
}

TEST(tallies, keep_the_newest_value_until_it_is_forgotten) {
  note_value(tally_of::kafka_rtt_us, "c", "b1", 5);
  note_value(tally_of::kafka_rtt_us, "c", "b1", 7);
  note_value(tally_of::kafka_rtt_us, "d", "b1", 1);
  EXPECT_EQ(value_of(tally_of::kafka_rtt_us, "c", "b1"), 7);
  forget_value(tally_of::kafka_rtt_us, "c");
  EXPECT_EQ(value_of(tally_of::kafka_rtt_us, "c", "b1"), -1);
  EXPECT_EQ(value_of(tally_of::kafka_rtt_us, "d", "b1"), 1);
}

TEST(tallies, have_so_many_labels_and_no_more) {
  for (std::size_t i = 0; i < tallies_max + 50; ++i)
    tally(tally_of::result_stale, "queue-" + std::to_string(i));
  EXPECT_EQ(tallies(tally_of::result_stale).size(), tallies_max + 1);
  EXPECT_EQ(value_of(tally_of::result_stale, "(others)", "(others)"), 50);
}

TEST(group_sizes_test, fall_into_buckets_by_their_upper_ends) {
  const auto before = group_sizes_now();
  count_group_size(1);
  count_group_size(2);
  count_group_size(4);
  count_group_size(5'000);
  const auto now = group_sizes_now();
  EXPECT_EQ(now.in[0] - before.in[0], 1u);
  EXPECT_EQ(now.in[1] - before.in[1], 2u);
  EXPECT_EQ(now.in[group_bounds.size()] - before.in[group_bounds.size()], 1u);
  EXPECT_EQ(now.events - before.events, 5'007u);
}

std::uint64_t in_state(const work_numbers& x, batch_state state) {
  return x.batches[static_cast<std::size_t>(state)];
}

TEST(work_numbers_test, follow_a_batch_from_its_arrival_to_its_end) {
  constexpr shard_number shard = 3;
  uncount_batches(shard);
  const auto id = ids_begin(shard) + 1;
  const auto before = count_work({shard});
  batch_came(id, 1'000'000);
  EXPECT_EQ(in_state(count_work({shard}), batch_state::pending), 1u);
  EXPECT_EQ(in_state(count_work({shard + 1}), batch_state::pending), 0u);
  batch_moves(id, {batch_state::processing, 2'000'000, ""}, true);
  EXPECT_EQ(in_state(count_work({shard}), batch_state::pending), 0u);
  EXPECT_EQ(in_state(count_work({shard}), batch_state::processing), 1u);
  batch_moves(id, {batch_state::completed, 4'000'000, ""}, false);
  const auto after = count_work({shard});
  EXPECT_EQ(in_state(after, batch_state::completed), 0u);
  EXPECT_EQ(after.times.n[time_bucket(3'000'000)]
              - before.times.n[time_bucket(3'000'000)],
            1u);
  const auto completed = static_cast<std::size_t>(batch_state::completed);
  EXPECT_EQ(after.batch_moves[completed] - before.batch_moves[completed], 1u);
}

TEST(work_numbers_test, know_nothing_of_a_shard_that_begins_anew) {
  constexpr shard_number shard = 4;
  uncount_batches(shard);
  batch_came(ids_begin(shard) + 1, 1);
  uncount_batches(shard);
  EXPECT_EQ(in_state(count_work({shard}), batch_state::pending), 0u);
  restore_batch(ids_begin(shard) + 2, batch_state::held);
  EXPECT_EQ(in_state(count_work({shard}), batch_state::held), 1u);
  uncount_batches(shard);
}

} // namespace

} // namespace depositd
