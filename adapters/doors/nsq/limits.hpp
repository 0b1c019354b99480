#pragma once

// What a client may ask for, as nsqd's own options and with their defaults.

#include <chrono>
#include <cstdint>

namespace depositd::nsq {

struct protocol_limits {
  using ms = std::chrono::milliseconds;

  std::uint32_t message_bytes_max = 1 << 20;
  std::uint32_t body_bytes_max = 5 << 20; ///< of MPUB
  /// Messages of one MPUB, each of which takes some hundred bytes on its way,
  /// however small it is.
  std::uint32_t mpub_messages_max = 200'000;
  /// Of IDENTIFY and AUTH, which strangers may send; never more than the above.
  std::uint32_t document_bytes_max = 64 << 10;
  std::uint32_t rdy_max = 2'500;
  ms msg_timeout{60'000};        ///< unless the client wants another
  ms msg_timeout_max{900'000};   ///< counted from the delivery
  ms req_timeout_max{3'600'000}; ///< of REQ and DPUB
  ms heartbeat{30'000};          ///< unless the client wants another
  ms heartbeat_max{60'000};
  std::uint32_t output_buffer = 16 * 1024; ///< bytes
  std::uint32_t output_buffer_max = 64 * 1024;
  ms output_timeout{250};
  ms output_timeout_min{25};
  ms output_timeout_max{30'000};
  bool snappy = true;
  bool deflate = true;
  int deflate_level_max = 6;
  std::uint32_t channel_consumers_max = 0; ///< of one channel; 0: no limit

  friend bool operator==(const protocol_limits&,
                         const protocol_limits&) = default;
};

} // namespace depositd::nsq
