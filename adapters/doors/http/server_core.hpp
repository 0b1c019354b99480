#pragma once

// Inside the server: its loops, and who gets a place in them.

#include "adapters/doors/http/exchange.hpp"
#include "adapters/doors/http/io_loop.hpp"
#include "adapters/doors/http/server.hpp"
#include "adapters/doors/kit/address_limit.hpp"

#include <chrono>
#include <memory>
#include <vector>

struct sockaddr;

namespace depositd::http {

class server_core : public server {
public:
  server_core(server_options options, router routes);
  ~server_core() override;

  caf::error listen();
  caf::error reload() override;
  void stop(std::chrono::milliseconds within) override;
  server_numbers numbers() const override;

private:
  caf::error start_loop();
  std::uint32_t silent_max() const;
  void arrive(io_loop& loop, int socket, const sockaddr* from);
  connection* take_in(io_loop& loop, int& socket, const sockaddr* from);
  void admit(io_loop& loop, connection& x);
  void vacate(connection& x);
  void close_answers(std::chrono::steady_clock::time_point until);
  void answer_all_unavailable();
  void end_streams();
  bool busy();

  const server_options& options() const {
    return context_->options;
  }

  std::shared_ptr<exchange_context> context_;
  kit::connection_limit connections_;
  kit::address_limit addresses_;      ///< outlives the connections
  std::unique_ptr<kit::loop> labour_; ///< outlives the loops
  std::vector<std::unique_ptr<io_loop>> loops_;
};

} // namespace depositd::http
