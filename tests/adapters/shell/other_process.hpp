#pragma once

// An engine in a process of its own, because CAF knows itself by process.

#include "adapters/node/gate/node_port.hpp"
#include "messages/actors.hpp"
#include "messages/cluster.hpp"
#include "messages/message_types.hpp"
#include "messages/operators.hpp"
#include "messages/values/endpoint.hpp"
#include "messages/values/node_options.hpp"

#include <caf/io/all.hpp>

#include <gtest/gtest.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::shell {

/// Files in PEM form; empty: no TLS.
struct server_files {
  std::string certificate;
  std::string key;
  std::string ca;
};

/// Answers with what it was asked; refuses "no"; never answers "wait".
inline admin_actor::behavior_type echo(admin_actor::pointer, int) {
  return {
    [](const admin_request& x) -> caf::result<admin_reply> {
      if (x.command == "no")
        return caf::make_error(ec::not_found, std::string{"nothing here"});
      if (x.command == "wait")
        return caf::delegated<admin_reply>{};
      return admin_reply{x.command + x.arguments};
    },
    [](const sign_in&) -> caf::result<signed_in> {
      return caf::make_error(ec::not_allowed);
    },
    [](const command_as&) -> caf::result<admin_reply> {
      return caf::make_error(ec::not_allowed);
    },
    [](const log_in&) -> caf::result<logged_in> {
      return caf::make_error(ec::not_allowed);
    },
    [](const know_token&) -> caf::result<logged_in> {
      return caf::make_error(ec::not_allowed);
    },
    [](const connect_native&) -> caf::result<native_actor> {
      return caf::make_error(ec::draining);
    },
    [](const join_node&) -> caf::result<node_joined> {
      return caf::make_error(ec::draining);
    },
    [](const meet_engine&) -> caf::result<engine_met> {
      return caf::make_error(ec::draining);
    },
  };
}

/// Begins with `engine_word`, started by the test program itself: a child that
/// was only forked would have threads of its own beside those of its parent.
class other_process {
public:
  static constexpr const char* engine_word = "--be-an-engine";

  explicit other_process(const server_files& tls = {}) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    std::vector<std::string> words{"/proc/self/exe", engine_word,
                                   std::to_string(ends[1]), tls.certificate,
                                   tls.key, tls.ca};
    std::vector<char*> line;
    for (auto& word : words)
      line.push_back(word.data());
    line.push_back(nullptr);
    EXPECT_EQ(
      posix_spawn(&child_, line[0], nullptr, nullptr, line.data(), environ),
      0);
    close(ends[1]);
    EXPECT_EQ(read(ends[0], &port, sizeof(port)),
              static_cast<ssize_t>(sizeof(port)));
    close(ends[0]);
  }

  ~other_process() {
    signal(SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  other_process(const other_process&) = delete;
  other_process& operator=(const other_process&) = delete;

  void signal(int number) const {
    kill(child_, number);
  }

  endpoint at() const {
    return {"127.0.0.1", port};
  }

  std::uint16_t port = 0;

  /// What the program does instead of its tests, if its words say so.
  static void serve_if_told(int count, char** words) {
    if (count == 6 && std::string_view{words[1]} == engine_word)
      serve(std::stoi(words[2]), {words[3], words[4], words[5]});
  }

private:
  struct config : caf::actor_system_config {
    config() {
      add_depositd_messages(*this);
      load<caf::io::middleman>();
      set("scheduler.max-threads", std::size_t{1});
      apply_node_options(*this);
    }
  };

  [[noreturn]] static void serve(int out, const server_files& tls) {
    config options;
    caf::actor_system system{options};
    const auto engine = system.spawn(echo, 0);
    gate::node_port_options wanted;
    wanted.tls = {tls.certificate, tls.key, tls.ca};
    const auto opened = gate::node_port::open(system, std::move(wanted));
    if (!opened)
      _exit(1);
    const auto published = (*opened)->publish(engine, {"127.0.0.1", 0});
    const std::uint16_t port = published ? *published : 0;
    if (write(out, &port, sizeof(port)) < 0)
      _exit(1);
    for (;;)
      pause();
  }

  pid_t child_ = -1;
};

} // namespace depositd::shell
