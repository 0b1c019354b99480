#include "adapters/processing/crossref/parsing_room.hpp"

#include "adapters/processing/crossref/submission_handler.hpp"
#include "tests/adapters/doors/crossref/fake_stores.hpp"
#include "tests/adapters/processing/crossref/deposit_builder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

namespace depositd::crossref {
namespace {

using depositd::testing::a_deposit;

/// Remembers what was counted while it was asked.
struct watching_registry : depositd::testing::fake_registry {
  explicit watching_registry(std::shared_ptr<memory_budget> x)
    : budget(std::move(x)) {
    // nop
  }

  caf::expected<std::vector<doi_result>>
  record(const doi_registration& registration) override {
    used = budget->used();
    return fake_registry::record(registration);
  }

  std::shared_ptr<memory_budget> budget;
  std::uint64_t used = 0;
};

struct parsing_room_test : ::testing::Test {
  static constexpr std::uint64_t page = 1'000; ///< bytes of a document
  static constexpr std::uint64_t bytes_max = 2 * parsing_cost(page);

  /// Until so many wait for room.
  void await_waiting(std::uint64_t count) {
    while (room.waiting() < count)
      std::this_thread::yield();
  }

  std::shared_ptr<memory_budget> budget =
    std::make_shared<memory_budget>(memory_budget::limits{bytes_max, 0});
  parsing_room room{budget};
};

TEST_F(parsing_room_test, counts_a_document_while_it_is_read) {
  {
    const auto place = room.enter(page);
    EXPECT_EQ(budget->used(), parsing_cost(page));
  }
  EXPECT_EQ(budget->used(), 0u);
}

TEST_F(parsing_room_test, lets_in_as_many_as_there_is_room_for) {
  const auto one = room.enter(page);
  const auto two = room.enter(page);
  EXPECT_EQ(budget->used(), bytes_max);
}

TEST_F(parsing_room_test, has_who_finds_none_wait_until_another_leaves) {
  const auto large = 2 * page - 1;
  std::optional<parsing_room::place> first{room.enter(large)};
  std::uint64_t seen = 0;
  std::thread second{[&] {
    const auto place = room.enter(large);
    seen = budget->used();
  }};
  await_waiting(1);
  EXPECT_EQ(budget->used(), parsing_cost(large));
  first.reset();
  second.join();
  EXPECT_EQ(seen, parsing_cost(large)); // of the second alone
  EXPECT_EQ(budget->used(), 0u);
}

TEST_F(parsing_room_test, is_entered_in_the_order_of_coming) {
  std::optional<parsing_room::place> first{room.enter(page)};
  std::atomic<int> turn{0};
  int large = 0;
  int small = 0;
  std::thread second{[&] {
    const auto place = room.enter(2 * page);
    large = ++turn;
  }};
  await_waiting(1);
  std::thread third{[&] { // would fit beside the first
    const auto place = room.enter(page);
    small = ++turn;
  }};
  await_waiting(2);
  first.reset();
  second.join();
  third.join();
  EXPECT_EQ(large, 1);
  EXPECT_EQ(small, 2);
}

TEST_F(parsing_room_test, never_keeps_out_whoever_is_alone) {
  { // larger than the budget
    const auto place = room.enter(10 * page);
    EXPECT_EQ(budget->used(), parsing_cost(10 * page));
  }
  budget->hold_anyway(bytes_max); // doors use it up
  {
    const auto place = room.enter(page);
    EXPECT_EQ(budget->used(), bytes_max + parsing_cost(page));
  }
  EXPECT_EQ(budget->used(), bytes_max);
}

TEST_F(parsing_room_test, counts_what_is_longer_than_was_said) {
  auto place = room.enter(1);
  place.grow_to(page);
  EXPECT_EQ(budget->used(), parsing_cost(page));
  place.grow_to(2);
  EXPECT_EQ(budget->used(), parsing_cost(page));
}

TEST_F(parsing_room_test, does_not_believe_that_a_document_is_without_end) {
  {
    const auto place = room.enter(~std::uint64_t{0});
    EXPECT_GT(budget->used(), bytes_max);
  }
  EXPECT_EQ(budget->used(), 0u);
}

TEST(parsing_room_of_handlers, is_held_while_a_deposit_is_worked_on) {
  const auto budget = std::make_shared<memory_budget>(
    memory_budget::limits{std::uint64_t{1} << 20, 0});
  const auto registry = std::make_shared<watching_registry>(budget);
  submission_handler handler;
  handler.blobs = std::make_shared<depositd::testing::fake_blobs>();
  handler.registry = registry;
  handler.room = std::make_shared<parsing_room>(budget);
  const auto text = a_deposit().with_article("10.5555/a").text();
  depositd::submission submission;
  submission.operation = "doMDUpload";
  submission.source = "native";
  submission.blob = *handler.blobs->put(text);
  handle_item what;
  what.item.id = 1;
  what.item.user = "ann";
  what.item.body = encode_submission_body(submission);
  EXPECT_EQ(handler.handle(what, {}).says, verdict::done);
  EXPECT_EQ(registry->used, parsing_cost(text.size()));
  EXPECT_EQ(budget->used(), 0u);
}

} // namespace
} // namespace depositd::crossref
