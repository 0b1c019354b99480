#pragma once

// An HTTP/1.1 server: I/O threads that parse requests and call a router's
// handlers, which answer when they can.

#include "adapters/doors/http/answer_counts.hpp"
#include "adapters/doors/http/router.hpp"
#include "adapters/doors/kit/actor_loop.hpp"
#include "adapters/doors/kit/addresses.hpp"
#include "adapters/doors/kit/listen.hpp"
#include "adapters/doors/kit/tls.hpp"
#include "messages/values/endpoint.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/memory_budget.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace depositd::http {

/// What a server is told at its start.
struct server_options {
  endpoint listen{"127.0.0.1", 0}; ///< port 0 takes a free one
  kit::tls_files tls;
  kit::address_list trusted_proxies; ///< whose X-Forwarded-For is believed
  std::uint32_t io_threads = 2;
  kit::loop_source loops; ///< one for each I/O thread
  std::uint32_t connections_max = 4096; ///< less if few files may be open
  /// Of an IPv4 address, or of a network of IPv6 (/64); 0: no limit.
  std::uint32_t connections_per_address_max = 0;
  std::size_t header_bytes_max = 16 * 1024; ///< request line included
  std::uint32_t headers_max = 100;
  std::size_t body_bytes_max = 1024 * 1024; ///< unless a route says
  /// All that is held of requests and answers counts here; null: the server has
  /// a budget of its own, of so many bytes.
  std::shared_ptr<memory_budget> memory;
  std::size_t bodies_bytes_max = 512 * 1024 * 1024;
  std::chrono::milliseconds idle_limit{60'000};    ///< until the request line
  std::chrono::milliseconds receive_limit{30'000}; ///< the rest of a request
  std::uint32_t receive_rate_min = 8 * 1024; ///< bytes/s that extend the limit
  std::chrono::milliseconds answer_limit{60'000}; ///< then 504
  std::chrono::milliseconds send_limit{30'000};   ///< extended like receiving
  /// Called by every I/O thread after each look at its sockets; may be null.
  std::function<void()> after_round;
  /// How what the server refuses by itself (a path or method that is not known,
  /// a body that is too large) is said, from the status and a sentence, and the
  /// request as far as it was read. Null: the sentence.
  std::function<response(const request&, unsigned, const std::string&)> refuse;
};

/// What a server counts; all since its start but for the first.
struct server_numbers {
  std::uint64_t connections = 0; ///< open now
  std::uint64_t accepted = 0;
  std::uint64_t requests = 0;
  std::uint64_t refused = 0; ///< answered 503 by the server itself
  std::uint64_t expired = 0; ///< ended by one of the time limits
  struct answers {
    std::string route; ///< method and pattern, or "(none)"
    std::vector<std::pair<unsigned, std::uint64_t>> by_status;
  };
  std::vector<answers> by_route; ///< of which there are any
  answer_times times;
};

/// Listens from `start` until `stop`.
class server {
public:
  /// `ec::bad_setting` with one clear line if the address cannot be listened
  /// at or the certificate cannot be used.
  static caf::expected<std::unique_ptr<server>> start(server_options options,
                                                      router routes);

  virtual ~server() = default;

  /// The port that is listened at.
  std::uint16_t port() const {
    return where_.port;
  }

  /// host:port with the actual port, IPv6 hosts in brackets.
  const std::string& address() const {
    return where_.address;
  }

  virtual server_numbers numbers() const = 0;

  /// Reads the certificate and its key again, for handshakes that begin from
  /// now on. `ec::bad_setting` if they do not fit together; then it goes on
  /// with those it has. Any thread.
  virtual caf::error reload() = 0;

  /// Takes no new connections and requests; those in work may end within the
  /// time, then they are answered 503. Returns when no thread runs any more.
  virtual void stop(std::chrono::milliseconds within) = 0;

  /// The same, with as much time as a door needs.
  void stop() {
    stop(std::chrono::seconds{5});
  }

protected:
  kit::listener where_;
};

} // namespace depositd::http
