#include "adapters/processing/stages/chore.hpp"

#include "tests/support/actor_fixture.hpp"

namespace depositd::stages {
namespace {

using namespace std::chrono_literals;

class chore_test : public testing::actor_fixture {
protected:
  void start() {
    chore_options options;
    options.work = [this] {
      ++times;
      return works;
    };
    options.pause = 3'600s;
    options.retry = 60s;
    spawn(chore, options);
  }

  int times = 0;
  bool works = true;
};

TEST_F(chore_test, is_done_at_once_and_after_each_pause) {
  start();
  EXPECT_EQ(times, 1);
  advance(3'599s);
  EXPECT_EQ(times, 1);
  advance(1s);
  EXPECT_EQ(times, 2);
}

TEST_F(chore_test, is_tried_again_soon_if_it_could_not_be_done) {
  works = false;
  start();
  advance(60s);
  EXPECT_EQ(times, 2);
  works = true;
  advance(60s);
  EXPECT_EQ(times, 3);
  advance(3'599s);
  EXPECT_EQ(times, 3);
}

} // namespace
} // namespace depositd::stages
