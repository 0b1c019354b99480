#include "adapters/node/gate/connector.hpp"

#include "adapters/node/gate/connection.hpp"
#include "messages/actor_with.hpp"

#include <caf/actor.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace depositd::gate {

namespace {

using caf::io::middleman_actor;
using interface_names = std::set<std::string>;
using found = caf::typed_response_promise<caf::node_id, caf::strong_actor_ptr,
                                          interface_names>;
using where = std::pair<std::string, std::uint16_t>;

/// An address that says nothing at all is not there.
constexpr std::chrono::milliseconds connect_within{4'000};

caf::error no_connection(const std::string& why) {
  return caf::make_error(caf::sec::cannot_connect_to_node, why);
}

/// Waits for what a connecting socket has to say; 0 or the error.
int outcome_of(int socket) {
  pollfd waiting{socket, POLLOUT, 0};
  const auto until = std::chrono::steady_clock::now() + connect_within;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      until - std::chrono::steady_clock::now());
    const int ready = left.count() > 0
                        ? ::poll(&waiting, 1, static_cast<int>(left.count()))
                        : 0;
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready == 0)
      return ETIMEDOUT;
    int error = ready < 0 ? errno : 0;
    socklen_t size = sizeof error;
    if (ready > 0)
      ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    return error;
  }
}

/// A socket, or minus the error.
int connect_to(const addrinfo& at) {
  const int socket =
    ::socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
             at.ai_protocol);
  if (socket < 0)
    return -errno;
  int error = ::connect(socket, at.ai_addr, at.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS)
    error = outcome_of(socket);
  if (error == 0)
    return socket;
  ::close(socket);
  return -error;
}

caf::expected<int> connect_to(const where& there) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* all = nullptr;
  const auto port = std::to_string(there.second);
  if (const int code =
        ::getaddrinfo(there.first.c_str(), port.c_str(), &hints, &all))
    return no_connection(there.first + ": " + gai_strerror(code));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> held{all,
                                                                freeaddrinfo};
  int last = -EADDRNOTAVAIL;
  for (const auto* at = all; at; at = at->ai_next)
    if (last = connect_to(*at); last >= 0)
      return last;
  return no_connection(std::strerror(-last));
}

struct connector_state {
  using interface = middleman_actor;

  static inline const char* name = "connector";

  struct known {
    caf::node_id node;
    caf::strong_actor_ptr actor;
    interface_names interface;
  };

  std::shared_ptr<port_core> core;
  caf::actor broker; ///< CAF's, which has the connections
  std::map<where, known> connected;
  std::map<where, std::vector<found>> asked;
};

using self_pointer = actor_with<connector_state>*;

void connected(self_pointer self, const where& there, const caf::node_id& node,
               const caf::strong_actor_ptr& actor,
               const interface_names& interface) {
  auto& state = self->state;
  if (node && actor) {
    self->monitor(actor);
    state.connected[there] = {node, actor, interface};
  }
  auto waiting = state.asked.extract(there);
  for (auto& promise : waiting.mapped())
    promise.deliver(node, actor, interface);
}

void not_connected(self_pointer self, const where& there,
                   const caf::error& why) {
  auto waiting = self->state.asked.extract(there);
  for (auto& promise : waiting.mapped())
    promise.deliver(why);
}

void connect(self_pointer self, const where& there) {
  auto& state = self->state;
  const auto socket = connect_to(there);
  if (!socket)
    return not_connected(self, there, socket.error());
  connection_options options;
  options.core = state.core;
  options.socket = *socket;
  options.side = wire_side::connecting;
  options.id = state.core->next_id();
  options.address = there.first;
  options.tls = state.core->tls();
  options.failure = std::make_shared<std::string>();
  const auto failure = options.failure;
  caf::io::scribe_ptr made = caf::make_counted<connection>(std::move(options));
  self
    ->request(state.broker, caf::infinite, caf::connect_atom_v, std::move(made),
              there.second)
    .then(
      [=](const caf::node_id& node, const caf::strong_actor_ptr& actor,
          const interface_names& interface) {
        connected(self, there, node, actor, interface);
      },
      [=](const caf::error& why) {
        not_connected(self, there,
                      failure->empty() ? why : no_connection(*failure));
      });
}

caf::result<caf::node_id, caf::strong_actor_ptr, interface_names>
look_up(self_pointer self, const where& there) {
  auto& state = self->state;
  auto promise =
    self->make_response_promise<caf::node_id, caf::strong_actor_ptr,
                                interface_names>();
  if (const auto at = state.connected.find(there);
      at != state.connected.end()) {
    const auto& known = at->second;
    promise.deliver(known.node, known.actor, known.interface);
    return promise;
  }
  auto& asked = state.asked[there];
  asked.push_back(promise);
  if (asked.size() == 1)
    connect(self, there);
  return promise;
}

void gone(self_pointer self, const caf::down_msg& x) {
  auto& all = self->state.connected;
  for (auto at = all.begin(); at != all.end();)
    at = at->second.actor == x.source ? all.erase(at) : std::next(at);
}

middleman_actor::behavior_type connector(self_pointer self,
                                         std::shared_ptr<port_core> core) {
  auto& state = self->state;
  state.broker = self->system().middleman().named_broker<caf::io::basp_broker>(
    caf::atom("BASP"));
  state.core = std::move(core);
  self->set_down_handler([=](const caf::down_msg& x) { gone(self, x); });
  using caf::result;
  return {
    // Ports are opened by `node_port::publish`, and nothing is started from
    // afar.
    [](caf::publish_atom, std::uint16_t, const caf::strong_actor_ptr&,
       const interface_names&, const std::string&,
       bool) -> result<std::uint16_t> { return caf::sec::unexpected_message; },
    [](caf::open_atom, std::uint16_t, const std::string&,
       bool) -> result<std::uint16_t> { return caf::sec::unexpected_message; },
    [=](caf::connect_atom, const std::string& host, std::uint16_t port) {
      return look_up(self, {host, port});
    },
    [=](caf::unpublish_atom x, const caf::actor_addr& whom,
        std::uint16_t port) {
      caf::anon_send(self->state.broker, x, whom, port);
    },
    [=](caf::close_atom x, std::uint16_t port) {
      caf::anon_send(self->state.broker, x, port);
    },
    [](caf::spawn_atom, const caf::node_id&, const std::string&,
       const caf::message&,
       const interface_names&) -> result<caf::strong_actor_ptr> {
      return caf::sec::unexpected_message;
    },
    [=](caf::get_atom x, const caf::node_id& node) {
      self->delegate(self->state.broker, x, node);
      return caf::delegated<caf::node_id, std::string, std::uint16_t>{};
    },
  };
}

} // namespace

middleman_actor spawn_connector(std::shared_ptr<port_core> core) {
  auto& system = core->system();
  return system.spawn<caf::detached + caf::hidden>(connector, std::move(core));
}

} // namespace depositd::gate
