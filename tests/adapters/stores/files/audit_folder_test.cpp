#include "adapters/stores/files/audit_folder.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>

namespace depositd {
namespace {

using namespace std::chrono;

TEST(audit_folder, a_file_is_past_when_its_last_day_is) {
  const sys_days today = 2026y / March / 10;
  EXPECT_FALSE(is_past_audit("audit-2026-02.log", today, 9));
  EXPECT_TRUE(is_past_audit("audit-2026-02.log", today, 8));
  EXPECT_FALSE(is_past_audit("audit-2026-03.log", today, 0));
  EXPECT_TRUE(is_past_audit("audit-2024-12.log", today, 400));
  for (const auto* name : {"audit-2020-13.log", "audit-2020-1.log",
                           "audit-2020-01.log.gz", "notes", ""})
    EXPECT_FALSE(is_past_audit(name, today, 0)) << name;
}

TEST(audit_folder, lines_go_to_the_file_of_their_month_and_old_ones_go) {
  temporary_folder home;
  const auto folder = home.path() / "audit";
  const auto say = [](audit_folder& log, const char* line, sys_days day) {
    return log.append(line, day, day);
  };
  {
    audit_folder log{folder, 20};
    EXPECT_FALSE(say(log, "a\n", 2026y / January / 31));
    EXPECT_FALSE(say(log, "b\n", 2026y / February / 1));
  }
  audit_folder log{folder, 20};
  EXPECT_FALSE(say(log, "c\n", 2026y / February / 2));
  EXPECT_EQ(*read_file(folder / "audit-2026-01.log"), "a\n");
  EXPECT_EQ(*read_file(folder / "audit-2026-02.log"), "b\nc\n");
  EXPECT_FALSE(say(log, "d\n", 2026y / March / 1));
  EXPECT_FALSE(std::filesystem::exists(folder / "audit-2026-01.log"));
  struct stat facts {};
  ASSERT_EQ(::stat((folder / "audit-2026-03.log").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777u, 0600u);
}

TEST(audit_folder, nothing_is_past_because_a_clock_was_set_forward) {
  temporary_folder home;
  const system_clock::time_point counted{sys_days{2026y / February / 1}};
  audit_folder log{home.path(), 20};
  EXPECT_FALSE(log.append("a\n", counted, counted));
  EXPECT_FALSE(log.append("b\n", counted + days{365}, counted + hours{1}));
  EXPECT_EQ(*read_file(home.path() / "audit-2026-02.log"), "a\n");
  EXPECT_EQ(*read_file(home.path() / "audit-2027-02.log"), "b\n");
}

TEST(audit_folder, nothing_is_past_by_a_clock_that_was_ahead_at_the_start) {
  temporary_folder home;
  const system_clock::time_point today{sys_days{2026y / February / 10}};
  const auto old = home.path() / "audit-2026-01.log";
  const auto path = home.path() / "audit-2025-01.log";
  for (const auto& each : {old, path})
    ASSERT_FALSE(replace_file(system_disk(), each, "a\n"));
  audit_folder log{home.path(), 20};
  const auto ahead = today + days{365};
  EXPECT_FALSE(log.append("b\n", ahead, ahead));
  EXPECT_FALSE(log.append("c\n", ahead + minutes{59}, ahead + minutes{59}));
  EXPECT_TRUE(std::filesystem::exists(path)) << "so soon after the start";
  // Somebody has set it right.
  EXPECT_FALSE(log.append("d\n", today + hours{2}, ahead + hours{2}));
  EXPECT_TRUE(std::filesystem::exists(old));
  EXPECT_FALSE(std::filesystem::exists(path)) << "past by either clock";
}

TEST(audit_folder, a_line_that_is_not_whole_takes_no_other_with_it) {
  temporary_folder home;
  const auto path = home.path() / "audit-2026-02.log";
  ASSERT_FALSE(replace_file(system_disk(), path, "cut off"));
  audit_folder log{home.path(), 20};
  const system_clock::time_point now{sys_days{2026y / February / 2}};
  EXPECT_FALSE(log.append("first\n", now, now));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit full{std::filesystem::file_size(path) + 3, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  EXPECT_TRUE(log.append("second\n", now, now));
  EXPECT_TRUE(log.append("third\n", now, now));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, ignored);
  EXPECT_FALSE(log.append("fourth\n", now, now));
  EXPECT_EQ(*read_file(path), "cut off\nfirst\nsec\nfourth\n");
}

TEST(audit_folder, a_folder_that_cannot_be_made_is_named) {
  temporary_folder home;
  std::filesystem::create_symlink("absent", home.path() / "audit");
  audit_folder log{home.path() / "audit" / "x", 1};
  EXPECT_TRUE(log.append("a\n", system_clock::now(), system_clock::now()));
}

} // namespace
} // namespace depositd
