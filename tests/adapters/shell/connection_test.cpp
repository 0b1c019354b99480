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

TEST(connection, to_who_closes_at_once_is_not_tried_without_a_pause) {
  const testing::loopback_listener at;
  int calls = 0;
  std::thread closing{[&] {
    for (int one = at.accept(); one >= 0; one = at.accept()) {
      ++calls;
      ::close(one);
    }
  }};
  const auto link = connect(to({"127.0.0.1", at.port()}, 1s));
  ::shutdown(at.socket(), SHUT_RDWR);
  closing.join();
  EXPECT_FALSE(link);
  EXPECT_GE(calls, 1);
  EXPECT_LE(calls, 11);
}

TEST(connection, says_which_other_language_is_spoken_there) {
  const auto error_at = [](std::string_view said) {
    const testing::loopback_listener at;
    std::thread saying{[&] {
      const int one = at.accept();
      static_cast<void>(::send(one, said.data(), said.size(), MSG_NOSIGNAL));
      ::shutdown(one, SHUT_WR);
      // Until it goes: what it has sent would have the answer thrown away.
      for (char byte = 0; ::recv(one, &byte, 1, 0) > 0;)
        ;
      ::close(one);
    }};
    const auto link = connect(to({"127.0.0.1", at.port()}));
    ::shutdown(at.socket(), SHUT_RDWR);
    saying.join();
    return link ? "" : render(link.error());
  };
  const auto tls = error_at({"\x15\x03\x03\0\x02\x02\x46", 7});
  EXPECT_NE(tls.find("(it speaks TLS, and this end does not); if its node port "
                     "has TLS, give --tls-certificate"),
            tls.npos)
    << tls;
  const auto http = error_at("HTTP/1.1 400 Bad Request\r\n"
                             "Content-Length: 0\r\n\r\n");
  EXPECT_NE(http.find("(it speaks HTTP)"), http.npos) << http;
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
