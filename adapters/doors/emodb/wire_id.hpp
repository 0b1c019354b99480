#pragma once

// Message ids as clients see them: 40 hexadecimal digits, of which 16 are the
// item's id, 8 its user's digest, and 16 a checksum over both and the queue's
// name, so that an id of another queue is told from one of this.

#include "messages/receiving.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace depositd::emodb {

inline constexpr std::size_t wire_id_size = 40;

/// `queue` is the core's name of the queue.
void append_wire_id(std::string& out, const item_name& name,
                    std::string_view queue);

/// The beginning of a message in an array that begins with the first byte of
/// `out`; the payload and a brace are to follow.
void begin_message(std::string& out, const item_name& name,
                   std::string_view queue);

enum class id_fault : std::uint8_t {
  none,
  malformed, ///< not 40 hexadecimal digits
  foreign,   ///< of another queue, or never given out
};

id_fault read_wire_id(std::string_view text, std::string_view queue,
                      item_name& out);

} // namespace depositd::emodb
