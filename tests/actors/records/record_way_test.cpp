// Records on their whole way: from a log in, through the core, and out again.

#include "actors/records/gather.hpp"
#include "tests/actors/records/record_log_fixture.hpp"

namespace depositd {

namespace {

using namespace std::chrono_literals;
using record_log_test = testing::record_log_fixture;
using texts = std::multiset<std::string>;

TEST_F(record_log_test, deposits_come_in_and_outcomes_go_out) {
  start_all();
  write("ann metadata one x", 0);
  write("bad metadata two x", 1);
  pass();
  process_all();
  EXPECT_EQ(values(read_out("out")), (texts{"one done", "two not done"}));
  EXPECT_TRUE(read_out("dead").empty());
}

TEST_F(record_log_test,
       the_outcome_of_a_deposit_goes_out_before_it_is_told_of) {
  configuration.queues.push_back({notify_queue, outbox_queue_defaults()});
  start_all();
  write("ann metadata one x");
  pass();
  const auto sp = attach_to("metadata");
  want(sp, 1);
  ASSERT_EQ(sp.got->items.size(), 1u);
  auto ended = outcome_of(sp.got->items[0]);
  ended.tell = true;
  caf::anon_send(sp.door, settle_and_request{sp.number, 0, {ended}});
  settle();
  pass();
  EXPECT_EQ(values(read_out("out")), (texts{"one done"}));
  const auto teller = attach_to(notify_queue);
  want(teller, 1);
  ASSERT_EQ(teller.got->items.size(), 1u);
  end(teller, teller.got->items[0]);
  pass();
  EXPECT_EQ(values(read_out("out")), (texts{"one done"}));
}

TEST_F(record_log_test,
       an_event_id_means_one_thing_though_a_store_was_brought_back) {
  const auto life = [this](const std::string& name, std::int32_t partition) {
    start_all();
    write("ann metadata " + name + " x");
    pass();
    write("poison " + name, partition);
    pass();
    process_all();
    crash_all();
  };
  life("one", 0);
  // From a backup, which had nothing: the same numbers for other events.
  log = make_memory_journal();
  tables = make_memory_projection();
  create_memory_topic(*topics, "in", 2);
  time_us += 3'600'000'000;
  life("two", 1);
  EXPECT_EQ(values(read_out("out")), (texts{"one done", "two done"}));
  EXPECT_EQ(values(read_out("dead")), (texts{"poison one", "poison two"}));
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

TEST_F(record_log_test, what_a_shard_refuses_becomes_a_dead_letter_as_it_was) {
  start_all();
  const auto large = std::string(inline_submission_bytes_max + 1, 'x');
  const std::vector<record_header> headers{{"sent-by", "a"}, {"sent-by", "b"}};
  write("ann metadata one x");
  write("ann metadata one y", 0, headers);
  write("poison", 0, {{"n", "1"}});
  write("bob nowhere two " + large, 0, headers);
  write("bob metadata three x");
  write("ann metadata one x", 1);
  pass();
  process_all();
  EXPECT_EQ(values(read_out("out")), (texts{"one done", "three done"}));
  const auto letters = memory_records(*topics, "dead");
  ASSERT_EQ(letters.size(), 3u);
  const auto rest = [](const source_record& x) {
    return std::vector<record_header>{x.headers.begin() + 2, x.headers.end()};
  };
  EXPECT_EQ(letters[0].value, "ann metadata one y");
  EXPECT_EQ(letters[1].value, "poison");
  EXPECT_EQ(letters[2].value, "bob nowhere two " + large);
  for (const auto& x : letters)
    EXPECT_EQ(x.key, "key");
  EXPECT_EQ(rest(letters[0]), headers);
  EXPECT_EQ(rest(letters[1]), (std::vector<record_header>{{"n", "1"}}));
  EXPECT_EQ(rest(letters[2]), headers);
  auto report = ask<intake_report>(reader_of_topic, report_intake{});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->accepted, 2u);
  EXPECT_EQ(report->rejected, 3u);
  crash_all();
  start_all();
  pass();
  EXPECT_EQ(memory_records(*topics, "dead").size(), 3u);
}

TEST_F(record_log_test, refused_records_neither_stop_nor_reorder_a_partition) {
  records_max = 7;
  start_all();
  texts expected;
  for (int i = 0; i < 100; ++i) {
    const auto n = std::to_string(i);
    write("ann " + std::string{i % 3 == 0 ? "nowhere" : "metadata"} + " f" + n
          + " x");
    if (i % 3 != 0)
      expected.insert("f" + n + " done");
  }
  for (int i = 0; i < 10; ++i)
    pass();
  process_all();
  process_all();
  EXPECT_EQ(values(read_out("out")), expected);
  EXPECT_EQ(read_out("dead").size(), 34u);
}

TEST_F(record_log_test, headers_of_dead_letters_are_bounded) {
  start_all();
  std::vector<record_header> many(100, {"name", "value"});
  many.push_back({"headers-omitted", "0"});
  write("poison", 0, many);
  write("poison", 0, {{"large", std::string(40'000, 'x')}, {"small", "y"}});
  pass();
  const auto letters = memory_records(*topics, "dead");
  ASSERT_EQ(letters.size(), 2u);
  ASSERT_EQ(letters[0].headers.size(), 2u + 64u + 1u);
  EXPECT_EQ(letters[0].headers.back(),
            (record_header{"headers-omitted", "36"}));
  EXPECT_EQ((std::vector<record_header>{letters[1].headers.begin() + 2,
                                        letters[1].headers.end()}),
            (std::vector<record_header>{{"small", "y"},
                                        {"headers-omitted", "1"}}));
}

TEST_F(record_log_test, keys_of_dead_letters_are_bounded) {
  start_all();
  const std::vector<record_header> forged{{"key-omitted", "7"}};
  for (const auto bytes : {key_bytes_max, key_bytes_max + 1})
    append_memory_record(*topics, "in", 0,
                         {.key = std::string(bytes, 'k'),
                          .value = "poison",
                          .has_value = true,
                          .headers = forged});
  pass();
  const auto letters = memory_records(*topics, "dead");
  ASSERT_EQ(letters.size(), 2u);
  EXPECT_EQ(letters[0].key.size(), key_bytes_max);
  EXPECT_EQ(letters[0].headers.size(), 2u);
  EXPECT_EQ(letters[1].key, "");
  EXPECT_EQ(letters[1].headers.back(), (record_header{"key-omitted", "4097"}));
}

TEST_F(record_log_test, large_records_wait_for_each_other) {
  bytes_max = 1'000;
  start_all();
  for (int i = 0; i < 20; ++i)
    write(line_of(i) + std::string(600, 'x'));
  for (int i = 0; i < 20; ++i)
    pass();
  process_all();
  EXPECT_EQ(read_out("out").size(), 20u);
  write(line_of(20));
  pass();
  process_all();
  EXPECT_EQ(read_out("out").size(), 21u) << "they wait no more";
}

TEST_F(record_log_test, many_deposits_of_before_the_start_keep_their_names) {
  start_all();
  texts expected;
  for (int i = 0; i < 150; ++i) {
    write(line_of(i));
    expected.insert("f" + std::to_string(i) + " done");
  }
  pass();
  pass();
  crash_all();
  start_all();
  process_all();
  process_all();
  EXPECT_EQ(values(read_out("out")), expected);
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
  const auto now = ask<publisher_report>(writer_of_topics, report_publisher{});
  ASSERT_TRUE(now);
  EXPECT_EQ(now->trouble, "") << "it is over";
}

TEST_F(record_log_test, what_cannot_be_read_is_not_passed_over) {
  start_all();
  pass();
  const auto report = [this] {
    const auto out
      = ask<publisher_report>(writer_of_topics, report_publisher{});
    EXPECT_TRUE(out);
    return out ? *out : publisher_report{};
  };
  const auto before = report().published;
  ASSERT_TRUE(store->append("no record", 1, {}));
  pass(2s);
  EXPECT_NE(report().trouble, "");
  EXPECT_EQ(report().published, before);
}

TEST_F(record_log_test, what_is_refused_for_good_has_nothing_written_again) {
  start_all();
  texts expected;
  for (int i = 0; i < 90; ++i) {
    write(line_of(i));
    expected.insert("f" + std::to_string(i) + " done");
  }
  pass();
  refuse_memory_records(*topics, "u4");
  process_all();
  for (int i = 0; i < 10; ++i)
    pass(1s);
  crash_all();
  start_all();
  for (int i = 0; i < 10; ++i)
    pass(1s);
  EXPECT_LT(memory_records(*topics, "out").size(), 90u);
  auto report = ask<publisher_report>(writer_of_topics, report_publisher{});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->trouble, "refused for good: u4");
  refuse_memory_records(*topics, "");
  pass(2s);
  EXPECT_EQ(values(read_out("out")), expected);
  EXPECT_LT(memory_records(*topics, "out").size(), 180u);
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

TEST_F(record_log_test, those_before_the_mark_are_looked_up_all_of_them) {
  start_all();
  texts expected{"first done"};
  write("ann metadata first x");
  pass();
  process_all(); // from now on there is a mark
  for (int i = 0; i < 150; ++i) {
    write(line_of(i));
    expected.insert("f" + std::to_string(i) + " done");
  }
  pass();
  write("ann metadata last x");
  expected.insert("last done");
  pass();
  pass();
  crash_all();
  start_all();
  for (int i = 0; i < 4; ++i)
    process_all();
  EXPECT_EQ(values(read_out("out")), expected);
}

TEST_F(record_log_test, outcomes_that_were_dropped_are_counted_and_passed) {
  start_all();
  pass();
  const auto before =
    ask<publisher_report>(writer_of_topics, report_publisher{});
  ASSERT_TRUE(before);
  caf::anon_send_exit(writer_of_topics, caf::exit_reason::kill);
  for (int i = 0; i < 20; ++i)
    put("metadata", {{"ann", 0, std::string(500, 'x')}});
  ASSERT_TRUE(ask<submissions_found>(read_model, submission_query{}));
  crash_all();
  const auto other = open_memory_journal(log); // knows of no topics
  const auto gone = other->segments();
  ASSERT_GT(gone.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    ASSERT_FALSE(other->drop(gone[i].number));
  start_all();
  pass();
  const auto report =
    ask<publisher_report>(writer_of_topics, report_publisher{});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->passed, gone[2].last - before->published);
}

TEST_F(record_log_test, what_was_dropped_is_not_taken_for_nothing) {
  start_all();
  for (int i = 0; i < 20; ++i)
    put("metadata", {{"ann", 0, std::string(500, 'x')}});
  ASSERT_TRUE(ask<submissions_found>(read_model, submission_query{}));
  crash_all();
  const auto other = open_memory_journal(log);
  const auto gone = other->segments().front();
  ASSERT_GT(other->last(), gone.last);
  ASSERT_FALSE(other->drop(gone.number));
  records::publisher_state state;
  state.options.store = other.get();
  const auto behind = records::gather(state);
  ASSERT_FALSE(behind);
  EXPECT_EQ(behind.error(), ec::not_found);
  state.cursor = gone.last;
  const auto after = records::gather(state);
  ASSERT_TRUE(after);
  EXPECT_GT(after->last, gone.last);
}

} // namespace

} // namespace depositd
