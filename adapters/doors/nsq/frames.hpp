#pragma once

// What goes out, and how messages are named on the wire.

#include "messages/values/types.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace depositd::nsq {

enum class frame_type : std::uint32_t { response = 0, error = 1, message = 2 };

inline constexpr std::size_t message_id_bytes = 16;

/// What a message's frame has around its body.
inline constexpr std::size_t message_frame_bytes = 4 + 4 + 8 + 2 + 16;

inline constexpr std::string_view heartbeat_text = "_heartbeat_";

/// Appends a whole frame.
void append_frame(std::string& to, frame_type type, std::string_view data);

struct wire_message {
  std::int64_t timestamp_ns = 0; ///< when it was published, since 1970
  std::uint32_t attempts = 0;    ///< 16 bits of it go out, as nsqd's
  item_id id = 0;
  std::string_view body;
};

void append_message(std::string& to, const wire_message& what);

/// 16 hexadecimal digits.
std::string message_id_text(item_id id);

/// Nothing if the text is none that `message_id_text` gives.
std::optional<item_id> read_message_id(std::string_view text);

} // namespace depositd::nsq
