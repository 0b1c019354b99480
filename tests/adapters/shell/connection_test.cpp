#include "adapters/shell/connection.hpp"

#include "tests/adapters/shell/other_process.hpp"
#include "tests/support/loopback_listener.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace depositd::shell {
namespace {

using namespace std::chrono_literals;

connection_options to(const endpoint& engine,
                      std::chrono::milliseconds within = 5s) {
  connection_options out;
  out.engine = engine;
  out.connect_within = within;
  return out;
}

TEST(connection, carries_documents_and_refusals) {
  const other_process engine;
  auto link = connect(to(engine.at()));
  ASSERT_TRUE(link) << render(link.error());
  const auto answer = (*link)->ask("queue list", "{}", 5s);
  ASSERT_TRUE(answer) << render(answer.error());
  EXPECT_EQ(*answer, "queue list{}");
  const auto large = (*link)->ask("x", std::string(14 << 20, 'x'), 30s);
  ASSERT_TRUE(large) << render(large.error());
  EXPECT_EQ(large->size(), (14u << 20) + 1);
  const auto refusal = (*link)->ask("no", "{}", 5s);
  ASSERT_FALSE(refusal);
  EXPECT_TRUE(is_refusal(refusal.error()));
  EXPECT_EQ(refusal.error(), ec::not_found);
  EXPECT_EQ(render(refusal.error()), "nothing here");
}

TEST(connection, to_a_closed_port_fails_at_once) {
  const auto link = connect(to({"127.0.0.1", 1}));
  ASSERT_FALSE(link);
  EXPECT_FALSE(is_refusal(link.error()));
  EXPECT_NE(render(link.error()).find("127.0.0.1:1"), std::string::npos);
  EXPECT_EQ(render(link.error()).find('\n'), std::string::npos)
    << "what is shown on one line";
}

TEST(connection, to_a_silent_port_fails_in_time) {
  const testing::loopback_listener silent;
  const auto start = std::chrono::steady_clock::now();
  const auto link = connect(to({"127.0.0.1", silent.port()}, 300ms));
  EXPECT_FALSE(link);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
}

TEST(connection, waiting_can_be_stopped) {
  const other_process engine;
  const auto start = std::chrono::steady_clock::now();
  auto link = connect(to(engine.at()), [=] {
    return std::chrono::steady_clock::now() - start > 1s;
  });
  ASSERT_TRUE(link) << render(link.error());
  const auto answer = (*link)->ask("wait", "{}", 600s);
  EXPECT_FALSE(answer);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
}

TEST(connection, an_engine_that_dies_is_noticed_while_waiting) {
  other_process engine;
  auto link = connect(to(engine.at()));
  ASSERT_TRUE(link) << render(link.error());
  std::thread killer{[&] {
    // Whether the kill comes before or after the question, it is noticed.
    engine.signal(SIGKILL);
  }};
  const auto answer = (*link)->ask("wait", "{}", 60s);
  killer.join();
  ASSERT_FALSE(answer);
  EXPECT_FALSE(is_refusal(answer.error()));
}

TEST(connection, an_engine_that_hangs_costs_the_time_limit_and_no_more) {
  other_process engine;
  auto link = connect(to(engine.at()));
  ASSERT_TRUE(link) << render(link.error());
  engine.signal(SIGSTOP);
  const auto start = std::chrono::steady_clock::now();
  // A question that is not answered at once: threads stop one by one.
  const auto answer = (*link)->ask("wait", "{}", 1s);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(), caf::sec::request_timeout);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
}

TEST(connection, with_unreadable_certificates_is_wrong_usage) {
  auto options = to({"127.0.0.1", 1});
  options.tls.certificate = "/no/such";
  const auto link = connect(options);
  ASSERT_FALSE(link);
  EXPECT_EQ(link.error(), ec::bad_setting);
}

} // namespace
} // namespace depositd::shell
