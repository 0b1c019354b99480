// Deadlines and sockets that linger, by a clock that tests move.

#include "adapters/doors/kit/deadlines.hpp"
#include "adapters/doors/kit/lingering.hpp"
#include "tests/adapters/doors/kit/fake_loop.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include <sys/socket.h>
#include <unistd.h>

using namespace depositd;
using depositd::testing::fake_loop;
using namespace std::chrono_literals;

namespace {

struct counted : kit::timed {
  void expire() override {
    ++expired;
    if (then)
      then();
  }

  int expired = 0;
  std::function<void()> then;
};

class kit_lingering : public ::testing::Test {
protected:
  kit_lingering() {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0)
      throw std::runtime_error("no sockets");
    x.add(ends[0]);
    close(ends[0]);
  }

  ~kit_lingering() override {
    close(ends[1]);
  }

  int copy() const {
    return loop.watched.begin()->first;
  }

  fake_loop loop;
  kit::lingering x{loop};
  int ends[2] = {-1, -1};
};

} // namespace

TEST(kit_deadlines, expire_once_and_not_before) {
  fake_loop loop;
  kit::deadlines x{loop, 10ms};
  loop.settle();
  counted one;
  one.deadline = loop.now() + 50ms;
  x.add(one);
  loop.advance(49ms);
  EXPECT_EQ(one.expired, 0);
  loop.advance(11ms);
  EXPECT_EQ(one.expired, 1);
  loop.advance(1h);
  EXPECT_EQ(one.expired, 1);
  one.deadline = loop.now();
  loop.advance(10ms);
  EXPECT_EQ(one.expired, 2);
}

TEST(kit_deadlines, forget_what_was_removed_even_by_another_that_expires) {
  fake_loop loop;
  kit::deadlines x{loop, 10ms};
  loop.settle();
  counted one;
  counted two;
  for (auto* each : {&one, &two}) {
    each->deadline = loop.now();
    x.add(*each);
  }
  one.then = [&] { x.remove(two); };
  two.then = [&] { x.remove(one); };
  loop.advance(1h);
  EXPECT_EQ(one.expired + two.expired, 1);
  EXPECT_EQ(x.open().size(), 1u);
}

TEST_F(kit_lingering, reads_to_the_end_and_says_that_it_sends_no_more) {
  char c = 0;
  EXPECT_EQ(read(ends[1], &c, 1), 0); // closed for writing
  ASSERT_EQ(write(ends[1], "late", 4), 4);
  loop.ready(copy());
  EXPECT_EQ(loop.watched.size(), 1u);
  shutdown(ends[1], SHUT_WR);
  loop.ready(copy());
  EXPECT_TRUE(loop.watched.empty());
}

TEST_F(kit_lingering, ends_after_a_while_whatever_still_comes) {
  loop.advance(4s);
  EXPECT_EQ(loop.watched.size(), 1u);
  loop.advance(1s);
  EXPECT_TRUE(loop.watched.empty());
  EXPECT_LT(send(ends[1], "late", 4, MSG_NOSIGNAL), 0);
}

TEST_F(kit_lingering, does_not_end_another_that_got_its_number) {
  const auto number = copy();
  shutdown(ends[1], SHUT_WR);
  loop.ready(number);
  loop.advance(3s);
  int more[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, more), 0);
  x.add(more[0]);
  close(more[0]);
  loop.advance(2s);
  EXPECT_EQ(loop.watched.size(), 1u);
  close(more[1]);
}
