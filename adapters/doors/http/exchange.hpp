#pragma once

// Inside the server: one request on its way to one answer. The I/O thread that
// owns the connection moves it on; whoever answers does so from any thread.

#include "adapters/doors/http/answer_counts.hpp"
#include "adapters/doors/http/certificate.hpp"
#include "adapters/doors/http/responder.hpp"
#include "adapters/doors/http/router.hpp"
#include "adapters/doors/http/server.hpp"
#include "adapters/doors/kit/loop.hpp"
#include "messages/values/memory_budget.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include <sys/types.h>

struct MHD_Connection;

namespace depositd::http {

struct connection;

/// What all connections of a server share. Answers that come too late hold on
/// to it, so it may outlive the server.
struct exchange_context {
  server_options options;
  router routes;
  certificate_in_use certificates;
  kit::loop* labour = nullptr;       ///< for what would hold up the I/O threads
  std::atomic<bool> stopping{false}; ///< new requests are answered 503
  std::atomic<bool> stopped{false};  ///< nothing may be suspended any more
  std::atomic<std::uint64_t> suspended{0};
  std::shared_ptr<memory_budget> memory; ///< for all requests
  /// For long answers that may be put off: who does not read them must leave
  /// memory to what comes in.
  std::shared_ptr<memory_budget> long_answers;
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> expired{0};
  answer_counts answered;
  status_counts unrouted; ///< answers to what no route is for
};

class exchange : public answer_sink,
                 public std::enable_shared_from_this<exchange> {
public:
  exchange(std::shared_ptr<exchange_context> context, connection& at,
           MHD_Connection* handle, std::string target);
  ~exchange() override;

  // -- on the I/O thread

  /// What the library's handler callback asks: goes on as far as possible.
  /// False closes the connection.
  bool step(const char* method, const char* version, const char* data,
            std::size_t& size);

  /// Its request line has come. Refuses what the library would only hang up on,
  /// and what may not be read as a request.
  void begin();

  /// The library is about to refuse the body's length of some request, with two
  /// heads in one answer. Says it with one, and that nothing more may be sent.
  /// False: it is not this request.
  bool refuse_length();

  /// The same of cookies for which it has no memory.
  bool refuse_cookies();

  bool is_chunked() const {
    return chunked_;
  }

  /// The library has finished with the request.
  void detach();

  /// The time to answer is over.
  void expire();

  /// A body that goes on ends: the server stops.
  void end_stream();

  /// Answered or not, nobody can now.
  void answer_unavailable();

  // -- on any thread

  bool answer(response what) override;
  void pass() override;
  bool hold(std::uint64_t bytes) override;
  bool over() override;

  /// There was no memory for what was to be done: says so, if that can be said.
  /// On the I/O thread false closes the connection.
  bool give_up() noexcept;

private:
  enum class stage : std::uint8_t {
    head,
    gating,
    body,
    preparing,
    handling,
    queued
  };

  bool read_head(const char* method, const char* version);
  bool open_gate();
  bool receive(const char* data, std::size_t& size);
  bool dispatch();
  void prepare();
  void handle();
  bool settle();
  bool queue();
  void count(const response& what);
  bool queue_open_body(bool close);
  ssize_t read_stream(char* to, std::size_t bytes_max);
  bool queue_in_parts(bool close);
  ssize_t read_part(std::uint64_t at, char* to, std::size_t bytes_max);
  bool is_put_off(const response& what);
  bool look_again();
  void suspend();
  void wake();
  response unavailable_as(const std::string& text) const;
  response no_memory_left() const;
  response stopped_response() const;
  response out_of_memory(std::uint64_t needed) const;
  bool refuse_now(const response& what);
  void refuse_at_once(const response& what);
  response refused_as(unsigned status, const std::string& text) const;
  std::optional<response> check_framing(const char* method,
                                        const char* version);
  std::optional<response> check_body_headers(bool knows_chunks);
  std::string client() const;
  void set_body_limit();
  std::optional<response> unpack();
  bool append(const char* data, std::size_t size);
  bool hold_copies();
  std::uint64_t expected_bytes() const;
  std::uint64_t bytes_needed(std::uint64_t bytes) const;
  void begin_answering();
  void resume();

  const std::shared_ptr<exchange_context> context_;
  connection& at_; ///< gone once detached
  std::string target_;
  request request_;
  const route* route_ = nullptr;
  stage stage_ = stage::head;
  std::size_t body_bytes_max_ = 0;
  std::uint64_t received_ = 0;      ///< bytes of the body
  held_memory held_;                ///< for the body and what is made of it
  std::uint64_t held_for_body_ = 0; ///< of it
  kit::loop::time begun_;
  bool chunked_ = false;
  bool has_body_ = false;
  bool suspended_before_ = false;
  bool looked_again_ = false;
  bool refused_ = false; ///< at once: the library must close the connection

  std::mutex guard_; ///< of what follows
  MHD_Connection* handle_;
  bool answered_ = false;
  bool passed_ = false;
  bool suspended_ = false;
  response answer_;         ///< stays put once `answered_`
  held_memory answer_held_; ///< for it, and for what the handler asks
  std::optional<held_memory> long_held_; ///< of those that may be put off
};

/// The limit is extended as bytes go over.
inline kit::loop::time after(kit::loop::time from,
                             std::chrono::milliseconds limit,
                             std::uint64_t bytes, std::uint32_t rate) {
  return from + limit
         + std::chrono::milliseconds{bytes * 1000 / std::max(rate, 1u)};
}

} // namespace depositd::http
