// The loop on epoll.

#include "adapters/doors/kit/loop.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

using namespace depositd::kit;
using namespace std::chrono_literals;

namespace {

class epoll_loop : public ::testing::Test {
protected:
  epoll_loop() {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0)
      throw std::runtime_error("no sockets");
  }

  ~epoll_loop() override {
    x->stop();
    close(ends[0]);
    close(ends[1]);
  }

  /// A promise for the loop's thread to keep.
  static auto made() {
    return std::make_shared<std::promise<std::string>>();
  }

  std::unique_ptr<loop> x = start_loop();
  int ends[2] = {-1, -1};
};

} // namespace

TEST_F(epoll_loop, runs_what_is_posted_in_order_and_in_one_thread) {
  std::vector<int> seen;
  for (int i = 0; i < 100; ++i)
    x->post([&seen, i] { seen.push_back(i); });
  const auto thread = compute_in(*x, [] { return std::this_thread::get_id(); });
  EXPECT_NE(thread, std::this_thread::get_id());
  ASSERT_EQ(seen.size(), 100u);
  EXPECT_EQ(seen.back(), 99);
}

TEST_F(epoll_loop, tells_that_a_socket_can_be_read_until_it_was) {
  const auto all = made();
  x->post([&] {
    x->watch(ends[0], interest::reading,
             [&, all, text = std::string{}]() mutable {
               char c = 0;
               ASSERT_EQ(read(ends[0], &c, 1), 1);
               text += c;
               if (text.size() == 3)
                 all->set_value(text);
             });
  });
  ASSERT_EQ(write(ends[1], "abc", 3), 3);
  EXPECT_EQ(all->get_future().get(), "abc");
}

TEST_F(epoll_loop, tells_that_a_socket_can_be_written) {
  const auto told = made();
  x->post([&] {
    x->watch(ends[0], interest::writing, [&, told] {
      x->unwatch(ends[0]);
      told->set_value("once");
    });
  });
  EXPECT_EQ(told->get_future().get(), "once");
}

TEST_F(epoll_loop, is_silent_about_what_is_no_longer_watched) {
  int told = 0;
  ASSERT_EQ(write(ends[1], "abc", 3), 3);
  const auto asked = made();
  x->post([&] {
    x->watch(ends[0], interest::reading, [&, asked] {
      ++told;
      x->unwatch(ends[0]);
      x->post_at(x->now() + 20ms, [asked] { asked->set_value("later"); });
    });
  });
  asked->get_future().get();
  EXPECT_EQ(told, 1);
}

TEST_F(epoll_loop, runs_what_is_due_in_the_order_of_its_times) {
  const auto all = made();
  x->post([&, all] {
    auto text = std::make_shared<std::string>();
    const auto now = x->now();
    x->post_at(now + 20ms, [=] { all->set_value(*text + "c"); });
    x->post_at(now + 10ms, [=] { *text += "b"; });
    x->post_at(now, [=] { *text += "a"; });
  });
  EXPECT_EQ(all->get_future().get(), "abc");
}

TEST_F(epoll_loop, looks_after_itself_after_each_look) {
  int looks = 0;
  const auto often = made();
  x->post([&, often] {
    x->after_each_look([&, often] {
      if (++looks == 3)
        often->set_value("often");
      else if (looks < 3)
        x->post(nullptr); // wakes it once more
    });
  });
  EXPECT_EQ(often->get_future().get(), "often");
  x->stop(); // it counts at every look, in a variable of ours
}

TEST_F(epoll_loop, ends_after_what_is_posted_already) {
  bool ran = false;
  x->post([&] { ran = true; });
  x->stop();
  EXPECT_TRUE(ran);
  x->stop(); // once is enough, twice does no harm
}
