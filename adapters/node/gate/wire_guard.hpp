#pragma once

// What one connection may say, by what CAF's wire protocol (BASP) says it is.
// Looks at each header and each payload before CAF does.

#include "adapters/node/gate/peer_table.hpp"

#include <caf/actor_system.hpp>
#include <caf/io/basp/header.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace depositd::gate {

/// More than any message of ours: 10,000 items of an ordinary size.
inline constexpr std::uint32_t payload_bytes_max = 64u << 20;

enum class wire_side : unsigned char { accepted, connecting };

enum class wire_verdict : unsigned char {
  pass, ///< CAF gets it
  skip, ///< read, and given to nobody
  mute, ///< as all that comes after it
  close,
};

struct wire_options {
  caf::actor_system* system = nullptr;
  peer_table* peers = nullptr;
  peer_table::connection connection = 0; ///< its key in the table
  wire_side side = wire_side::accepted;
  /// Who is there; asked once, at the handshake.
  std::function<peer()> identify;
  /// The handshake is done; false: there are too many.
  std::function<bool()> finished = [] { return true; };
  /// The actor that anybody may address.
  std::function<caf::actor_id()> published = [] { return caf::actor_id{0}; };
};

/// One thread.
class wire_guard {
public:
  using header = caf::io::basp::header;

  explicit wire_guard(wire_options options);

  /// 32 bytes.
  wire_verdict see_header(const char* bytes, std::size_t size);

  /// What the last header announced, if it was not skipped.
  wire_verdict see_payload(const char* bytes, std::size_t size);

  /// Bytes of payload that the last header announces.
  std::uint32_t announced() const {
    return header_.payload_len;
  }

  bool open() const {
    return open_;
  }

  /// Whether it was trusted and is not any more.
  bool is_dismissed() const;

  /// Why the last verdict was not `pass`.
  const char* reason() const {
    return reason_;
  }

private:
  wire_verdict judge(wire_verdict verdict, const char* reason);
  wire_verdict judge_hello_header();
  wire_verdict judge_message_header(const peer& from);
  wire_verdict see_hello(const char* bytes, std::size_t size);
  wire_verdict see_direct(const char* bytes, std::size_t size);
  wire_verdict see_routed(const char* bytes, std::size_t size);
  wire_verdict see_about_actor(const char* bytes, std::size_t size);
  bool speaks_ours(caf::binary_deserializer& in);
  bool may_address(const peer& from) const;
  bool is_trusted();

  wire_options options_;
  header header_{};
  caf::node_id node_;
  peer who_;
  bool open_ = false;
  bool trusted_ = false; ///< might forward, when it was asked first
  std::string foreign_; ///< what it speaks instead
  const char* reason_ = "";
};

} // namespace depositd::gate
