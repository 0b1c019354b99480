#pragma once

// Commands of protocol V2, from bytes as they come.

#include "adapters/doors/nsq/limits.hpp"
#include "adapters/doors/nsq/refusal.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::nsq {

/// What a connection begins with.
inline constexpr std::string_view protocol_magic = "  V2";

enum class verb : std::uint8_t {
  identify,
  auth,
  sub,
  rdy,
  fin,
  req,
  touch,
  cls,
  nop,
  pub,
  mpub,
  dpub,
};

/// As clients write it.
std::string_view word_of(verb x);

struct command {
  verb what = verb::nop;
  std::string topic;
  std::string channel;
  std::string id_text;             ///< FIN, REQ, TOUCH: as it was sent
  std::uint64_t count = 0;         ///< RDY: messages; REQ, DPUB: milliseconds
  std::vector<std::string> bodies; ///< PUB, DPUB, IDENTIFY, AUTH: one
};

/// What of the connection decides whether a command may come now.
struct command_context {
  bool subscribed = false; ///< or closing
  bool closing = false;    ///< after CLS
  bool heartbeats = true;
  bool needs_tls = false;   ///< and has not begun it
  bool needs_login = false; ///< and has not said AUTH
};

/// Reads one command after the other. After a refusal that is fatal it must
/// not be used any more.
class command_reader {
public:
  static constexpr std::size_t line_bytes_max = 16 * 1024;

  explicit command_reader(const protocol_limits& limits) : limits_(limits) {
    // nop
  }

  enum class step : std::uint8_t {
    more,     ///< all bytes are taken, and no command is complete
    complete, ///< `taken` has one; bytes may be left
    refused,  ///< `why` says it
  };

  /// Takes bytes from the front of `from` until a command is complete. What the
  /// context forbids is refused before the command's body has come.
  step read(std::string_view& from, const command_context& in);

  command take() {
    return std::move(taken_);
  }

  const refusal& why() const {
    return why_;
  }

  /// Memory of the bodies of a command that is not complete, in bytes.
  std::size_t held() const {
    return held_ + taken_.bodies.capacity() * sizeof(std::string);
  }

  /// The command whose body is read.
  verb reading() const {
    return taken_.what;
  }

private:
  enum class part : std::uint8_t {
    line,
    size,         ///< of the body
    body,         ///< of all but MPUB
    count,        ///< of MPUB's messages
    message_size, ///< of MPUB's next
    message,
  };

  step refuse(refusal why);
  step complete();
  /// The next four bytes as a number; false if not all are there.
  bool read_number(std::string_view& from, std::int32_t& out);
  bool read_line(std::string_view& from, std::string_view& out);
  /// Adds to the last body until it has `left_` more bytes.
  bool fill(std::string_view& from);

  step begin(std::string_view line, const command_context& in);
  step take_size(std::int32_t size);
  step take_count(std::int32_t count);
  step take_message_size(std::int32_t size);
  step next_message();

  const protocol_limits& limits_;
  part at_ = part::line;
  std::string line_;   ///< the beginning of one
  std::string number_; ///< the beginning of one
  command taken_;
  refusal why_;
  std::size_t held_ = 0;      ///< memory of the bodies' texts
  std::size_t left_ = 0;      ///< of the body that is read
  std::size_t body_left_ = 0; ///< MPUB: of the whole
  std::int32_t messages_ = 0; ///< MPUB: that are still to come
};

/// What a line says, but for its body; pure. Nothing is refused in the words of
/// a body.
struct line_read {
  command what;
  std::optional<refusal> wrong;
};

line_read read_line(std::string_view line, const command_context& in,
                    const protocol_limits& limits);

} // namespace depositd::nsq
