#include "adapters/shell/connection.hpp"

#include "messages/actors.hpp"
#include "messages/node_options.hpp"

#include <caf/io/all.hpp>
#include <caf/scoped_actor.hpp>

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace depositd::shell {
namespace {

using namespace std::chrono_literals;

struct engine_config : caf::actor_system_config {
  engine_config() {
    add_message_types<caf::id_block::depositd>();
    load<caf::io::middleman>();
    set("scheduler.max-threads", std::size_t{1});
    apply_node_options(*this);
  }
};

/// Answers with what it was asked; refuses "no"; never answers "wait".
admin_actor::behavior_type echo(admin_actor::pointer, int) {
  return {
    [](const admin_request& x) -> caf::result<admin_reply> {
      if (x.command == "no")
        return caf::make_error(ec::not_found, std::string{"nothing here"});
      if (x.command == "wait")
        return caf::delegated<admin_reply>{};
      return admin_reply{x.command + x.arguments};
    },
    [](const connect_native&) -> caf::result<native_actor> {
      return caf::make_error(ec::draining);
    },
  };
}

/// An engine in a process of its own, because CAF knows itself by process.
class other_process {
public:
  other_process() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    child_ = fork();
    if (child_ == 0)
      serve(ends[1]);
    close(ends[1]);
    EXPECT_EQ(read(ends[0], &port, sizeof(port)),
              static_cast<ssize_t>(sizeof(port)));
    close(ends[0]);
  }

  ~other_process() {
    signal(SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  void signal(int number) const {
    kill(child_, number);
  }

  endpoint at() const {
    return {"127.0.0.1", port};
  }

  std::uint16_t port = 0;

private:
  [[noreturn]] static void serve(int out) {
    engine_config config;
    caf::actor_system system{config};
    const auto published =
      caf::io::publish(system.spawn(echo, 0), 0, "127.0.0.1");
    const std::uint16_t port = published ? *published : 0;
    if (write(out, &port, sizeof(port)) < 0)
      _exit(1);
    for (;;)
      pause();
  }

  pid_t child_ = -1;
};

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
}

TEST(connection, to_a_silent_port_fails_in_time) {
  const int silent = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(silent, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(silent, 5), 0);
  getsockname(silent, reinterpret_cast<sockaddr*>(&address), &size);
  const auto start = std::chrono::steady_clock::now();
  const auto link = connect(to({"127.0.0.1", ntohs(address.sin_port)}, 300ms));
  EXPECT_FALSE(link);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 3s);
  close(silent);
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
  const auto answer = (*link)->ask("status", "{}", 1s);
  EXPECT_FALSE(answer);
  EXPECT_FALSE(is_refusal(answer.error()));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
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
