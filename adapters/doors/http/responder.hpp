#pragma once

// The promise to answer one request, kept from any thread.

#include "adapters/doors/http/message.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace depositd::http {

/// Where an answer goes. Implemented by the server.
class answer_sink {
public:
  virtual ~answer_sink() = default;

  /// Takes the answer unless there is one already or the client is gone.
  virtual bool answer(response what) = 0;

  /// Goes on with the request: its gate is passed.
  virtual void pass() = 0;

  /// Counts more bytes as held by the request until it ends. False: there is no
  /// room for them, and the request should be refused.
  virtual bool hold(std::uint64_t bytes) = 0;

  /// Nobody waits for the answer any more, or nobody should: the client has
  /// hung up, or the server stops.
  virtual bool over() {
    return false;
  }
};

/// Answers one request, once, from any thread. Dropped without an answer, it
/// says 500. The server may have answered before (504 after the route's time
/// limit, 503 when it stops): what comes later is ignored.
class responder {
public:
  explicit responder(std::shared_ptr<answer_sink> to) : to_(std::move(to)) {
    // nop
  }

  responder(responder&&) noexcept = default;
  responder& operator=(responder&& other) noexcept;
  ~responder();

  /// Whether the answer was taken.
  bool send(response what);

  /// Counts what is made of the request and lives as long as it does, beside
  /// copies of its body; for the handler. False: there is no room.
  bool hold(std::uint64_t bytes) {
    return !to_ || to_->hold(bytes);
  }

  /// Keeps all that the request holds, beyond its answer too: for what is made
  /// of it and may live longer. Before it is answered.
  std::shared_ptr<const void> keep() const {
    return to_;
  }

  /// Whether it makes no sense to wait for a better answer. Asks the socket.
  bool over() const {
    return !to_ || to_->over();
  }

protected:
  std::shared_ptr<answer_sink> to_;
};

/// Decides, once and from any thread, whether a request whose head has arrived
/// may send its body.
class gatekeeper : private responder {
public:
  using responder::responder;

  /// Lets the body come; the route's handler is called after it.
  void pass();

  /// Answers at once; the body is not read and the connection ends.
  bool refuse(response what) {
    return send(std::move(what));
  }
};

} // namespace depositd::http
