// Batches from a log of records, and what is written to one of them and their
// jobs.

#include "tests/actors/records/record_log_fixture.hpp"
#include "tests/actors/work/work_fixture.hpp"

#include <set>

namespace depositd {

namespace {

using testing::work_fixture;
using texts = std::multiset<std::string>;

/// "batch UUID USER COLLECTION JOBS PAYLOAD", or a deposit.
caf::expected<record_content> read_batches(const source_record& x) {
  if (!x.value.starts_with("batch "))
    return testing::read_plain(x);
  std::istringstream from{x.value};
  std::string word;
  std::uint64_t jobs = 0;
  read_batch out;
  out.document = std::make_shared<batch_document>();
  auto& document = *out.document;
  from >> word >> document.uuid >> document.user >> document.collection >> jobs
    >> out.payload;
  document.more["jobs"] = jobs;
  document.payloads.emplace_back();
  document.payloads.front().file_name = "file";
  out.what.user = document.user;
  out.what.info.uuid = document.uuid;
  out.what.info.collection = document.collection;
  out.what.info.source = source_kafka.name;
  out.what.info.file_name = "file";
  return record_content{std::move(out)};
}

record_format work_format() {
  auto out = testing::plain_format();
  out.read = read_batches;
  out.write_batch = [](const ended_batch& x) {
    return outgoing_record{"jobs",
                           x.row.user,
                           "batch " + x.row.info.uuid + " "
                             + word(x.row.status.state),
                           true,
                           {{"event-id", x.event_id}}};
  };
  out.write_job = [](const ended_job& x) {
    return outgoing_record{"jobs",
                           x.row.user,
                           "job " + x.row.info.uuid + " of " + x.batch_uuid
                             + " in " + x.stage_queue + " "
                             + word(x.row.status.state),
                           true,
                           {{"event-id", x.event_id}}};
  };
  return out;
}

class work_records_test : public work_fixture {
protected:
  work_records_test() {
    create_memory_topic(*topics, "in", 1);
    for (const auto* name : {"out", "jobs", "dead"})
      create_memory_topic(*topics, name, 1);
  }

  void SetUp() override {
    work_fixture::SetUp();
    start_logs();
  }

  void start_logs() {
    records::intake_options reading;
    reading.source = open_memory_source(topics, "in");
    reading.identity = open_memory_identity(topics, "in");
    reading.topic = "in";
    reading.format = work_format();
    reading.own = core;
    reading.deposits = core;
    reading.journal = writer;
    reading.blobs = blobs.get();
    reading.limits.wait = std::chrono::milliseconds{0};
    reading.idle_pause = std::chrono::milliseconds{50};
    in = spawn(records::intake, reading);
    records::publisher_options writing;
    writing.store = store.get();
    writing.sink = open_memory_sink(topics);
    writing.format = work_format();
    writing.own = core;
    writing.reads = read_model;
    writing.journal = writer;
    out = spawn(records::publisher, writing);
    pass();
  }

  void crash_and_start_all() {
    caf::anon_send_exit(in, caf::exit_reason::kill);
    caf::anon_send_exit(out, caf::exit_reason::kill);
    crash_and_begin();
    start_logs();
  }

  void pass() {
    for (int i = 0; i < 3; ++i)
      advance(std::chrono::milliseconds{200});
  }

  void write(const std::string& value) {
    source_record x;
    x.key = "key";
    x.value = value;
    x.has_value = true;
    append_memory_record(*topics, "in", 0, x);
    pass();
  }

  /// Without repetitions, which must say the same.
  texts read_topic(const std::string& topic) {
    pass();
    std::map<std::string, std::string> by_id;
    for (const auto& x : memory_records(*topics, topic)) {
      const auto at = by_id.emplace(x.headers.at(0).value, x.value).first;
      EXPECT_EQ(at->second, x.value);
    }
    texts all;
    for (const auto& [id, value] : by_id)
      all.insert(value);
    return all;
  }

  /// Of the dead letters, each once.
  std::vector<std::string> reasons() {
    pass();
    std::set<std::string> seen;
    std::vector<std::string> all;
    for (const auto& x : memory_records(*topics, "dead"))
      if (seen.insert(x.headers.at(0).value).second)
        all.push_back(x.headers.at(1).value);
    return all;
  }

  std::size_t batches_in() {
    return all<batch_received>().size();
  }

  std::shared_ptr<memory_record_log> topics = make_memory_record_log();
  intake_actor in;
  publisher_actor out;
};

TEST_F(work_records_test, a_record_becomes_a_batch_with_its_payload) {
  write("batch bid-1 ann books 2 bytes");
  const auto item = take("batch");
  ASSERT_NE(item.id, 0u);
  EXPECT_EQ(item.user, "ann");
  const auto document = decode_batch_document(item.body);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->uuid, "bid-1");
  ASSERT_EQ(document->payloads.size(), 1u);
  const auto kept = blobs->get(document->payloads[0].blob);
  ASSERT_TRUE(kept);
  EXPECT_EQ(*kept, "bytes");
  const auto received = all<batch_received>();
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].info.source, "kafka");
  EXPECT_EQ(received[0].info.pipeline, "p");
}

TEST_F(work_records_test, a_batch_and_the_cursor_are_one_group) {
  const auto before = store->last();
  write("batch bid-1 ann books 2 bytes");
  std::vector<std::size_t> batches_with_mark;
  ASSERT_FALSE(store->read(before + 1, [&](const stored_group& group) {
    const auto has_mark =
      std::any_of(group.watermarks.begin(), group.watermarks.end(),
                  [](const auto& x) { return x.partition == "in/0"; });
    record x;
    std::size_t count = 0;
    record_reader reader{group.bytes, group.group, bodies::copied};
    while (!reader.at_end() && !reader.next(x))
      for (const auto& e : x.events)
        count += std::holds_alternative<batch_received>(e) ? 1 : 0;
    if (has_mark || count > 0)
      batches_with_mark.push_back(has_mark ? count : 1'000);
    return true;
  }));
  EXPECT_EQ(batches_with_mark, std::vector<std::size_t>{1});
}

TEST_F(work_records_test, the_same_batch_is_taken_once_also_after_a_crash) {
  write("batch bid-1 ann books 2 bytes");
  write("batch bid-1 ann books 2 bytes");
  EXPECT_EQ(batches_in(), 1u);
  for (const auto tables_first : {false, true}) {
    if (tables_first) {
      EXPECT_TRUE(ask<depositd::batches_found>(read_model, batch_query{}));
    }
    crash_and_start_all();
    write("batch bid-1 ann books 2 bytes");
    EXPECT_EQ(batches_in(), 1u);
  }
  EXPECT_EQ(reasons(), std::vector<std::string>{});
}

TEST_F(work_records_test, another_batch_under_a_known_id_is_refused) {
  write("batch bid-1 ann books 2 bytes");
  write("batch bid-1 ann books 2 others");
  write("batch bid-2 ann books 2 others");
  EXPECT_EQ(batches_in(), 2u);
  const auto why = reasons();
  ASSERT_EQ(why.size(), 1u);
  EXPECT_EQ(why[0], "the user has used this id for something else");
}

TEST_F(work_records_test, what_no_collection_takes_goes_to_the_dead_letters) {
  write("batch bid-1 ann nowhere 2 bytes");
  write("batch bid-2 bob books 2 bytes");
  write("batch bid-3 a/b books 2 bytes");
  write("batch bid-4 ann books 2 bytes");
  EXPECT_EQ(batches_in(), 1u) << "what is behind it goes on";
  const auto why = reasons();
  ASSERT_EQ(why.size(), 3u);
  EXPECT_NE(why[0].find("nowhere"), std::string::npos) << why[0];
  EXPECT_NE(why[1].find("bob"), std::string::npos) << why[1];
  EXPECT_EQ(why[2], "not a user name");
  crash_and_start_all();
  EXPECT_EQ(reasons().size(), 3u);
  EXPECT_EQ(batches_in(), 1u);
}

TEST_F(work_records_test, a_document_that_is_too_long_is_a_dead_letter) {
  write("batch bid-1 ann " + std::string(inline_body_bytes_max, 'x') + " 2 b");
  EXPECT_TRUE(batches_found().empty());
  EXPECT_EQ(reasons(),
            std::vector<std::string>{"the fields of the form are too long"});
}

TEST_F(work_records_test, deposits_and_batches_come_in_by_one_topic) {
  write("batch bid-1 ann books 2 bytes");
  write("ann metadata one x");
  EXPECT_EQ(batches_in(), 1u);
  EXPECT_EQ(all<submission_received>().size(), 1u);
  auto report = ask<intake_report>(in, report_intake{});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->accepted, 2u);
}

TEST_F(work_records_test, every_end_is_told_once_and_on_its_own_topic) {
  submit_and_split(2);
  EXPECT_EQ(run("first"), 2u);
  ASSERT_TRUE(says(take("middle"), verdict::failed, "no such file"));
  EXPECT_EQ(run("middle") + run("last"), 2u);
  EXPECT_EQ(run("report"), 1u);
  const texts expected{"job jid-1 of bid-1 in p.middle failed",
                       "job jid-2 of bid-1 in  completed",
                       "batch bid-1 failed"};
  EXPECT_EQ(read_topic("jobs"), expected);
  EXPECT_EQ(memory_records(*topics, "jobs").size(), 3u);
  EXPECT_TRUE(memory_records(*topics, "out").empty());
  auto report = ask<publisher_report>(out, report_publisher{});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->work, 3u);
  EXPECT_EQ(report->events, 0u);
  crash_and_start_all();
  EXPECT_EQ(read_topic("jobs"), expected);
}

TEST_F(work_records_test, what_moves_without_another_state_is_no_news) {
  submit_and_split(1);
  ASSERT_TRUE(says(take("first"), verdict::failed, "no such file"));
  pass();
  const auto job = jobs()[0];
  ASSERT_TRUE(order(job, work_action::note));
  pass();
  EXPECT_EQ(memory_records(*topics, "jobs").size(), 1u);
}

TEST_F(work_records_test, a_second_end_is_told_too) {
  submit_and_split(1);
  ASSERT_TRUE(says(take("first"), verdict::failed, "no such file"));
  pass();
  const auto job = jobs()[0];
  ASSERT_TRUE(order(job, work_action::requeue));
  advance(std::chrono::seconds{1});
  ASSERT_TRUE(says(take("first"), verdict::failed, "not yet"));
  pass();
  ASSERT_TRUE(order(job, work_action::remove));
  pass();
  std::vector<std::string> told;
  for (const auto& x : memory_records(*topics, "jobs"))
    if (x.value.starts_with("job "))
      told.push_back(x.value.substr(x.value.rfind(' ') + 1));
  EXPECT_EQ(told, (std::vector<std::string>{"failed", "failed", "deleted"}));
}

TEST_F(work_records_test, ends_are_told_again_until_they_are_out) {
  submit_and_split(1);
  reach_memory_brokers(*topics, false);
  ASSERT_TRUE(says(take("first"), verdict::failed, "no such file"));
  advance(std::chrono::seconds{5});
  EXPECT_TRUE(memory_records(*topics, "jobs").empty());
  reach_memory_brokers(*topics, true);
  advance(std::chrono::seconds{20});
  EXPECT_EQ(read_topic("jobs").count("job jid-1 of bid-1 in p.first failed"),
            1u);
}

TEST_F(work_records_test, what_is_to_be_forgotten_is_published_first) {
  submit_and_split(1);
  EXPECT_EQ(run("first") + run("middle") + run("last"), 3u);
  reach_memory_brokers(*topics, false);
  EXPECT_EQ(run("report"), 1u);
  auto told = std::make_shared<std::optional<batches_forgotten>>();
  sys.spawn([=, whom = core](caf::event_based_actor* who) {
    who->request(whom, caf::infinite, forget_batches{})
      .then([=](const batches_forgotten& x) { *told = x; });
  });
  advance(std::chrono::seconds{5});
  EXPECT_FALSE(told->has_value());
  reach_memory_brokers(*topics, true);
  advance(std::chrono::seconds{10});
  ASSERT_TRUE(told->has_value());
  EXPECT_EQ((*told)->count, 1u);
  const texts expected{"job jid-1 of bid-1 in  completed",
                       "batch bid-1 completed"};
  EXPECT_EQ(read_topic("jobs"), expected);
  crash_and_start_all();
  EXPECT_EQ(read_topic("jobs"), expected) << "said as it was, or not again";
}

} // namespace

} // namespace depositd
