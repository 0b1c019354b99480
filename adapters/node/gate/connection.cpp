#include "adapters/node/gate/connection.hpp"

#include "adapters/node/gate/accounts.hpp"
#include "adapters/node/gate/node_port.hpp"

#include <caf/io/basp_broker.hpp>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include <sys/socket.h>

namespace depositd::gate {

namespace {

using caf::io::receive_policy;
using caf::io::network::rw_state;

/// What is asked of the socket at once: memory is spent on bytes that have
/// come, not on those that a header speaks of.
constexpr std::size_t chunk_bytes = 256 << 10;
/// Bytes that wait for the other end to read.
constexpr std::size_t waiting_bytes_max = 2 * std::size_t{payload_bytes_max};
constexpr std::chrono::seconds waiting_max{30};

caf::io::network::default_multiplexer& loop_of(port_core& core) {
  auto& out = core.system().middleman().backend();
  return static_cast<caf::io::network::default_multiplexer&>(out);
}

bool try_again(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

/// An alert, of a version of TLS that cannot be.
void ask_for_tls(int socket) {
  constexpr std::string_view alert{"\x15\x03\x03\0\x02\x02\x46", 7};
  static_cast<void>(
    ::send(socket, alert.data(), alert.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
}

} // namespace

rw_state wire_policy::read_some(std::size_t& result, int, void* to,
                                std::size_t max) {
  return owner_->read_some(result, to, max);
}

rw_state wire_policy::write_some(std::size_t& result, int, const void* from,
                                 std::size_t size) {
  return owner_->write_some(result, from, size);
}

bool wire_policy::must_read_more(int, std::size_t threshold) {
  return owner_->must_read_more(threshold);
}

connection::connection(connection_options options)
  : scribe(caf::io::connection_handle::from_int(
    static_cast<std::int64_t>(options.id))),
    options_(std::move(options)), guard_(guard_options()),
    stream_(loop_of(*options_.core), options_.socket, this) {
  if (options_.tls)
    tls_.emplace(options_.tls, options_.socket,
                 options_.side == wire_side::accepted ? tls_side::accepting
                                                      : tls_side::connecting);
}

connection::~connection() {
  let_go();
  // One that CAF never had is nobody's, in whatever thread.
  if (launched_ || options_.side == wire_side::accepted)
    options_.core->left(options_.id);
}

wire_options connection::guard_options() {
  auto* core = options_.core.get();
  wire_options out;
  out.system = &core->system();
  out.peers = &core->peers();
  out.connection = options_.id;
  out.side = options_.side;
  out.identify = [this] { return identify(); };
  out.published = [core] { return core->published(); };
  if (options_.side == wire_side::accepted)
    out.finished = [core, id = options_.id] {
      const bool may = core->limits().finish(id);
      core->counts.finished += may;
      return may;
    };
  return out;
}

peer connection::identify() const {
  peer out;
  out.address = options_.address;
  if (tls_) {
    auto facts = tls_->other_end();
    if (facts.fingerprint.empty())
      return out;
    out.kind = peer_kind::certificate;
    out.name = std::move(facts.name);
    out.fingerprint = std::move(facts.fingerprint);
  } else if (const auto account = account_behind(options_.socket)) {
    out.kind = peer_kind::account;
    out.account = *account;
  }
  return out;
}

// -- reading and writing ------------------------------------------------------

bool connection::ready() const {
  return !tls_ || tls_->ready();
}

void connection::fail(const std::string& why) {
  if (std::exchange(failed_, true) || cut_)
    return;
  if (options_.failure && !guard_.open())
    *options_.failure = why;
  if (options_.side == wire_side::accepted && !why.empty()) {
    ++options_.core->counts.closed;
    options_.core->say(options_.address, why);
  }
}

rw_state connection::shake_hands() {
  switch (tls_->handshake()) {
    case tls_state::done:
      stream_.flush(this);
      return rw_state::success;
    case tls_state::more_to_read:
      return rw_state::success;
    default:
      // Which the library does not say, since it may be anybody.
      if (options_.side == wire_side::accepted
          && tls_->reason() == speaks_no_tls)
        ask_for_tls(options_.socket);
      // Who was closed by the other end may try again.
      if (!tls_->reason().empty())
        fail("TLS: " + tls_->reason());
      else
        fail(options_.failure ? "" : "TLS: it closed");
      return rw_state::failure;
  }
}

void connection::see_first(const char* bytes, std::size_t size) {
  if (std::exchange(seen_, true))
    return;
  const std::string_view text{bytes, size};
  if (text.starts_with("\x15\x03") || text.starts_with("\x16\x03"))
    other_language_ = speaks_tls;
  else if (text.starts_with("HTTP/") || text.starts_with("GET "))
    other_language_ = "it speaks HTTP";
}

rw_state connection::read_some(std::size_t& result, void* to, std::size_t max) {
  result = 0;
  if (!tls_) {
    const auto size = ::recv(options_.socket, to, max, MSG_NOSIGNAL);
    if (size < 0 && try_again(errno))
      return rw_state::success;
    if (size <= 0) {
      fail(other_language_);
      return rw_state::failure;
    }
    result = static_cast<std::size_t>(size);
    see_first(static_cast<const char*>(to), result);
    return rw_state::success;
  }
  if (!tls_->ready()) {
    const auto state = shake_hands();
    if (state != rw_state::success || !tls_->ready())
      return state;
  }
  if (tls_->read(to, max, result) != tls_state::failed)
    return rw_state::success;
  fail(tls_->reason().empty() ? "" : "TLS: " + tls_->reason());
  return rw_state::failure;
}

rw_state connection::write_some(std::size_t& result, const void* from,
                                std::size_t size) {
  result = 0;
  if (size == 0 || !ready())
    return rw_state::indeterminate;
  if (tls_) {
    if (tls_->write(from, size, result) == tls_state::failed)
      return rw_state::failure;
  } else {
    const auto sent = ::send(options_.socket, from, size, MSG_NOSIGNAL);
    if (sent < 0 && !try_again(errno))
      return rw_state::failure;
    result = sent < 0 ? 0 : static_cast<std::size_t>(sent);
  }
  if (result == size)
    waiting_since_.reset();
  else if (result > 0 || !waiting_since_)
    waiting_since_ = std::chrono::steady_clock::now();
  return rw_state::success;
}

bool connection::must_read_more(std::size_t threshold) const {
  return tls_ && tls_->ready() && tls_->pending() >= threshold;
}

bool connection::is_stuck(time_point now) const {
  return waiting_since_ && now - *waiting_since_ > waiting_max;
}

void connection::cut(const std::string& why) {
  if (std::exchange(cut_, true))
    return;
  if (options_.failure && !guard_.open() && options_.failure->empty())
    *options_.failure = why;
  if (options_.side == wire_side::accepted && !failed_) {
    ++options_.core->counts.closed;
    options_.core->say(options_.address, why);
  }
  // The loop sees a connection that has ended, and tells CAF.
  ::shutdown(options_.socket, SHUT_RDWR);
}

// -- what comes in ------------------------------------------------------------

void connection::expect(std::size_t bytes) {
  stream_.configure_read(
    receive_policy::exactly(std::clamp<std::size_t>(bytes, 1, chunk_bytes)));
}

bool connection::consume(caf::execution_unit* ctx, const void* bytes,
                         std::size_t size) {
  if (detached())
    return false;
  if (cut_)
    return refuse(ctx);
  const auto* from = static_cast<const char*>(bytes);
  if (muted_)
    return true;
  if (skipped_ > 0) {
    skipped_ -= std::min(skipped_, size);
    expect(skipped_ > 0 ? skipped_ : caf::io::basp::header_size);
    return true;
  }
  return announced_ > 0 ? take_payload(ctx, from, size)
                        : take_header(ctx, from, size);
}

bool connection::take_header(caf::execution_unit* ctx, const char* bytes,
                             std::size_t size) {
  const auto verdict = guard_.see_header(bytes, size);
  const auto announced = guard_.announced();
  if (verdict == wire_verdict::skip)
    skipped_ = announced;
  if (verdict != wire_verdict::pass)
    return act(ctx, verdict);
  header_.assign(bytes, bytes + size);
  if (announced == 0)
    return deliver(ctx, header_);
  announced_ = announced;
  expect(announced_);
  return true;
}

bool connection::take_payload(caf::execution_unit* ctx, const char* bytes,
                              std::size_t size) {
  if (!options_.core->hold(size))
    return fail("too many bytes of messages are on their way"), refuse(ctx);
  payload_.insert(payload_.end(), bytes, bytes + size);
  if (payload_.size() < announced_) {
    expect(announced_ - payload_.size());
    return true;
  }
  auto whole = std::exchange(payload_, {});
  options_.core->let_go(whole.size());
  announced_ = 0;
  const auto verdict = guard_.see_payload(whole.data(), whole.size());
  if (verdict != wire_verdict::pass)
    return act(ctx, verdict);
  return deliver(ctx, header_) && deliver(ctx, whole);
}

bool connection::act(caf::execution_unit* ctx, wire_verdict verdict) {
  switch (verdict) {
    case wire_verdict::close:
      fail(*other_language_ != '\0' ? other_language_ : guard_.reason());
      return refuse(ctx);
    case wire_verdict::mute:
      muted_ = true;
      stream_.configure_read(receive_policy::at_most(chunk_bytes));
      return true;
    default:
      ++options_.core->counts.skipped;
      expect(skipped_ > 0 ? skipped_ : caf::io::basp::header_size);
      return true;
  }
}

/// CAF takes a header and then what it has announced.
bool connection::deliver(caf::execution_unit* ctx, std::vector<char>& bytes) {
  inbox_.swap(bytes);
  const bool goes_on = scribe::consume(ctx, inbox_.data(), inbox_.size());
  inbox_.clear();
  if (inbox_.capacity() > chunk_bytes)
    inbox_.shrink_to_fit();
  expect(caf::io::basp::header_size);
  return goes_on && !detached();
}

bool connection::refuse(caf::execution_unit* ctx) {
  io_failure(ctx, caf::io::network::operation::read);
  ::shutdown(options_.socket, SHUT_RDWR);
  return false;
}

void connection::let_go() {
  if (!payload_.empty())
    options_.core->let_go(payload_.size());
  payload_.clear();
}

// -- for CAF ------------------------------------------------------------------

void connection::launch() {
  launched_ = true;
  options_.core->joined(options_.id, *this);
  expect(caf::io::basp::header_size);
  stream_.start(this);
  if (options_.side == wire_side::accepted)
    return;
  // CAF counts the time of who connects from the beginning of its clock, and
  // so from its next heartbeat on takes it for dead.
  auto* broker = static_cast<caf::io::basp_broker*>(parent());
  if (const auto at = broker->ctx.find(hdl()); at != broker->ctx.end())
    at->second.last_seen = broker->clock().now();
  if (tls_)
    shake_hands();
}

/// We say how much is read; CAF's first word on it only starts us.
void connection::configure_read(caf::io::receive_policy::config) {
  if (!launched_)
    launch();
}

void connection::ack_writes(bool enable) {
  stream_.ack_writes(enable);
}

std::vector<char>& connection::wr_buf() {
  return stream_.wr_buf();
}

std::vector<char>& connection::rd_buf() {
  return inbox_;
}

void connection::graceful_shutdown() {
  stream_.graceful_shutdown();
  detach(&stream_.backend(), false);
}

void connection::flush() {
  if (stream_.wr_buf().size() > waiting_bytes_max) {
    cut("does not take what it is sent");
    stream_.wr_buf().clear();
  }
  if (ready() && !cut_)
    stream_.flush(this);
}

std::string connection::addr() const {
  return options_.address;
}

std::uint16_t connection::port() const {
  const auto out = caf::io::network::remote_port_of_fd(options_.socket);
  return out ? *out : 0;
}

void connection::add_to_loop() {
  stream_.activate(this);
}

void connection::remove_from_loop() {
  stream_.passivate();
  options_.core->limits().closing(options_.id,
                                  std::chrono::steady_clock::now());
}

} // namespace depositd::gate
