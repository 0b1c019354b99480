#pragma once

// A node port on the loopback, those who connect to it properly, and those who
// do not.

#include "adapters/node/gate/node_port.hpp"
#include "adapters/node/gate/port_core.hpp"
#include "messages/actors.hpp"
#include "messages/cluster.hpp"
#include "messages/message_types.hpp"
#include "messages/operators.hpp"
#include "messages/values/node_options.hpp"

#include <caf/all.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/io/all.hpp>
#include <caf/io/basp/header.hpp>
#include <caf/io/basp/version.hpp>

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace depositd::gate {

using namespace std::chrono_literals;

struct port_config : caf::actor_system_config {
  explicit port_config(const std::string& protocol) {
    add_depositd_messages(*this);
    load<caf::io::middleman>();
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{1});
    apply_node_options(*this, protocol);
  }
};

/// A process, as far as CAF can tell.
struct party {
  explicit party(node_port_options options = {},
                 const std::string& protocol = node_protocol)
    : config(protocol) {
    auto opened = node_port::open(system, std::move(options));
    EXPECT_TRUE(opened) << render(opened.error());
    if (opened)
      port = std::move(*opened);
  }

  port_config config;
  caf::actor_system system{config};
  std::unique_ptr<node_port> port;
};

/// Answers with what it was asked and who asked.
inline admin_actor::behavior_type echo(admin_actor::pointer self,
                                       const known_peers* peers) {
  return {
    [=](const admin_request& x) -> caf::result<admin_reply> {
      const auto who = peers->peer_of(self->current_sender()->node());
      const auto name = !who ? "nobody"
                        : who->kind == peer_kind::account
                          ? std::to_string(who->account)
                        : who->kind == peer_kind::certificate ? who->name
                                                              : "stranger";
      return admin_reply{x.command + " " + name};
    },
    [](const sign_in&) -> caf::result<signed_in> {
      return caf::make_error(ec::draining);
    },
    [](const command_as&) -> caf::result<admin_reply> {
      return caf::make_error(ec::draining);
    },
    [](const log_in&) -> caf::result<logged_in> {
      return caf::make_error(ec::draining);
    },
    [](const know_token&) -> caf::result<logged_in> {
      return caf::make_error(ec::draining);
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

inline caf::expected<admin_actor> find(party& from, std::uint16_t port) {
  caf::scoped_actor self{from.system};
  caf::expected<admin_actor> out{caf::error{}};
  self
    ->request(from.port->middleman(), 20s, caf::connect_atom_v,
              std::string{"127.0.0.1"}, port)
    .receive(
      [&](const caf::node_id&, const caf::strong_actor_ptr& found,
          const std::set<std::string>&) {
        out = caf::actor_cast<admin_actor>(found);
      },
      [&](caf::error& why) { out = std::move(why); });
  return out;
}

inline std::string ask(party& from, const admin_actor& whom,
                       const std::string& what) {
  caf::scoped_actor self{from.system};
  std::string out;
  self->request(whom, 20s, admin_request{what, ""})
    .receive([&](const admin_reply& x) { out = x.document; },
             [&](const caf::error& why) { out = "! " + render(why); });
  return out;
}

/// A connection without CAF behind it.
class raw_client {
public:
  explicit raw_client(std::uint16_t port, const char* own = "127.0.0.1")
    : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in from{}, to{};
    from.sin_family = to.sin_family = AF_INET;
    inet_pton(AF_INET, own, &from.sin_addr);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(port);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&from), sizeof from), 0);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }

  ~raw_client() {
    ::close(fd_);
  }

  raw_client(const raw_client&) = delete;
  raw_client& operator=(const raw_client&) = delete;

  bool say(const std::vector<char>& bytes) const {
    return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL)
           == static_cast<ssize_t>(bytes.size());
  }

  /// Whether the other end closes within this time.
  bool is_closed_within(std::chrono::milliseconds time) const {
    const auto until = std::chrono::steady_clock::now() + time;
    char sink[4096];
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
      pollfd waiting{fd_, POLLIN, 0};
      if (left.count() <= 0
          || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0)
        return false;
      if (::recv(fd_, sink, sizeof sink, 0) <= 0)
        return true;
    }
  }

private:
  int fd_;
  bool connected_ = false;
};

/// Words of CAF's protocol, as somebody might make them up.
class words {
public:
  using header = caf::io::basp::header;
  using kind = caf::io::basp::message_type;

  explicit words(caf::actor_system& system) : system_(system) {
    // nop
  }

  template <class... Ts>
  std::vector<char> make(header head, const Ts&... payload) {
    std::vector<char> body, out;
    caf::binary_serializer in{system_, body};
    EXPECT_FALSE(in(payload...));
    head.payload_len = static_cast<std::uint32_t>(body.size());
    caf::binary_serializer front{system_, out};
    EXPECT_FALSE(front(head));
    out.insert(out.end(), body.begin(), body.end());
    return out;
  }

  std::vector<char> head_only(kind what, std::uint32_t bytes) {
    std::vector<char> out;
    caf::binary_serializer front{system_, out};
    header head{what, 0, bytes, 0, 0, what == kind::direct_message ? 1u : 0u};
    EXPECT_FALSE(front(head));
    return out;
  }

  std::vector<char> hello(const caf::node_id& node) {
    return make(header{kind::client_handshake, 0, 0, 0, 0, 0}, node);
  }

  std::vector<char> message(caf::actor_id to, const caf::message& what) {
    return make(header{kind::direct_message, 0, 0, 0, 1, to},
                std::vector<caf::strong_actor_ptr>{}, what);
  }

private:
  caf::actor_system& system_;
};

inline caf::node_id some_node(std::uint32_t number) {
  return caf::make_node_id(number,
                           caf::node_id::default_data::host_id_type{{9, 8, 7}});
}

/// Until it holds; the time is that of a very busy machine.
template <class F>
bool soon(F holds) {
  for (int i = 0; i < 2'000; ++i) {
    if (holds())
      return true;
    std::this_thread::sleep_for(10ms); // sleeps: counters tell nobody
  }
  return false;
}

} // namespace depositd::gate
