// Names that take long, or are too many.

#include "adapters/doors/nsq/lookup/resolver.hpp"
#include "tests/adapters/doors/kit/fake_loop.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace depositd::testing {

namespace {

using namespace nsq_lookup;
using namespace std::chrono_literals;

/// A system that answers when the test lets it.
class slow_names : public ::testing::Test {
protected:
  ~slow_names() override {
    let_go_.set_value();
  }

  resolver_options slow() {
    return {.within = 5s,
            .waiting_max = 2,
            .threads_max = 1,
            .look_up = [begun = begun_, go = go_](const endpoint&) {
              begun->store(true);
              go.wait();
              return addresses_found{{}, "late"};
            }};
  }

  resolver::taker taker() {
    return [this](const addresses_found& x) { told.push_back(x.why); };
  }

  void await_begin() {
    while (!*begun_)
      std::this_thread::yield();
  }

  fake_loop loop;
  std::vector<std::string> told;

private:
  std::promise<void> let_go_;
  std::shared_future<void> go_{let_go_.get_future()};
  std::shared_ptr<std::atomic<bool>> begun_ =
    std::make_shared<std::atomic<bool>>(false);
};

TEST_F(slow_names, are_given_up_in_time) {
  resolver x{loop, slow()};
  x.find({"slow.example", 1}, taker());
  loop.advance(4'999ms);
  EXPECT_TRUE(told.empty());
  loop.advance(1ms);
  EXPECT_EQ(told, std::vector<std::string>{"the name was not found in time"});
  x.stop();
}

TEST_F(slow_names, do_not_hold_up_whoever_stops) {
  resolver x{loop, slow()};
  x.find({"slow.example", 1}, taker());
  await_begin();
  x.stop(); // returns, or the test does not end
  EXPECT_TRUE(told.empty());
}

TEST_F(slow_names, wait_in_a_line_that_has_an_end) {
  resolver x{loop, slow()};
  x.find({"first.example", 1}, taker());
  await_begin();
  x.find({"second.example", 1}, taker());
  x.find({"third.example", 1}, taker());
  EXPECT_TRUE(told.empty());
  x.find({"fourth.example", 1}, taker());
  EXPECT_EQ(told, std::vector<std::string>{"too many names wait"});
  // Who is given up makes room.
  loop.advance(5s);
  EXPECT_EQ(told.size(), 4U);
  x.find({"fifth.example", 1}, taker());
  EXPECT_EQ(told.size(), 4U);
  x.stop();
}

TEST_F(slow_names, are_no_matter_to_numbers) {
  resolver x{loop, slow()};
  std::size_t found = 0;
  x.find({"127.0.0.1", 4160},
         [&](const addresses_found& y) { found = y.all.size(); });
  EXPECT_EQ(found, 1U);
}

TEST(resolver, answers_in_the_thread_of_the_loop) {
  const auto loop = kit::start_loop();
  resolver x{*loop, {.look_up = [](const endpoint& y) -> addresses_found {
               if (y.host == "broken.example")
                 throw std::runtime_error{"out of luck"};
               return {{address{}}, ""};
             }}};
  const auto ask = [&](const std::string& host) {
    const auto out = std::make_shared<std::promise<std::string>>();
    loop->post([&x, host, out] {
      x.find({host, 1}, [out](const addresses_found& y) {
        out->set_value(std::to_string(y.all.size()) + y.why);
      });
    });
    return out->get_future().get();
  };
  EXPECT_EQ(ask("good.example"), "1");
  EXPECT_EQ(ask("broken.example"), "0out of luck");
  x.stop();
  loop->stop();
}

} // namespace

} // namespace depositd::testing
