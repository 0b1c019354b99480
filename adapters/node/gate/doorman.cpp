#include "adapters/node/gate/doorman.hpp"

#include "adapters/doors/kit/listen.hpp"
#include "adapters/node/gate/connection.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace depositd::gate {

namespace {

using caf::io::network::operation;

/// As many are taken in one look at the sockets.
constexpr int accepted_at_once = 16;

/// Nobody waits for the last bytes of a connection that was never wanted.
void close_at_once(int socket) {
  const linger none{1, 0};
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  ::close(socket);
}

int open_spare() {
  return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

} // namespace

listening_socket::listening_socket(caf::io::network::default_multiplexer& loop,
                                   int socket, std::shared_ptr<port_core> core)
  : acceptor(loop, socket), core_(std::move(core)), spare_(open_spare()) {
  // nop
}

listening_socket::~listening_socket() {
  if (spare_ >= 0)
    ::close(spare_);
}

void listening_socket::handle_event(operation op) {
  for (int i = 0; i < accepted_at_once; ++i)
    handle_event_impl(op, *this);
}

void listening_socket::turn_away(int fd) {
  if (spare_ >= 0)
    ::close(spare_);
  const int socket = ::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket >= 0) {
    close_at_once(socket);
    ++core_->counts.refused;
    core_->say("?", "no descriptors are left");
  }
  spare_ = open_spare();
}

bool listening_socket::try_accept(int& result, int fd) {
  sockaddr_storage from{};
  socklen_t size = sizeof from;
  auto* address = reinterpret_cast<sockaddr*>(&from);
  result = ::accept4(fd, address, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (result >= 0) {
    address_ = kit::numeric_address(address);
    return true;
  }
  if (errno == EMFILE || errno == ENFILE)
    turn_away(fd);
  return false;
}

doorman::doorman(caf::io::network::default_multiplexer& loop, int socket,
                 std::shared_ptr<port_core> core)
  : caf::io::doorman(caf::io::network::accept_hdl_from_socket(socket)),
    core_(std::move(core)), acceptor_(loop, socket, core_) {
  // nop
}

bool doorman::new_connection() {
  const int socket = acceptor_.accepted_socket();
  const auto& address = acceptor_.address();
  if (detached())
    return close_at_once(socket), false;
  ++core_->counts.accepted;
  const auto id = core_->next_id();
  const auto instead_of = core_->limits().enter(
    id, kit::holder_of(address), std::chrono::steady_clock::now());
  if (instead_of)
    core_->close(*instead_of, "too many that have not shaken hands");
  connection_options options;
  options.core = core_;
  options.socket = socket;
  options.id = id;
  options.address = address;
  options.tls = core_->tls();
  auto taken = caf::make_counted<connection>(std::move(options));
  const auto handle = taken->hdl();
  auto& loop = acceptor_.backend();
  parent()->add_scribe(std::move(taken));
  return caf::io::doorman::new_connection(&loop, handle);
}

void doorman::graceful_shutdown() {
  acceptor_.graceful_shutdown();
  detach(&acceptor_.backend(), false);
}

void doorman::launch() {
  acceptor_.start(this);
}

std::string doorman::addr() const {
  auto out = caf::io::network::local_addr_of_fd(acceptor_.fd());
  return out ? std::move(*out) : std::string{};
}

std::uint16_t doorman::port() const {
  const auto out = caf::io::network::local_port_of_fd(acceptor_.fd());
  return out ? *out : 0;
}

void doorman::add_to_loop() {
  acceptor_.activate(this);
}

void doorman::remove_from_loop() {
  acceptor_.passivate();
}

} // namespace depositd::gate
