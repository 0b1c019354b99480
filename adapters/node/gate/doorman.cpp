#include "adapters/node/gate/doorman.hpp"

#include "adapters/doors/kit/listen.hpp"
#include "adapters/node/gate/connection.hpp"

#include <cerrno>
#include <cstring>
#include <string>
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

/// The loop is told once more when it may be otherwise.
bool passes(int error) {
  return error == EAGAIN || error == EINTR || error == ECONNABORTED;
}

int open_spare() {
  return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

} // namespace

listening_socket::listening_socket(caf::io::network::default_multiplexer& loop,
                                   int socket, std::shared_ptr<port_core> core,
                                   manager_type& owner)
  : acceptor(loop, socket),
    core_(std::move(core)),
    owner_(owner),
    spare_(open_spare()) {
  // nop
}

listening_socket::~listening_socket() {
  if (spare_ >= 0)
    ::close(spare_);
}

void listening_socket::handle_event(operation op) {
  for (int i = 0; i < accepted_at_once && !again_; ++i)
    handle_event_impl(op, *this);
}

/// Whether there is a descriptor for this again, or nobody is there.
bool listening_socket::turn_away(int fd) {
  if (spare_ >= 0)
    ::close(spare_);
  const int socket = ::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
  const bool none = socket < 0 && passes(errno);
  if (socket >= 0) {
    close_at_once(socket);
    ++core_->counts.refused;
    core_->say("?", "no descriptors are left");
  }
  spare_ = open_spare();
  return socket >= 0 || none;
}

void listening_socket::pause(int why) {
  ++core_->counts.pauses;
  core_->say("?", std::string{"cannot be accepted: "} + std::strerror(why));
  passivate();
  again_ = std::make_shared<const port_core::again_function>(
    [this] { listen_again(); });
  core_->listen_later(again_);
}

void listening_socket::listen_again() {
  if (eventbf() != 0) { // the loop has yet to let go of it
    core_->listen_later(again_);
    return;
  }
  again_ = nullptr;
  activate(&owner_);
}

void listening_socket::stop() {
  again_ = nullptr;
  passivate();
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
  const int why = errno;
  if (state_.shutting_down)
    return false;
  const bool full = why == EMFILE || why == ENFILE;
  if (full ? !turn_away(fd) : !passes(why))
    pause(why);
  return false;
}

doorman::doorman(caf::io::network::default_multiplexer& loop, int socket,
                 std::shared_ptr<port_core> core)
  : caf::io::doorman(caf::io::network::accept_hdl_from_socket(socket)),
    core_(std::move(core)), acceptor_(loop, socket, core_, *this) {
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
  acceptor_.stop();
}

} // namespace depositd::gate
