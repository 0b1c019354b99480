#pragma once

// Inside the server: one request on its way to one answer. The I/O thread that
// owns the connection moves it on; whoever answers does so from any thread.

#include "adapters/doors/http/answer_counts.hpp"
#include "adapters/doors/http/request_parser.hpp"
#include "adapters/doors/http/responder.hpp"
#include "adapters/doors/http/router.hpp"
#include "adapters/doors/http/server.hpp"
#include "adapters/doors/kit/loop.hpp"
#include "adapters/doors/kit/tls_layer.hpp"
#include "messages/values/memory_budget.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace depositd::http {

class connection;

/// What all connections of a server share. Answers that come too late hold on
/// to it, so it may outlive the server.
struct exchange_context {
  server_options options;
  router routes;
  kit::tls_in_use tls;
  kit::loop* labour = nullptr;       ///< for what would hold up the I/O threads
  std::atomic<bool> stopping{false}; ///< new requests are answered 503
  std::atomic<bool> stopped{false};  ///< nobody may wait any more
  std::shared_ptr<memory_budget> memory; ///< for all requests
  /// For long answers that may be put off: who does not read them must leave
  /// memory to what comes in.
  std::shared_ptr<memory_budget> long_answers;
  /// Until then there is none for somebody.
  std::atomic<kit::loop::time> memory_short_until{kit::loop::time::min()};
  /// The same of `long_answers`.
  std::atomic<kit::loop::time> long_short_until{kit::loop::time::min()};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> expired{0};
  answer_counts answered;
  status_counts unrouted; ///< answers to what no route is for
};

/// So long others make room for who was refused for want of memory.
constexpr std::chrono::seconds short_of_memory{1};

/// An answer that is longer is kept for as long as it is read.
constexpr std::size_t long_answer_bytes = 256 * 1024;

class exchange : public answer_sink,
                 public std::enable_shared_from_this<exchange> {
public:
  /// A request line has come.
  exchange(std::shared_ptr<exchange_context> context, connection& at);
  ~exchange() override;

  // -- on the I/O thread

  /// What the request says of itself, as far as it came. Moves from it.
  void begin(request_head& head);

  /// All of that has come.
  void read_head(bool is_1_1);

  /// Takes a piece of the body. False: it is refused.
  bool receive(std::string_view piece);

  /// All of it has come.
  void body_is_complete();

  /// Whether it would make room: it holds much, and has had the time that every
  /// request has.
  bool holds_up(kit::loop::time now) const;

  /// It cannot be read to its end: says so, and that nothing more may be sent.
  void refuse(const request_parser::fault& why);

  enum class verdict : std::uint8_t {
    wait, ///< the connection is told when it may ask again
    read, ///< the body may come
    send, ///< the answer
    end,
  };

  /// Goes on as far as possible.
  verdict decide();

  // Once it is to be sent:

  const response& answered_with() const {
    return answer_;
  }

  bool closes() const {
    return closes_;
  }

  bool wants_head_only() const {
    return request_is_head_;
  }

  /// Some of a body that goes on. 0: none is there yet, and the connection is
  /// told when there is. Nothing at the end.
  std::optional<std::size_t> take_part(char* to, std::size_t bytes_max);

  /// The request is over.
  void detach();

  /// The time to answer is over.
  void expire();

  /// A body that goes on ends: the server stops.
  void end_stream();

  /// Answered or not, nobody can now.
  void answer_unavailable();

  /// What it was told, in the thread of its connection.
  void resume();

  /// There was no memory for what was to be done: says so, if that can be said.
  bool give_up() noexcept;

  // -- on any thread

  bool answer(response what) override;
  void pass() override;
  bool hold(std::uint64_t bytes) override;
  bool over() override;

private:
  enum class stage : std::uint8_t {
    head,
    gating,
    body,
    preparing,
    handling,
    queued
  };

  std::optional<response> refusal_of_head(bool is_1_1);
  std::optional<response> find_route();
  void open_gate();
  void prepare();
  void handle();
  verdict queue();
  void count(const response& what);
  bool is_put_off(const response& what);
  void attach_stream();
  void wake();
  response unavailable_as(const hindrance& why) const;
  response no_memory_left() const;
  response stopped_response() const;
  response out_of_memory(std::uint64_t needed) const;
  bool refuse_body(response what);
  response refused_as(unsigned status, const std::string& text) const;
  std::optional<response> check_framing(bool is_1_1);
  std::optional<response> check_body_headers(bool knows_chunks);
  std::string client() const;
  void set_body_limit();
  std::optional<response> unpack();
  void end_labour();
  bool append(std::string_view piece);
  bool hold_copies();
  std::uint64_t expected_bytes() const;
  std::uint64_t bytes_needed(std::uint64_t bytes) const;
  void begin_answering();
  void tell();

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
  bool request_is_head_ = false;
  bool closes_ = false;

  std::mutex guard_; ///< of what follows
  bool attached_ = true;
  bool answered_ = false;
  bool passed_ = false;
  bool waits_ = false;      ///< the connection is to be told
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
