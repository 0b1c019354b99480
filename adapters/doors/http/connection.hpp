#pragma once

// Inside the server: what is known of a socket, and how far its request is.

#include "adapters/doors/kit/address_limit.hpp"
#include "adapters/doors/kit/deadlines.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace depositd::http {

class certificate;
class exchange;
class io_loop;
struct exchange_context;

/// What a connection is doing; each has a time limit of its own.
enum class phase : std::uint8_t {
  idle,      ///< waits for a request line
  receiving, ///< the rest of a request comes in
  answering, ///< a handler or gate has it
  sending,   ///< the answer goes out
  doomed,    ///< ended by the server, waits to be closed
};

/// One socket. Lives from its acceptance until the library closes it, in the
/// thread of its loop.
struct connection : kit::timed {
  connection(exchange_context& x, io_loop& y) : context(x), loop(y) {
    // nop
  }

  /// Goes on to a phase, unless the connection is doomed.
  bool enter(phase what, kit::loop::time until) {
    if (doing == phase::doomed)
      return false;
    // What follows a request line is the rest of a request's head.
    if (doing != phase::idle && what != phase::idle)
      made_request();
    doing = what;
    deadline = until;
    return true;
  }

  void expire() override;

  /// It is none of those that are silent.
  void made_request();

  exchange_context& context;
  io_loop& loop;
  std::uint64_t number = 0; ///< among those of its loop
  int socket = -1;
  std::string peer;
  kit::address_limit::place place;          ///< among those of its address
  std::shared_ptr<const certificate> shown; ///< in its handshake
  bool secure = false;
  bool counted = true;     ///< takes one of the server's places
  bool over_limit = false; ///< answers 503 and ends
  bool lingers = false;    ///< refused early: its bytes are read to the end
  /// In which look of its loop the answer to a body in chunks was out.
  std::uint64_t answered_chunks = 0;
  phase doing = phase::idle;
  std::shared_ptr<exchange> current;
};

} // namespace depositd::http
