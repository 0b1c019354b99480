#include "config/log_sink.hpp"

#include <gtest/gtest.h>

#include <spdlog/logger.h>

#include <csignal>
#include <memory>
#include <string>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace depositd {
namespace {

class log_sink_test : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    log = std::make_unique<spdlog::logger>(
      "depositd", std::make_shared<log_sink>(ends[1]));
    log->set_pattern("%l %v");
  }

  void TearDown() override {
    ::close(ends[0]);
    ::close(ends[1]);
  }

  /// What is in the pipe now.
  std::string read_all() const {
    auto waiting = 0;
    EXPECT_EQ(::ioctl(ends[0], FIONREAD, &waiting), 0);
    std::string out(static_cast<std::size_t>(waiting), '\0');
    EXPECT_EQ(::read(ends[0], out.data(), out.size()), waiting);
    return out;
  }

  int ends[2] = {-1, -1};
  std::unique_ptr<spdlog::logger> log;
};

} // namespace

TEST_F(log_sink_test, writes_line_by_line) {
  log->info("one");
  log->warn("two");
  EXPECT_EQ(read_all(), "info one\nwarning two\n");
  const std::string much(20'000, 'm');
  log->info(much);
  EXPECT_EQ(read_all(), "info " + much + "\n");
}

TEST_F(log_sink_test, waits_for_no_reader_and_says_what_it_lost) {
  const std::string text(991, 't');
  const auto line = "info " + text + "\n";
  for (auto i = 0; i < 1'000; ++i)
    log->info(text);
  const auto written = read_all();
  const auto whole = written.size() / line.size();
  EXPECT_LT(whole, 1'000u);
  log->info("again");
  const auto torn = written.size() % line.size() == 0 ? "" : "\n";
  EXPECT_EQ(read_all(), torn + ("warning log_lines_lost count="
                                + std::to_string(1'000 - whole))
                          + "\ninfo again\n");
  log->info("and on");
  EXPECT_EQ(read_all(), "info and on\n");
}

TEST_F(log_sink_test, goes_on_when_its_reader_has_gone) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  ::close(ends[0]);
  log->info("to nobody");
  ends[0] = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::signal(SIGPIPE, before);
}

} // namespace depositd
