// What engines were started with, in wrong histories and good ones.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

class file_tale : public tale {
public:
  file_tale() {
    file.processors_count = 4;
    file.queues.push_back({"metadata", deposit_queue_defaults()});
    set("metadata", deposit_queue_defaults());
    slots("metadata", 4);
    start();
  }

  void set(const std::string& queue, const queue_settings& x) {
    write("", queue_changed{queue, x});
  }

  void slots(const std::string& queue, std::uint32_t count) {
    processor_changed x;
    x.spec.name = queue;
    x.spec.slots = count;
    x.removed = count == 0;
    write("", x);
  }

  /// As the next start's file says.
  void prohibit(const std::string& user) {
    file.prohibited_users = {user};
    write("", user_eligibility_changed{user, false, true});
  }

  /// The last that a start writes.
  void start() {
    write("", file);
    flush();
  }

  /// By an operator.
  void order(const std::string& queue, const queue_settings& x) {
    add(proposed{++orders, {queue_changed{queue, x}}});
    set(queue, x);
    flush();
    add(in_force{orders});
  }

  configuration_seen file;
  std::uint32_t orders = 0;
};

queue_settings with_turns(std::uint32_t turns) {
  auto out = deposit_queue_defaults();
  out.allocation = turns;
  return out;
}

} // namespace

TEST(checker, C_3_finds_nothing_where_the_file_says_something_new) {
  file_tale x;
  x.order("metadata", with_turns(3));
  x.file.queues[0].settings.allocation = 2;
  x.set("metadata", with_turns(2));
  x.start();
  EXPECT_EQ(x.broken(), names{});
}

TEST(checker, C_3_sees_a_file_that_is_not_taken) {
  file_tale x;
  x.file.queues[0].settings.allocation = 2;
  x.start();
  EXPECT_EQ(x.broken(), names{"C-3"});
}

TEST(checker, C_3_sees_an_operators_setting_undone) {
  file_tale x;
  x.order("metadata", with_turns(3));
  x.set("metadata", with_turns(1));
  x.prohibit("u");
  x.start();
  EXPECT_EQ(x.broken(), names{"C-3"});
}

TEST(checker, C_3_leaves_an_operators_setting_that_stands_before_a_start) {
  file_tale x;
  x.order("metadata", with_turns(3));
  x.prohibit("u");
  x.start();
  EXPECT_EQ(x.broken(), names{});
}

TEST(checker, C_3_sees_a_queue_of_deposits_without_its_processor) {
  file_tale x;
  x.file.queues.push_back({"query", deposit_queue_defaults()});
  x.set("query", deposit_queue_defaults());
  x.start();
  EXPECT_EQ(x.broken(), names{"C-3"});
  file_tale good;
  good.file = x.file;
  good.set("query", deposit_queue_defaults());
  good.slots("query", 4);
  good.start();
  EXPECT_EQ(good.broken(), names{});
}

TEST(checker, C_3_sees_who_stays_prohibited_and_who_is_not) {
  file_tale x;
  x.prohibit("u");
  x.start();
  EXPECT_EQ(x.broken(), names{});
  x.file.prohibited_users.clear();
  x.start();
  EXPECT_EQ(x.broken(), names{"C-3"});
  file_tale y;
  y.file.prohibited_users = {"u"};
  y.start();
  EXPECT_EQ(y.broken(), names{"C-3"});
}

TEST(checker, C_3_sees_a_pipeline_that_is_not_as_its_file_says) {
  file_tale x;
  x.write("", pipelines_seen{{pipeline{"p", {stage_settings{}}}}});
  x.flush();
  EXPECT_EQ(x.broken(), names{"C-3"});
}

} // namespace depositd::simulation
