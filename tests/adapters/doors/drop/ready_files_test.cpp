#include "adapters/doors/drop/ready_files.hpp"

#include <gtest/gtest.h>

namespace depositd::drop {
namespace {

using namespace std::chrono_literals;

class ready_files_test : public ::testing::Test {
protected:
  /// Looks `after` the look before; returns the names that are ready.
  std::vector<std::string> look(std::vector<listed_file> listed,
                                std::chrono::milliseconds after = 1s) {
    now_ += after;
    std::vector<std::string> out;
    for (const auto& file : files_.observe(listed, now_, 1s))
      out.push_back(file.name);
    return out;
  }

  using names = std::vector<std::string>;

  ready_files files_;
  ready_files::time_point now_{1h};
  listed_file a_{"a.xml", {1, 10, 100, 100}};
};

TEST_F(ready_files_test, a_file_is_ready_at_the_second_look) {
  EXPECT_EQ(look({a_}), names{});
  EXPECT_EQ(look({a_}), names{"a.xml"});
}

TEST_F(ready_files_test, looks_in_quick_succession_do_not_count) {
  look({a_});
  EXPECT_EQ(look({a_}, 999ms), names{});
  EXPECT_EQ(look({a_}, 1ms), names{"a.xml"});
}

TEST_F(ready_files_test, every_kind_of_change_starts_over) {
  for (auto change :
       {+[](file_stamp& x) { ++x.inode; }, +[](file_stamp& x) { ++x.size; },
        +[](file_stamp& x) { ++x.written_ns; },
        +[](file_stamp& x) { ++x.changed_ns; }}) {
    look({a_});
    change(a_.stamp);
    EXPECT_EQ(look({a_}), names{});
    EXPECT_EQ(look({a_}), names{"a.xml"});
  }
}

TEST_F(ready_files_test, a_file_that_went_and_came_back_starts_over) {
  look({a_});
  look({});
  EXPECT_EQ(look({a_}), names{});
}

TEST_F(ready_files_test, an_empty_file_is_never_ready) {
  a_.stamp.size = 0;
  look({a_});
  EXPECT_EQ(look({a_}, 1h), names{});
}

TEST_F(ready_files_test, what_was_forgotten_starts_over) {
  const listed_file b{"b.xml", {2, 10, 100, 100}};
  look({a_, b});
  files_.forget("a.xml");
  EXPECT_EQ(look({a_, b}), names{"b.xml"});
  files_.forget_all();
  EXPECT_EQ(look({a_, b}), names{});
}

TEST(file_names, hidden_and_unfinished_files_are_not_meant_to_be_taken) {
  for (auto name : {"", ".a.xml", ".", "..", "a.part", "a.xml.tmp", ".part"})
    EXPECT_FALSE(meant_to_be_taken(name)) << name;
  for (auto name : {"a.xml", "part", "a.tmp.xml", "a b", "-rf", "\n"})
    EXPECT_TRUE(meant_to_be_taken(name)) << name;
}

} // namespace
} // namespace depositd::drop
