#pragma once

// What a client says of itself, and what it gets of what it asks for.

#include "adapters/doors/nsq/limits.hpp"
#include "adapters/doors/nsq/refusal.hpp"
#include "messages/values/errors.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace depositd::nsq {

/// What holds for a connection. The defaults are those of one that never
/// identifies itself.
struct terms {
  using ms = std::chrono::milliseconds;

  explicit terms(const protocol_limits& limits)
    : heartbeat(limits.heartbeat), output_buffer(limits.output_buffer),
      output_timeout(limits.output_timeout), msg_timeout(limits.msg_timeout) {
    // nop
  }

  std::string client_id;
  std::string hostname;
  std::string user_agent;
  ms heartbeat;                ///< 0: none
  std::uint32_t output_buffer; ///< bytes; 1: every message goes out at once
  ms output_timeout;           ///< 0: only a full buffer goes out
  /// The client has asked for a time: messages may wait for it.
  bool waits_for_more = false;
  ms msg_timeout;
  std::uint32_t sample_rate = 0; ///< percent; 0: all
};

/// What the server can do beyond its limits.
struct server_facts {
  bool tls = false;
  bool auth_required = false;
};

/// The answer to IDENTIFY.
struct negotiated {
  std::optional<refusal> wrong; ///< then nothing else counts
  std::string answer = "OK";
  bool tls = false;
  bool snappy = false;
  bool deflate = false;
  int deflate_level = 6;
};

/// Reads the document and changes the terms; pure.
negotiated identify(std::string_view document, const protocol_limits& limits,
                    const server_facts& server, terms& to);

} // namespace depositd::nsq
