#include "config/process_memory.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace depositd {
namespace {

constexpr std::uint64_t mib = 1024 * 1024;

TEST(memory_budget_of, settings_is_as_they_say) {
  const auto x = budget_of({.budget_mb = 100, .body_budget_mb = 10}, {});
  EXPECT_EQ(x.bytes_max, 100 * mib);
  EXPECT_EQ(x.kept_max, 10 * mib);
  // Bodies that stay never take what passes through needs.
  EXPECT_EQ(budget_of({.budget_mb = 100, .body_budget_mb = 99}, {}).kept_max,
            50 * mib);
}

TEST(memory_budget_of, a_large_machine_is_what_bodies_have_and_more) {
  const auto x = budget_of({}, {.machine = 64'000 * mib});
  EXPECT_EQ(x.bytes_max, 512 * mib);
  EXPECT_EQ(x.kept_max, 256 * mib);
  const auto large =
    budget_of({.body_budget_mb = 4096}, {.machine = 64'000 * mib});
  EXPECT_EQ(large.kept_max, 4096 * mib);
  EXPECT_EQ(large.bytes_max, 4352 * mib);
  EXPECT_EQ(budget_of({.body_budget_mb = 0}, {}).kept_max, 0u);
}

TEST(memory_budget_of, a_small_machine_is_half_of_what_is_left) {
  const auto x = budget_of({}, {.machine = 300 * mib});
  EXPECT_EQ(x.bytes_max, 90 * mib);
  EXPECT_EQ(x.kept_max, 45 * mib);
  EXPECT_LE(budget_of({}, {.addresses = 1'500'000 * 1024ull}).bytes_max,
            150 * mib);
  EXPECT_EQ(budget_of({}, {.machine = 50 * mib}).bytes_max, 32 * mib);
}

TEST(memory_of_the_process, is_limited_by_something) {
  EXPECT_LT(find_memory_limits().machine, no_size_limit);
}

using process_memory_death_test = ::testing::Test;

TEST(process_memory_death_test, says_why_it_ends) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
    {
      prepare_for_little_memory();
      std::thread{[] { throw std::bad_alloc{}; }}.join();
    },
    "^depositd: out of memory");
  EXPECT_DEATH(
    {
      prepare_for_little_memory();
      std::thread{[] { throw 5; }}.join();
    },
    "^depositd: the engine ends because of an exception");
  EXPECT_DEATH(
    {
      prepare_for_little_memory();
      std::thread{[] { throw std::runtime_error{"a\nb"}; }}.join();
    },
    "^depositd: the engine ends because of an exception: a.b\n");
  EXPECT_DEATH(
    {
      prepare_for_little_memory();
      std::thread{[] {
        throw std::system_error(EAGAIN, std::generic_category());
      }}.join();
    },
    "because of an exception: Resource temporarily unavailable .*TasksMax");
}

} // namespace
} // namespace depositd
