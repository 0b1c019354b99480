#pragma once

// One connection of the node port, as CAF's middleman wants it, with our own
// eyes between the socket and CAF.

#include "adapters/node/gate/port_core.hpp"
#include "adapters/node/gate/wire_guard.hpp"

#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/stream_impl.hpp>
#include <caf/io/scribe.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace depositd::gate {

class connection;

/// How CAF's stream reads and writes.
class wire_policy {
public:
  explicit wire_policy(connection* owner) : owner_(owner) {
    // nop
  }

  caf::io::network::rw_state read_some(std::size_t& result, int fd, void* to,
                                       std::size_t max);
  caf::io::network::rw_state write_some(std::size_t& result, int fd,
                                        const void* from, std::size_t size);
  bool must_read_more(int fd, std::size_t threshold);

private:
  connection* owner_;
};

struct connection_options {
  std::shared_ptr<port_core> core;
  int socket = -1; ///< the connection's from now on
  wire_side side = wire_side::accepted;
  std::uint64_t id = 0;
  std::string address; ///< of the other end
  tls_context tls;     ///< null: plain
  /// Gets the reason if the connection fails; of `connecting` ones only.
  std::shared_ptr<std::string> failure;
};

/// In the thread of the sockets, but for the constructor.
class connection final : public caf::io::scribe {
public:
  using rw_state = caf::io::network::rw_state;
  using time_point = std::chrono::steady_clock::time_point;

  explicit connection(connection_options options);
  ~connection() override;

  /// Ends it whatever it is doing.
  void cut(const std::string& why);

  /// Whether it has left what it was sent for too long.
  bool is_stuck(time_point now) const;

  /// Whether the other end has lost the right that it worked by.
  bool is_dismissed() const {
    return guard_.is_dismissed();
  }

  // -- for the stream ---------------------------------------------------------

  rw_state read_some(std::size_t& result, void* to, std::size_t max);
  rw_state write_some(std::size_t& result, const void* from, std::size_t size);
  bool must_read_more(std::size_t threshold) const;

  // -- for CAF ----------------------------------------------------------------

  bool consume(caf::execution_unit* ctx, const void* bytes,
               std::size_t size) override;
  void configure_read(caf::io::receive_policy::config config) override;
  void ack_writes(bool enable) override;
  std::vector<char>& wr_buf() override;
  std::vector<char>& rd_buf() override;
  void graceful_shutdown() override;
  void flush() override;
  std::string addr() const override;
  std::uint16_t port() const override;
  void add_to_loop() override;
  void remove_from_loop() override;

private:
  void launch();
  peer identify() const;
  wire_options guard_options();

  /// What comes next, as far as one look takes it.
  void expect(std::size_t bytes);
  bool take_header(caf::execution_unit* ctx, const char* bytes,
                   std::size_t size);
  bool take_payload(caf::execution_unit* ctx, const char* bytes,
                    std::size_t size);
  bool act(caf::execution_unit* ctx, wire_verdict verdict);
  bool deliver(caf::execution_unit* ctx, std::vector<char>& bytes);
  bool refuse(caf::execution_unit* ctx);
  void let_go();
  void fail(const std::string& why);
  rw_state shake_hands();
  bool ready() const;
  void see_first(const char* bytes, std::size_t size);

  connection_options options_;
  std::optional<tls_session> tls_;
  wire_guard guard_;
  std::vector<char> header_;
  std::vector<char> payload_;
  std::vector<char> inbox_;   ///< what CAF gets next
  std::size_t announced_ = 0; ///< payload that has to come yet, in all
  std::size_t skipped_ = 0;   ///< to be read and forgotten
  bool muted_ = false;
  bool launched_ = false;
  bool seen_ = false;                ///< its first bytes
  const char* other_language_ = "";  ///< that they are of
  bool failed_ = false;
  bool cut_ = false;
  std::optional<time_point> waiting_since_; ///< for the other end to read
  caf::io::network::stream_impl<wire_policy> stream_;
};

} // namespace depositd::gate
