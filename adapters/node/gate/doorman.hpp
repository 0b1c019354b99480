#pragma once

// Takes connections from outside and hands them to CAF's middleman.

#include "adapters/node/gate/port_core.hpp"

#include <caf/io/doorman.hpp>
#include <caf/io/network/acceptor.hpp>
#include <caf/io/network/default_multiplexer.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace depositd::gate {

/// The socket that listens. Without a descriptor for a connection it takes the
/// connection with one that is kept for this, and closes it: else the loop
/// would be told of it for ever. If it can take none at all, as without memory,
/// it is not listened at until the port looks around again.
class listening_socket final : public caf::io::network::acceptor {
public:
  /// `owner` has it as a part.
  listening_socket(caf::io::network::default_multiplexer& loop, int socket,
                   std::shared_ptr<port_core> core, manager_type& owner);
  ~listening_socket() override;

  void handle_event(caf::io::network::operation op) override;

  /// For good, unless it is activated anew.
  void stop();

  /// For the policy of CAF's acceptor.
  bool try_accept(int& result, int fd);

  /// Of the connection that was accepted last.
  const std::string& address() const {
    return address_;
  }

private:
  bool turn_away(int fd);
  void pause(int why);

  void listen_again();

  std::shared_ptr<port_core> core_;
  manager_type& owner_;
  std::shared_ptr<const port_core::again_function> again_; ///< in a pause
  int spare_ = -1;
  std::string address_;
};

class doorman final : public caf::io::doorman {
public:
  doorman(caf::io::network::default_multiplexer& loop, int socket,
          std::shared_ptr<port_core> core);

  bool new_connection() override;
  void graceful_shutdown() override;
  void launch() override;
  std::string addr() const override;
  std::uint16_t port() const override;
  void add_to_loop() override;
  void remove_from_loop() override;

private:
  std::shared_ptr<port_core> core_;
  listening_socket acceptor_;
};

} // namespace depositd::gate
