#include "tests/adapters/doors/nsq/door_client.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace depositd::testing {

namespace {

using steady = std::chrono::steady_clock;

std::string number(std::size_t x) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(x >> shift & 0xff);
  return out;
}

std::uint64_t read_number(const std::string& from, std::size_t at,
                          std::size_t bytes) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    out = out << 8 | static_cast<unsigned char>(from[at + i]);
  return out;
}

} // namespace

door_client::door_client(std::uint16_t port, bool greets)
  : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0)
    throw std::runtime_error{"cannot connect"};
  const timeval limit{20, 0};
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (greets)
    send("  V2");
}

door_client::door_client(door_client&& x) noexcept
  : socket_(std::exchange(x.socket_, -1)), tls_(std::exchange(x.tls_, nullptr)),
    layer_(std::move(x.layer_)), plain_(std::move(x.plain_)), over_(x.over_) {
  // nop
}

door_client::~door_client() {
  drop();
}

void door_client::drop() {
  if (tls_ != nullptr) {
    auto* context = SSL_get_SSL_CTX(tls_);
    SSL_free(tls_);
    SSL_CTX_free(context);
    tls_ = nullptr;
  }
  if (socket_ >= 0)
    close(std::exchange(socket_, -1));
}

void door_client::send(const std::string& bytes) {
  std::string out = bytes;
  if (layer_) {
    out.clear();
    if (layer_->pack(bytes, out))
      throw std::runtime_error{"cannot pack"};
  }
  std::size_t sent = 0;
  while (sent < out.size()) {
    const auto count =
      tls_ != nullptr
        ? SSL_write(tls_, out.data() + sent,
                    static_cast<int>(out.size() - sent))
        : ::send(socket_, out.data() + sent, out.size() - sent, MSG_NOSIGNAL);
    if (count <= 0)
      return; // the server has had enough; what it says is still to be read
    sent += static_cast<std::size_t>(count);
  }
}

void door_client::say(const std::string& line, const std::string& body) {
  send(line + "\n" + number(body.size()) + body);
}

void door_client::mpub(const std::string& topic,
                       const std::vector<std::string>& bodies) {
  std::string all = number(bodies.size());
  for (const auto& x : bodies)
    all += number(x.size()) + x;
  say("MPUB " + topic, all);
}

bool door_client::receive(steady::time_point until) {
  std::array<char, 65'536> bytes;
  if (tls_ == nullptr || SSL_pending(tls_) == 0) {
    const auto left = std::chrono::ceil<ms>(until - steady::now()).count();
    pollfd what{socket_, POLLIN, 0};
    if (left <= 0 || poll(&what, 1, static_cast<int>(left)) <= 0)
      return false;
  }
  const auto count =
    tls_ != nullptr
      ? SSL_read(tls_, bytes.data(), static_cast<int>(bytes.size()))
      : recv(socket_, bytes.data(), bytes.size(), 0);
  if (count <= 0) {
    over_ = true;
    return false;
  }
  std::string_view got{bytes.data(), static_cast<std::size_t>(count)};
  if (!layer_) {
    plain_ += got;
    return true;
  }
  return !layer_->unpack(got, plain_, std::size_t{1} << 30);
}

std::optional<wire_frame> door_client::next_of_all(ms within) {
  const auto until = steady::now() + within;
  for (;;) {
    if (plain_.size() >= 8) {
      const auto size = read_number(plain_, 0, 4);
      if (plain_.size() >= 4 + size) {
        wire_frame out{static_cast<nsq::frame_type>(read_number(plain_, 4, 4)),
                       plain_.substr(8, size - 4)};
        plain_.erase(0, 4 + size);
        return out;
      }
    }
    if (over_ || !receive(until))
      return std::nullopt;
  }
}

std::optional<wire_frame> door_client::next(ms within) {
  const auto until = steady::now() + within;
  for (;;) {
    auto out = next_of_all(std::chrono::ceil<ms>(until - steady::now()));
    if (!out || out->data != nsq::heartbeat_text)
      return out;
    send("NOP\n");
  }
}

void door_client::add(std::unique_ptr<nsq::layer> what) {
  layer_ = std::move(what);
  const auto early = std::exchange(plain_, {});
  std::string_view from = early;
  if (!early.empty() && layer_->unpack(from, plain_, std::size_t{1} << 30))
    over_ = true;
}

std::string door_client::answer() {
  const auto x = next();
  if (!x)
    return over_ ? "(closed)" : "(nothing)";
  return x->type == nsq::frame_type::response ? x->data : "(other) " + x->data;
}

std::string door_client::error() {
  const auto x = next();
  if (!x)
    return over_ ? "(closed)" : "(nothing)";
  return x->type == nsq::frame_type::error ? x->data : "(other) " + x->data;
}

std::optional<client_message> door_client::message(ms within) {
  const auto x = next(within);
  if (!x || x->type != nsq::frame_type::message || x->data.size() < 26)
    return std::nullopt;
  return client_message{static_cast<std::int64_t>(read_number(x->data, 0, 8)),
                        static_cast<std::uint16_t>(read_number(x->data, 8, 2)),
                        x->data.substr(10, 16), x->data.substr(26)};
}

bool door_client::silent(ms time) {
  return !next(time) && !over_;
}

bool door_client::closed(ms within) {
  const auto until = steady::now() + within;
  while (!over_ && steady::now() < until)
    next_of_all(std::chrono::ceil<ms>(until - steady::now()));
  return over_;
}

std::string door_client::identify(const std::string& members) {
  say("IDENTIFY", "{" + members + "}");
  return answer();
}

std::string door_client::consume(const std::string& topic,
                                 const std::string& channel, int ready) {
  say("SUB " + topic + " " + channel);
  auto out = answer();
  say("RDY " + std::to_string(ready));
  return out;
}

bool door_client::begin_tls() {
  auto* context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
  tls_ = SSL_new(context);
  SSL_set_fd(tls_, socket_);
  return SSL_connect(tls_) == 1;
}

std::string door_client::shown() const {
  const std::unique_ptr<X509, decltype(&X509_free)> x{
    tls_ != nullptr ? SSL_get1_peer_certificate(tls_) : nullptr, &X509_free};
  unsigned char* bytes = nullptr;
  const auto size = x ? i2d_X509(x.get(), &bytes) : 0;
  std::string out(bytes, bytes + std::max(size, 0));
  OPENSSL_free(bytes);
  return out;
}

} // namespace depositd::testing
