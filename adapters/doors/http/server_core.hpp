#pragma once

// Inside the server: its instances of libmicrohttpd, and what they call.

#include "adapters/doors/http/exchange.hpp"
#include "adapters/doors/http/io_loop.hpp"
#include "adapters/doors/http/server.hpp"
#include "adapters/doors/kit/address_limit.hpp"

#include <chrono>
#include <cstdarg>
#include <memory>
#include <vector>

#include <gnutls/abstract.h>
#include <microhttpd.h>
#include <sys/socket.h>

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
  /// What an instance's callbacks are given.
  struct worker {
    server_core& core;
    io_loop loop;
  };

  static MHD_Result on_request(void* self, MHD_Connection* handle,
                               const char* url, const char* method,
                               const char* version, const char* data,
                               std::size_t* size, void** slot);
  static void* on_target(void* self, const char* target,
                         MHD_Connection* handle);
  static void on_completed(void* self, MHD_Connection* handle, void** slot,
                           MHD_RequestTerminationCode why);
  static void on_connection(void* self, MHD_Connection* handle, void** slot,
                            MHD_ConnectionNotificationCode what);
  static std::size_t keep_escapes(void*, MHD_Connection*, char* text);
  static MHD_Result on_arrival(void* self, const sockaddr* from, socklen_t);
  static int on_handshake(gnutls_session_t session, const gnutls_datum_t*, int,
                          const gnutls_pk_algorithm_t*, int,
                          gnutls_pcert_st** chain, unsigned* length,
                          gnutls_privkey_t* key);
  static void on_log_line(void* self, const char* format, va_list);

  MHD_Daemon* make_daemon(worker& for_whom);
  caf::error start_worker();
  std::uint32_t silent_max() const;
  void open(MHD_Connection* handle, io_loop& loop, void** slot);
  void close(connection& x);
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
  kit::address_limit addresses_;      ///< outlives the workers' connections
  std::unique_ptr<kit::loop> labour_; ///< outlives the workers
  std::vector<std::unique_ptr<worker>> workers_;
};

} // namespace depositd::http
