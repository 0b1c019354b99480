// Rows that are still needed to tell how something ended are not forgotten.

#include "tests/actors/records/record_log_fixture.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace depositd {

namespace {

using namespace std::chrono_literals;
using texts = std::multiset<std::string>;
using answer = std::optional<caf::expected<submissions_forgotten>>;

class forgotten_deposits : public testing::record_log_fixture {
protected:
  forgotten_deposits() {
    published = true;
    start_all();
  }

  void come(const std::string& line) {
    write(line);
    pass();
  }

  /// Filled when the answer comes.
  std::shared_ptr<answer> forget_ann() {
    auto out = std::make_shared<answer>();
    sys.spawn([=, whom = read_model](caf::event_based_actor* who) {
      who->request(whom, caf::infinite, forget_submissions{"ann"})
        .then([=](const submissions_forgotten& x) { *out = x; },
              [=](const caf::error& why) { *out = why; });
    });
    settle();
    return out;
  }

  std::size_t rows() {
    const auto found = ask<submissions_found>(read_model, submission_query{});
    EXPECT_TRUE(found);
    return found ? found->rows.size() : 0;
  }
};

TEST_F(forgotten_deposits, are_published_first) {
  come("ann metadata one x");
  reach_memory_brokers(*topics, false);
  process_all();
  const auto told = forget_ann();
  advance(5s);
  EXPECT_FALSE(told->has_value());
  EXPECT_EQ(rows(), 1u);
  reach_memory_brokers(*topics, true);
  advance(10s);
  ASSERT_TRUE(told->has_value());
  ASSERT_TRUE(**told) << render((*told)->error());
  EXPECT_EQ((**told)->count, 1u);
  EXPECT_EQ(rows(), 0u);
  EXPECT_EQ(values(read_out("out")), (texts{"one done"}));
}

TEST_F(forgotten_deposits, are_left_as_they_are_while_nobody_takes_records) {
  come("ann metadata one x");
  reach_memory_brokers(*topics, false);
  process_all();
  const auto told = forget_ann();
  advance(30s);
  ASSERT_TRUE(told->has_value());
  ASSERT_FALSE(**told);
  EXPECT_EQ((*told)->error(), ec::overloaded);
  EXPECT_EQ(rows(), 1u);
}

TEST_F(forgotten_deposits, are_those_that_had_ended_when_somebody_asked) {
  come("ann metadata one x");
  come("ann metadata two x");
  const auto sp = attach_to("metadata");
  want(sp, 2);
  ASSERT_EQ(sp.got->items.size(), 2u);
  reach_memory_brokers(*topics, false);
  end(sp, sp.got->items[0]);
  const auto told = forget_ann();
  end(sp, sp.got->items[1]);
  reach_memory_brokers(*topics, true);
  advance(10s);
  ASSERT_TRUE(told->has_value() && **told);
  EXPECT_EQ((**told)->count, 1u);
  EXPECT_EQ(rows(), 1u);
}

/// The journal's mark of what is published goes with the next group only.
TEST_F(forgotten_deposits, are_not_told_of_again_after_a_crash) {
  come("ann metadata one x");
  process_all();
  const auto told = forget_ann();
  ASSERT_TRUE(told->has_value() && **told);
  EXPECT_EQ((**told)->count, 1u);
  crash_all();
  start_all();
  come("bob metadata two x");
  process_all();
  EXPECT_EQ(values(read_out("out")), (texts{"one done", "two done"}));
}

class old_deposits : public forgotten_deposits {
protected:
  void age(std::chrono::seconds how_long) {
    for (auto t = 0s; t < how_long; t += 10s)
      advance(10s);
  }

  /// One that has ended and is published, in an engine that keeps it for so
  /// long and starts after that.
  void start_after_one(std::int64_t kept_s, std::chrono::seconds ahead) {
    come("ann metadata one x");
    process_all();
    EXPECT_EQ(values(read_out("out")), (texts{"one done"}));
    crash_all();
    retention_s = kept_s;
    time_us += std::chrono::microseconds{ahead}.count();
    start_all();
  }
};

TEST_F(old_deposits, stay_until_they_are_published) {
  crash_all();
  retention_s = 120;
  start_all();
  come("ann metadata one x");
  reach_memory_brokers(*topics, false);
  process_all();
  age(300s);
  EXPECT_EQ(rows(), 1u);
  reach_memory_brokers(*topics, true);
  age(20s);
  EXPECT_EQ(values(read_out("out")), (texts{"one done"}));
  age(120s);
  EXPECT_EQ(rows(), 0u);
}

TEST_F(old_deposits, stay_for_a_while_after_a_start) {
  start_after_one(2'000, 1h);
  age(90s);
  EXPECT_EQ(rows(), 1u);
  age(200s); // what is published is asked first, and told a minute later
  EXPECT_EQ(rows(), 0u);
}

TEST_F(old_deposits, stay_once_a_clock_that_was_ahead_is_set_right) {
  auto shown_us = time_us;
  wall_us = [&] { return shown_us; };
  start_after_one(2'000, 1h);
  age(600s);
  EXPECT_EQ(rows(), 1u);
  shown_us = time_us;
  age(600s);
  EXPECT_EQ(rows(), 0u);
}

} // namespace

} // namespace depositd
