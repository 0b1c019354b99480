#include "adapters/sources/records/interruption.hpp"

#include <gtest/gtest.h>

#include <poll.h>

namespace depositd::sources {

namespace {

bool can_be_read(const interruption& x) {
  pollfd asked{x.descriptor(), POLLIN, 0};
  return ::poll(&asked, 1, 0) == 1;
}

} // namespace

TEST(an_interruption, counts_for_the_call_that_is_under_way) {
  interruption x;
  ASSERT_GE(x.descriptor(), 0);
  {
    const interruption::call first{x};
    EXPECT_FALSE(x.cancelled());
    EXPECT_FALSE(can_be_read(x));
    x.cancel();
    x.cancel();
    EXPECT_TRUE(x.cancelled());
    EXPECT_TRUE(can_be_read(x));
  }
  const interruption::call second{x};
  EXPECT_FALSE(x.cancelled());
  EXPECT_FALSE(can_be_read(x));
}

TEST(an_interruption, counts_for_nothing_between_calls) {
  interruption x;
  x.cancel();
  {
    const interruption::call first{x};
    EXPECT_FALSE(x.cancelled());
  }
  x.cancel();
  const interruption::call second{x};
  EXPECT_FALSE(x.cancelled());
  EXPECT_FALSE(can_be_read(x));
}

TEST(an_interruption, has_words_for_what_came_of_it) {
  EXPECT_EQ(was_cancelled(), ec::store_failed);
  EXPECT_EQ(render(took_too_long(std::chrono::seconds{2})),
            "took longer than 2000 ms");
}

} // namespace depositd::sources
