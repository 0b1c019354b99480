// Records for several shards: each of them takes or refuses its own, and each
// record has come in once or is a dead letter once, wherever a crash falls.

#include "messages/values/codec.hpp"
#include "tests/actors/cluster/shards_world.hpp"
#include "tests/actors/records/record_log_fixture.hpp"
#include "tests/support/passing_source.hpp"

namespace depositd::testing {

namespace {

using std::chrono::milliseconds;

/// Shows its first records once more when it is told to.
class repeating_source final : public passing_source {
public:
  repeating_source(std::unique_ptr<record_source> of,
                   std::shared_ptr<bool> repeats)
    : passing_source(std::move(of)), repeats_(std::move(repeats)) {
    // nop
  }

  caf::expected<partition_range> range(std::int32_t partition) override {
    EXPECT_FALSE(reads_) << "whoever reads has no time to wait for brokers";
    return passing_source::range(partition);
  }

  caf::error assign(const std::vector<partition_position>& at) override {
    reads_ = true;
    return passing_source::assign(at);
  }

  caf::expected<std::vector<source_record>>
  poll(const read_limits& limits) override {
    if (std::exchange(*repeats_, false))
      return first_;
    auto out = passing_source::poll(limits);
    if (out && !out->empty() && first_.empty())
      first_.assign(out->begin(), out->begin() + 1);
    return out;
  }

private:
  std::shared_ptr<bool> repeats_;
  std::vector<source_record> first_;
  bool reads_ = false;
};

class ingest_shards : public shards_world {
protected:
  using intake_pointer =
    records::intake_self::stateful_pointer<records::intake_state>;

  void SetUp() override {
    begin(2);
    create_memory_topic(*topics, "in", 1);
    // Whose deposits are refused is not where poison goes.
    const auto of_partition = shard_of("in/0", 2);
    ann = name_in(of_partition, "ann");
    bob = name_in(1 - of_partition, "bob");
  }

  /// As a fresh process would.
  void start_all() {
    alone = &join("a");
    pass(milliseconds{2 * lease_ms});
    ASSERT_EQ(owns(*alone).size(), 2u);
    records::intake_options options;
    options.source = std::make_unique<repeating_source>(
      open_memory_source(topics, "in"), repeats);
    options.identity = open_memory_identity(topics, "in");
    options.topic = "in";
    options.format = plain_format();
    options.own = alone->cores.at(0).shard;
    options.journal = alone->cores.at(0).journal;
    options.keeps_cursors = true;
    options.deposits = alone->router;
    options.shards = 1; // as far as partitions go
    options.blobs = blobs.get();
    options.limits.wait = milliseconds{0};
    options.idle_pause = milliseconds{50};
    reading = sys.spawn(records::intake, options);
    adopt(reading);
  }

  void crash_all() {
    caf::anon_send_exit(reading, caf::exit_reason::kill);
    crash(*alone);
  }

  void write(const std::string& value) {
    source_record x;
    x.key = "key of " + value;
    x.value = value;
    x.has_value = true;
    x.headers = {{"of", value}};
    append_memory_record(*topics, "in", 0, x);
  }

  /// What comes in of a round is taken by both shards, and bob's refuses two.
  void write_round(int number) {
    const auto n = std::to_string(number);
    const auto queue
      = [](const std::string& user) { return user + " metadata "; };
    for (const auto& [text, good] : std::vector<std::pair<std::string, bool>>{
           {queue(ann) + "f" + n + " x", true},
           {queue(bob) + "g" + n + " x", true},
           {"poison" + n, false},
           {queue(bob) + "g" + n + " y", false},
           {queue(ann) + "h" + n + " x", true},
           {bob + " nowhere i" + n + " x", false},
           {queue(bob) + "j" + n + " x", true}}) {
      write(text);
      (good ? taken : refused).insert(text);
    }
  }

  const std::map<std::int64_t, std::string>& refused_now() {
    return caf::actor_cast<intake_pointer>(reading)
      ->state.partitions[0].refused;
  }

  /// Everything that is in the journals; no event may be there twice.
  void expect_all_once() {
    std::multiset<std::string> names;
    std::multiset<std::string> rejected;
    for (const auto& disk : disks) {
      const auto log = open_memory_journal(disk.log);
      ASSERT_FALSE(log->read(1, [&](const stored_group& group) {
        record_reader reader{group.bytes, group.group, bodies::skipped};
        record x;
        while (!reader.at_end()) {
          EXPECT_FALSE(reader.next(x));
          for (const auto& e : x.events) {
            if (const auto* y = std::get_if<submission_received>(&e))
              names.insert(x.user + " metadata " + y->submission.file_name
                           + " x");
            if (const auto* y = std::get_if<record_rejected>(&e)) {
              rejected.insert(y->value);
              EXPECT_EQ(y->key, "key of " + y->value);
              EXPECT_EQ(y->headers,
                        (std::vector<record_header>{{"of", y->value}}));
            }
          }
        }
        return true;
      }));
    }
    EXPECT_EQ(names, taken);
    EXPECT_EQ(rejected, refused);
  }

  std::shared_ptr<memory_record_log> topics = make_memory_record_log();
  std::shared_ptr<bool> repeats = std::make_shared<bool>(false);
  std::string ann;
  std::string bob;
  engine* alone = nullptr;
  records::intake_self reading;
  std::multiset<std::string> taken;
  std::multiset<std::string> refused;
};

TEST_F(ingest_shards, take_a_batch_of_which_one_of_them_refuses_some) {
  start_all();
  write_round(0);
  pass(milliseconds{500});
  expect_all_once();
  auto report = ask<intake_report>(reading, report_intake{});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->accepted, 4u);
  EXPECT_EQ(report->rejected, 3u);
  EXPECT_EQ(report->partitions.at(0).next, 7);
}

TEST_F(ingest_shards, keep_the_cursor_of_a_source_that_repeats_itself) {
  start_all();
  write_round(0);
  pass(milliseconds{500});
  *repeats = true;
  pass(milliseconds{500});
  EXPECT_FALSE(*repeats);
  put(*alone, name_in(0, "work"), {{"u", 0, "the next group has the mark"}});
  expect_all_once();
  std::int64_t cursor = -1;
  for (const auto& x : open_memory_journal(disks[0].log)->watermarks())
    if (x.partition == "in/0#read")
      cursor = x.offset;
  EXPECT_EQ(cursor, 6);
}

TEST_F(ingest_shards, lose_nothing_by_a_crash_before_a_batch_is_sent_again) {
  start_all();
  pass(milliseconds{100});
  write_round(0);
  advance(milliseconds{0});
  sched.advance_time(milliseconds{50});
  while (refused_now().empty()) {
    ASSERT_TRUE(sched.has_job());
    sched.run_once();
  }
  crash_all();
  start_all();
  pass(milliseconds{500});
  expect_all_once();
}

TEST_F(ingest_shards, lose_and_double_nothing_wherever_they_crash) {
  for (int round = 0; round < 60; ++round) {
    start_all();
    pass(milliseconds{100});
    write_round(round);
    sched.advance_time(milliseconds{50});
    for (int step = 0; step < round && sched.has_job(); ++step)
      sched.run_once();
    crash_all();
  }
  start_all();
  pass(milliseconds{1'000});
  expect_all_once();
}

} // namespace

} // namespace depositd::testing
