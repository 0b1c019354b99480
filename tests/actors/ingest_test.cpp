#include "tests/actors/record_log_fixture.hpp"

#include "messages/envelope.hpp"

namespace depositd {

namespace {

using namespace std::chrono_literals;
using testing::record_log_fixture;
using texts = std::multiset<std::string>;

class ingest_test : public record_log_fixture {
protected:
  static ingest batch(std::int64_t first, std::int64_t last,
                      const std::string& user = "a") {
    ingest out;
    out.partition = "in/0";
    out.upto = last;
    for (auto offset = first; offset <= last; ++offset) {
      ingest_deposit x;
      x.offset = offset;
      x.queue = "metadata";
      x.user = user;
      x.user += std::to_string(offset % 3);
      x.particulars.file_name = std::string{"f"}.append(std::to_string(offset));
      x.particulars.source = ingest_source;
      x.particulars.size = 4;
      x.post = "post";
      out.deposits.push_back(std::move(x));
    }
    return out;
  }

  std::int64_t kept_mark(const std::string& partition) {
    for (const auto& x : store->watermarks())
      if (x.partition == partition)
        return x.offset;
    return -1;
  }

  std::size_t submissions() {
    auto found = ask<submissions_found>(read_model, submission_query{});
    EXPECT_TRUE(found);
    return found ? found->rows.size() : 0;
  }
};

TEST_F(ingest_test, records_of_many_users_and_their_mark_are_one_group) {
  start();
  const auto before = store->last();
  auto reply = ask<ingested>(core, batch(0, 8));
  ASSERT_TRUE(reply) << render(reply.error());
  EXPECT_EQ(reply->accepted, 9u);
  EXPECT_EQ(kept_mark("in/0"), 8);
  std::size_t groups = 0;
  ASSERT_FALSE(store->read(before + 1, [&](const stored_group& x) {
    ++groups;
    EXPECT_EQ(x.watermarks,
              (std::vector<watermark>{{"in/0", 8}}));
    return true;
  }));
  EXPECT_EQ(groups, 1u);
}

TEST_F(ingest_test, what_was_applied_is_skipped_also_after_a_crash) {
  start();
  ASSERT_TRUE(ask<ingested>(core, batch(0, 4)));
  auto again = ask<ingested>(core, batch(3, 6));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->accepted, 2u);
  EXPECT_EQ(again->skipped, 2u);
  crash();
  start();
  auto later = ask<ingested>(core, batch(0, 7));
  ASSERT_TRUE(later);
  EXPECT_EQ(later->accepted, 1u);
  EXPECT_EQ(submissions(), 8u);
}

TEST_F(ingest_test, a_failed_group_leaves_neither_items_nor_mark) {
  start();
  fail_appends(*log, 1);
  EXPECT_FALSE(ask<ingested>(core, batch(0, 8)));
  EXPECT_EQ(kept_mark("in/0"), -1);
  advance(2s);
  auto again = ask<ingested>(core, batch(0, 8));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->accepted, 9u);
  EXPECT_EQ(submissions(), 9u);
}

TEST_F(ingest_test, takes_more_than_the_pending_limit_of_a_door) {
  configuration.queues[0].settings.pending_limit = 2;
  start();
  auto reply = ask<ingested>(core, batch(0, 8));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->accepted, 9u);
  EXPECT_EQ(report_of("metadata").ready, 9u);
}

TEST_F(ingest_test, what_is_no_deposit_here_is_rejected_not_lost) {
  start();
  auto x = batch(0, 2);
  x.deposits[0].queue = "nowhere";
  x.deposits[1].user = "../a";
  auto reply = ask<ingested>(core, x);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->accepted, 1u);
  EXPECT_EQ(reply->rejected, 2u);
  EXPECT_EQ(kept_mark("in/0"), 2);
}

TEST_F(ingest_test, the_same_deposit_is_taken_once_also_after_a_crash) {
  start();
  ASSERT_TRUE(ask<ingested>(core, batch(0, 2)));
  auto again = batch(3, 5);
  for (std::size_t i = 0; i < 3; ++i) {
    again.deposits[i].user = batch(0, 2).deposits[i].user;
    again.deposits[i].particulars.file_name = "f" + std::to_string(i);
  }
  again.deposits[2].post = "lost";
  auto reply = ask<ingested>(core, again);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->accepted, 0u);
  EXPECT_EQ(reply->skipped, 2u);
  EXPECT_EQ(reply->rejected, 1u) << "an id was used for something else";
  for (const auto tables_first : {false, true}) {
    if (tables_first) {
      EXPECT_EQ(submissions(), 3u);
    }
    crash();
    start();
    auto late = again;
    late.upto += tables_first ? 6 : 3;
    late.deposits.resize(2);
    for (auto& x : late.deposits)
      x.offset = late.upto;
    auto once_more = ask<ingested>(core, late);
    ASSERT_TRUE(once_more);
    EXPECT_EQ(once_more->skipped, 2u);
  }
}

TEST_F(ingest_test, an_id_is_known_for_seven_days) {
  start();
  ASSERT_TRUE(ask<ingested>(core, batch(0, 0)));
  crash();
  time_us += ingest_ids_kept_us;
  start();
  auto again = batch(1, 1);
  again.deposits[0].user = batch(0, 0).deposits[0].user;
  again.deposits[0].particulars.file_name = "f0";
  auto reply = ask<ingested>(core, again);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->accepted, 1u);
}

TEST_F(ingest_test, an_item_carries_its_post) {
  start();
  ASSERT_TRUE(ask<ingested>(core, batch(0, 0)));
  const auto sp = attach_to("metadata");
  want(sp, 1);
  ASSERT_EQ(sp.got->items.size(), 1u);
  const auto found = decode_envelope(sp.got->items[0].body);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->post, "post");
  EXPECT_EQ(found->particulars.file_name, "f0");
}

// -- the whole way ------------------------------------------------------------

class record_log_test : public record_log_fixture {
protected:
  static std::string line_of(int i) {
    return std::string{"u"}
      .append(std::to_string(i % 9))
      .append(" metadata f")
      .append(std::to_string(i))
      .append(" x");
  }

  /// Ends everything that waits.
  void process_all() {
    const auto sp = attach_to("metadata");
    want(sp, 1000);
    for (std::size_t i = 0; i < sp.got->items.size(); ++i)
      end(sp, sp.got->items[i],
          sp.got->items[i].user == "bad" ? verdict::failed : verdict::done);
    pass();
    caf::anon_send_exit(sp.actor, caf::exit_reason::kill);
    settle();
  }
};

TEST_F(record_log_test, deposits_come_in_and_outcomes_go_out) {
  start_all();
  write("ann metadata one x", 0);
  write("bad metadata two x", 1);
  pass();
  process_all();
  EXPECT_EQ(values(read_out("out")), (texts{"one done", "two not done"}));
  EXPECT_TRUE(read_out("dead").empty());
}

TEST_F(record_log_test, poison_goes_to_the_dead_letters_once) {
  start_all();
  for (int i = 0; i < 1000; ++i)
    write(std::string{"poison-"}.append(std::to_string(i)));
  write("ann metadata good x");
  for (int i = 0; i < 10; ++i)
    pass();
  process_all();
  EXPECT_EQ(read_out("dead").size(), 1000u);
  EXPECT_EQ(memory_records(*topics, "dead").size(), 1000u);
  EXPECT_EQ(values(read_out("out")), (texts{"good done"}));
}

TEST_F(record_log_test, nothing_is_lost_or_doubled_by_crashes) {
  records_max = 7;
  for (int i = 0; i < 100; ++i)
    write(line_of(i), i % 2);
  texts expected;
  for (int i = 0; i < 100; ++i)
    expected.insert(std::string{"f"}.append(std::to_string(i)) + " done");
  for (int round = 0; round < 5; ++round) {
    start_all();
    advance(50ms);
    process_all();
    crash_all();
  }
  start_all();
  for (int i = 0; i < 10; ++i)
    pass();
  process_all();
  process_all();
  EXPECT_EQ(values(read_out("out")), expected);
}

TEST_F(record_log_test, a_sink_that_fails_is_asked_again) {
  start_all();
  fault_publishes(*topics, publish_fault::answer_lost, 1);
  write("ann metadata one x");
  pass();
  process_all();
  pass(2s);
  EXPECT_EQ(values(read_out("out")), (texts{"one done"}));
  EXPECT_GE(memory_records(*topics, "out").size(), 2u) << "no repetition seen";
}

TEST_F(record_log_test, brokers_that_are_away_only_delay) {
  start_all();
  write("ann metadata one x");
  pass();
  reach_memory_brokers(*topics, false);
  process_all();
  pass(3s);
  reach_memory_brokers(*topics, true);
  pass(3s);
  EXPECT_EQ(values(read_out("out")), (texts{"one done"}));
}

TEST_F(record_log_test, a_deposit_of_before_the_start_keeps_its_name) {
  start_all();
  write("ann metadata early x");
  pass();
  crash_all();
  start_all();
  process_all();
  EXPECT_EQ(values(read_out("out")), (texts{"early done"}));
}

TEST_F(record_log_test, records_that_retention_took_stop_the_partition) {
  start_all();
  write("ann metadata one x");
  pass();
  crash_all();
  write("ann metadata two x");
  write("ann metadata three x");
  trim_memory_partition(*topics, "in", 0, 2);
  start_all();
  pass(2s);
  auto report = ask<intake_report>(reader_of_topic, report_intake{});
  ASSERT_TRUE(report);
  EXPECT_NE(report->trouble, "");
}

} // namespace

} // namespace depositd
