// From where a log is read on, and how it is known to be the one that was read.

#include "messages/values/record_mark.hpp"
#include "tests/actors/records/record_log_fixture.hpp"
#include "tests/support/captured_log.hpp"

#include <algorithm>
#include <memory>

namespace depositd {

namespace {

using namespace std::chrono_literals;
using texts = std::multiset<std::string>;

class record_places_test : public testing::record_log_fixture {
protected:
  void read_three_and_crash() {
    start_all();
    for (const auto* name : {"one", "two", "three"}) {
      write("ann metadata " + std::string{name} + " x");
      pass();
    }
    process_all();
    crash_all();
  }
};

TEST_F(record_places_test, what_was_never_read_is_behind_by_what_there_is) {
  for (int i = 0; i < 5; ++i)
    write(line_of(i), 1);
  trim_memory_partition(*topics, "in", 1, 3);
  start_all();
  auto report = ask<intake_report>(reader_of_topic, report_intake{});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->partitions.size(), 2u);
  EXPECT_EQ(report->partitions[0].next, 0);
  EXPECT_EQ(report->partitions[0].end, 0);
  pass();
  report = ask<intake_report>(reader_of_topic, report_intake{});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->partitions[0].next, 0) << "it is empty";
  EXPECT_EQ(report->partitions[1].next, 5);
  EXPECT_EQ(report->accepted, 2u);
}

TEST_F(record_places_test, what_was_gone_before_anybody_read_it_is_named) {
  for (int i = 0; i < 5; ++i)
    write(line_of(i), 1);
  trim_memory_partition(*topics, "in", 1, 3);
  const testing::captured_log log;
  start_all();
  pass(2s);
  EXPECT_EQ(log.count("intake_begins_late topic=in partition=1 offsets=0-2 "),
            1u)
    << log.text();
  crash_all();
  trim_memory_partition(*topics, "in", 1, 5);
  start_all();
  pass(2s);
  EXPECT_EQ(log.count("intake_begins_late"), 1u) << "that was read";
}

TEST_F(record_places_test, records_that_retention_took_stop_the_partition) {
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

TEST_F(record_places_test, why_it_stands_still_is_told_once) {
  start_all();
  write("ann metadata one x");
  pass();
  crash_all();
  write("ann metadata two x");
  write("ann metadata three x");
  trim_memory_partition(*topics, "in", 0, 2);
  const testing::captured_log log;
  start_all();
  for (int i = 0; i < 20; ++i)
    pass(2s);
  EXPECT_EQ(log.count("intake_stopped"), 1u) << log.text();
}

TEST_F(record_places_test, a_log_that_was_cut_is_not_read_though_it_grows) {
  start_all();
  write("ann metadata one x");
  write("ann metadata two x");
  pass();
  crash_all();
  create_memory_topic(*topics, "in", 2);
  start_all();
  const auto trouble = [this] {
    return ask<intake_report>(reader_of_topic, report_intake{})->trouble;
  };
  pass();
  EXPECT_NE(trouble(), "");
  for (const auto* name : {"three", "four", "five"})
    write("ann metadata " + std::string{name} + " x");
  pass(2s);
  EXPECT_NE(trouble(), "") << "as many as there were, but others";
  process_all();
  EXPECT_EQ(values(read_out("out")), (texts{"one done", "two done"}));
}

TEST_F(record_places_test, a_log_that_was_made_anew_meanwhile_is_not_read) {
  read_three_and_crash();
  create_memory_topic(*topics, "in", 2);
  for (const auto* name : {"four", "five", "six", "seven"})
    write("ann metadata " + std::string{name} + " x");
  start_all();
  pass(2s);
  EXPECT_NE(ask<intake_report>(reader_of_topic, report_intake{})->trouble, "");
  process_all();
  EXPECT_EQ(values(read_out("out")),
            (texts{"one done", "two done", "three done"}));
}

TEST_F(record_places_test, what_is_no_record_is_behind_it_and_may_be_deleted) {
  start_all();
  write("ann metadata one x");
  append_memory_mark(*topics, "in", 0);
  append_memory_mark(*topics, "in", 0);
  pass();
  const auto read = ask<intake_report>(reader_of_topic, report_intake{});
  ASSERT_TRUE(read);
  ASSERT_EQ(read->partitions.size(), 2u);
  EXPECT_EQ(read->partitions[0].next, read->partitions[0].end);
  process_all(); // and with it another group of the journal
  crash_all();
  trim_memory_partition(*topics, "in", 0, 3);
  write("ann metadata two x");
  start_all();
  pass(2s);
  EXPECT_EQ(ask<intake_report>(reader_of_topic, report_intake{})->trouble, "");
  process_all();
  EXPECT_EQ(values(read_out("out")), (texts{"one done", "two done"}));
}

/// Does not answer while it is told not to.
class silent_identity final : public log_identity {
public:
  silent_identity(std::unique_ptr<log_identity> of,
                  std::shared_ptr<bool> silent)
    : of_(std::move(of)), silent_(std::move(silent)) {
    // nop
  }

  caf::error check(const std::vector<partition_mark>& marks,
                   std::chrono::milliseconds wait) override {
    return *silent_ ? caf::make_error(ec::store_failed)
                    : of_->check(marks, wait);
  }

private:
  std::unique_ptr<log_identity> of_;
  std::shared_ptr<bool> silent_;
};

class log_made_anew_test : public testing::record_log_fixture {
protected:
  std::shared_ptr<log_identity> open_identity() override {
    return std::make_shared<silent_identity>(
      open_memory_identity(topics, "in"), silent);
  }

  std::shared_ptr<bool> silent = std::make_shared<bool>(false);

  std::string trouble() {
    const auto report = ask<intake_report>(reader_of_topic, report_intake{});
    return report ? report->trouble : render(report.error());
  }

  /// So many lines, of numbers from `first` on.
  void write_lines(int first, int count) {
    for (int i = first; i < first + count; ++i)
      write(line_of(i));
  }

  /// Removes the topic, makes it again, and has it go on to behind the place
  /// of a reader of the one that was there.
  void make_anew_longer() {
    create_memory_topic(*topics, "in", 2);
    write_lines(10, 5);
    pass();
    EXPECT_EQ(trouble(), "") << "two were skipped, and nobody knows yet";
  }
};

TEST_F(log_made_anew_test, under_a_reader_is_known_a_minute_later) {
  start_all();
  write_lines(0, 2);
  pass();
  make_anew_longer();
  const testing::captured_log log;
  pass(60s);
  EXPECT_NE(trouble(), "");
  EXPECT_EQ(log.count("intake_stopped"), 1u) << log.text();
  write_lines(20, 5);
  pass(60s);
  EXPECT_NE(trouble(), "");
  process_all();
  EXPECT_EQ(values(read_out("out")).size(), 5u) << "nothing came after that";
}

TEST_F(log_made_anew_test, before_a_crash_is_known_after_it) {
  start_all();
  write_lines(0, 2);
  pass();
  make_anew_longer();
  crash_all();
  start_all();
  pass(2s);
  EXPECT_NE(trouble(), "");
}

TEST_F(log_made_anew_test, long_after_it_was_begun_is_known_a_minute_later) {
  start_all();
  write_lines(0, 1);
  pass();
  pass(60s);
  write_lines(1, 1);
  pass();
  pass(60s);
  make_anew_longer();
  trim_memory_partition(*topics, "in", 0, 1); // where the first one stood
  pass(60s);
  EXPECT_NE(trouble(), "");
}

TEST_F(log_made_anew_test, long_before_a_crash_is_known_after_it) {
  start_all();
  write_lines(0, 1);
  pass();
  pass(60s);
  process_all();
  make_anew_longer();
  process_all(); // and with it another group of the journal
  crash_all();
  start_all();
  pass(2s);
  EXPECT_NE(trouble(), "");
}

TEST_F(log_made_anew_test, is_known_though_nothing_was_journalled_any_more) {
  start_all();
  write_lines(0, 2);
  pass();
  crash_all();
  create_memory_topic(*topics, "in", 2);
  write_lines(10, 5);
  start_all();
  pass(2s);
  EXPECT_NE(trouble(), "");
}

TEST_F(log_made_anew_test, is_not_one_whose_old_records_are_gone) {
  start_all();
  write_lines(0, 2);
  pass();
  for (int i = 0; i < 3; ++i) {
    write_lines(2 * i + 2, 2);
    pass();
    trim_memory_partition(*topics, "in", 0, 2 * i + 3);
    pass(60s);
    EXPECT_EQ(trouble(), "");
  }
  crash_all();
  start_all();
  pass(2s);
  EXPECT_EQ(trouble(), "");
}

TEST_F(log_made_anew_test, is_looked_for_again_if_nobody_answers) {
  start_all();
  write_lines(0, 2);
  pass();
  make_anew_longer();
  *silent = true;
  pass(60s);
  EXPECT_EQ(trouble(), "");
  *silent = false;
  pass(60s);
  EXPECT_NE(trouble(), "");
}

TEST_F(log_made_anew_test, under_who_was_started_again_is_known_as_well) {
  start_all();
  write_lines(0, 2);
  pass();
  process_all();
  crash_all();
  start_all();
  pass(2s);
  make_anew_longer();
  pass(60s);
  EXPECT_NE(trouble(), "");
}

TEST_F(record_places_test, what_they_are_known_by_does_not_go_back) {
  // As where a group with cursors was lost, and a later one was not.
  read_three_and_crash();
  start_all();
  pass(2s);
  const auto ahead = mark_of(7, "key", "ann metadata eight x");
  caf::anon_send(writer, keep_watermark{{"in/0#anchor", ahead}});
  for (const auto* name : {"four", "five"}) {
    write("ann metadata " + std::string{name} + " x");
    pass();
    process_all();
    crash_all();
    start_all();
    pass(2s);
  }
  const auto kept = ask<watermarks_read>(core, read_watermarks{});
  ASSERT_TRUE(kept);
  const auto& all = kept->watermarks;
  const auto anchor
    = std::find_if(all.begin(), all.end(), [](const auto& x) {
        return x.partition == "in/0#anchor";
      });
  ASSERT_NE(anchor, all.end());
  EXPECT_EQ(anchor->offset, ahead);
}

TEST_F(record_places_test, the_same_log_is_read_on) {
  read_three_and_crash();
  write("ann metadata four x");
  start_all();
  pass(2s);
  process_all();
  EXPECT_EQ(values(read_out("out")),
            (texts{"one done", "two done", "three done", "four done"}));
}

} // namespace

} // namespace depositd
