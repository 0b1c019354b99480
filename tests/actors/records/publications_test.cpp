// What of a journal is to be published, batch by batch: the journal is made by
// hand.

#include "actors/records/gather.hpp"
#include "adapters/stores/memory/memory_journal_store.hpp"
#include "messages/values/codec.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd::records {

namespace {

class publications : public ::testing::Test {
protected:
  publications() {
    state.options.store = store.get();
    state.options.format.write_job = [](const ended_job&) {
      return outgoing_record{};
    };
    state.batch_max = 100;
  }

  /// One group of one record.
  void write(std::vector<event> events) {
    record x{"ann", std::move(events)};
    const auto count = static_cast<std::uint32_t>(x.events.size());
    std::string bytes;
    std::vector<body_slot> slots;
    encode(x, bytes, slots);
    ASSERT_TRUE(store->append(bytes, count, {}));
  }

  /// A move to an end; `stays` is where it can go on from.
  static job_moved job(item_id id, job_state to, micros changed_us,
                       const std::string& stays = {}) {
    job_moved out;
    out.id = id;
    out.queue = "stage";
    out.batch = 9;
    out.place.queue = stays;
    out.place.attempt = 3;
    out.status.state = to;
    out.status.changed_us = changed_us;
    return out;
  }

  static batch_moved batch(batch_state to, micros changed_us) {
    batch_moved out;
    out.id = 9;
    out.status.state = to;
    out.status.changed_us = changed_us;
    return out;
  }

  publication gathered() {
    auto out = gather(state);
    EXPECT_TRUE(out) << (out ? "" : render(out.error()));
    return out ? std::move(*out) : publication{};
  }

  template <class Entry>
  static std::vector<Entry> all(const publication& from) {
    std::vector<Entry> out;
    for (const auto& x : from.entries)
      if (const auto* one = std::get_if<Entry>(&x.what))
        out.push_back(*one);
    return out;
  }

  const std::shared_ptr<memory_journal> log =
    make_memory_journal({.segment_bytes = 1 << 20});
  const std::unique_ptr<journal_store> store = open_memory_journal(log);
  publisher_state state;
};

TEST_F(publications, tell_an_end_once_however_many_moves_leave_it_as_it_is) {
  write({job(1, job_state::failed, 70, "stage"),
         job(1, job_state::failed, 70, "stage")});
  write({job(1, job_state::failed, 70, "stage"), batch(batch_state::failed, 71),
         batch(batch_state::failed, 71)});
  const auto first = gathered();
  EXPECT_EQ(all<ended_job>(first).size(), 1u);
  EXPECT_EQ(all<ended_batch>(first).size(), 1u);
}

TEST_F(publications, tell_a_second_end_of_the_same_kind) {
  write({job(1, job_state::failed, 70, "stage")});
  write({job(1, job_state::failed, 80, "stage")});
  EXPECT_EQ(all<ended_job>(gathered()).size(), 2u);
}

TEST_F(publications, tell_no_end_that_was_told_before) {
  write({job(1, job_state::failed, 70, "stage")});
  const auto first = gathered();
  state.ended[1] = all<ended_job>(first).at(0).event_id;
  EXPECT_TRUE(gathered().entries.empty());
  EXPECT_EQ(state.ended.size(), 1u) << "it may go on and fail again";
  write({job(1, job_state::failed, 70)});
  EXPECT_TRUE(gathered().entries.empty());
  EXPECT_TRUE(state.ended.empty()) << "nothing more will happen to it";
}

TEST_F(publications, say_where_a_job_failed_but_not_where_it_was_completed) {
  write({job(1, job_state::failed, 70, "stage"),
         job(2, job_state::completed, 70)});
  const auto jobs = all<ended_job>(gathered());
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].stage_queue, "stage");
  EXPECT_EQ(jobs[0].row.attempt, 3u);
  EXPECT_EQ(jobs[1].stage_queue, "");
  EXPECT_EQ(jobs[1].row.attempt, 0u);
}

TEST_F(publications, keep_the_facts_that_the_end_itself_brought) {
  auto with = job(1, job_state::completed, 70);
  with.has_facts = true;
  with.facts.title = "of the end";
  write({with, job(2, job_state::completed, 70)});
  auto out = gathered();
  std::vector<job_row> rows(2);
  for (item_id id = 1; id <= 2; ++id) {
    auto& row = rows[id - 1];
    row.id = id;
    row.created_us = 5;
    row.info.uuid = "jid-" + std::to_string(id);
    row.facts.title = "of now";
  }
  fill_in(out, rows);
  const auto jobs = all<ended_job>(out);
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].row.facts.title, "of the end");
  EXPECT_EQ(jobs[1].row.facts.title, "of now");
  EXPECT_EQ(jobs[1].row.info.uuid, "jid-2");
  EXPECT_EQ(jobs[1].row.created_us, 5);
}

TEST_F(publications, go_on_behind_the_cursor_within_a_group) {
  write({job(1, job_state::completed, 70), job(2, job_state::completed, 70),
         job(3, job_state::completed, 70)});
  state.batch_max = 2;
  const auto first = gathered();
  EXPECT_EQ(jobs_of(first), (std::vector<item_id>{1, 2}));
  EXPECT_EQ(batches_of(first), std::vector<item_id>{9});
  EXPECT_EQ(first.last, first.entries.back().at);
  state.cursor = first.last;
  EXPECT_EQ(jobs_of(gathered()), std::vector<item_id>{3});
}

TEST_F(publications, remember_no_more_deposits_than_they_may) {
  state.options.known_max = 2;
  const auto received = [](item_id id) {
    submission_received out;
    out.id = id;
    return out;
  };
  write({received(1), received(2), received(3)});
  gathered();
  EXPECT_EQ(state.known.size(), 2u);
  EXPECT_FALSE(state.known.contains(3)) << "it will be looked up";
}

TEST_F(publications, are_bounded_by_events_and_by_what_must_be_looked_up) {
  for (item_id id = 1; id <= 4; ++id)
    write({job(id, job_state::completed, 70)});
  state.options.events_max = 2;
  EXPECT_EQ(jobs_of(gathered()), (std::vector<item_id>{1, 2}));
  state.options.events_max = 100;
  state.options.lookups_max = 3;
  EXPECT_EQ(jobs_of(gathered()), (std::vector<item_id>{1, 2, 3}));
}

} // namespace

} // namespace depositd::records
