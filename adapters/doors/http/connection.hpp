#pragma once

// Inside the server: one client, from its arrival to its end, in the thread of
// its loop. Requests are read one at a time; the next is not looked at until
// the one before is answered.

#include "adapters/doors/http/request_parser.hpp"
#include "adapters/doors/kit/address_limit.hpp"
#include "adapters/doors/kit/deadlines.hpp"
#include "adapters/doors/kit/wire.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace depositd::http {

class exchange;
class io_loop;
struct exchange_context;

/// What a connection is doing; each has a time limit of its own.
enum class phase : std::uint8_t {
  idle,      ///< waits for a request line
  receiving, ///< the rest of a request comes in
  answering, ///< a handler or gate has it
  sending,   ///< the answer goes out
  doomed,    ///< ended, waits to be closed
};

class connection : public kit::timed, private body_taker {
public:
  /// The socket is the connection's from now on.
  connection(std::shared_ptr<exchange_context> x, io_loop& y, int socket,
             std::string from);
  ~connection() override;

  /// Begins to listen to the client, through TLS if there is a context.
  void start(std::shared_ptr<kit::tls_context> tls);

  /// Goes on to a phase, unless the connection is doomed.
  bool enter(phase what, kit::loop::time until);

  /// What it waited for is decided, or there is more to send.
  void go_on();

  void expire() override;

  /// Ends it if others want the memory of what has come or is to go, and it has
  /// had its time. Asked now and then.
  void make_room();

  /// Ends soon, in this look of the loop.
  void end();

  /// Before it is destroyed: says so, and stops to look at the socket.
  void close();

  int socket() const {
    return wire_.socket();
  }

  const std::shared_ptr<exchange_context> context;
  io_loop& loop;
  std::uint64_t number = 0; ///< among those of its loop
  const std::string peer;
  kit::address_limit::place place; ///< among those of its address
  bool secure = false;
  bool counted = false;    ///< takes one of the server's places
  bool over_limit = false; ///< answers 503 and ends
  bool lingers = false;    ///< refused early: its bytes are read to the end
  phase doing = phase::idle;
  std::shared_ptr<exchange> current;

private:
  enum class activity : std::uint8_t { reading, deciding, sending };

  bool take(std::string_view piece) override;
  template <class F>
  void or_end(F what) noexcept;
  void ready();
  bool step();
  bool give_up() noexcept;
  void follow();
  void watch(std::optional<kit::interest> wanted);

  bool read_on();
  void begin_request();
  void found_head();
  bool decide();
  void let_body_come();

  void begin_sending();
  bool send_on();
  bool pull();
  bool sends_much() const;
  void extend_sending();
  bool finish();

  kit::wire wire_;
  request_parser parser_;
  activity activity_ = activity::reading;
  std::optional<kit::interest> watched_;
  bool to_write_ = false; ///< the socket has not taken all, or others wait
  bool head_read_ = false;
  bool is_1_1_ = true;
  bool expects_continue_ = false;
  bool closes_ = false; ///< after the answer
  bool chunked_ = false;
  bool streams_ = false;    ///< there may be more of the body
  std::string_view body_;   ///< of the answer, what has not been taken of it
  std::uint64_t taken_ = 0; ///< of it
  kit::loop::time began_sending_;
};

} // namespace depositd::http
