#pragma once

// The journal's byte form of records: pure functions, no I/O. Integers are
// LEB128 (signed ones zigzag), strings length first. A record is
//   format (1 byte) | user | number of events | events
// and an event its kind (index in `event`, 1 byte), its fields in the order of
// `inspect`, and, where it has one, its body last.

#include "messages/values/errors.hpp"
#include "messages/values/events.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace depositd {

/// Where `encode` put a body, counted from the start of the output string.
struct body_slot {
  item_id id = 0;
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

/// Appends the bytes of one record. Adds a slot for every body that has bytes
/// of its own. Offsets count from the start of `out`.
void encode(const record& x, std::string& out, std::vector<body_slot>& slots);

/// Appends the bytes of one event, as in a record; for control rows.
void encode(const event& x, std::string& out);

/// Reads one event as written by `encode(event)`.
caf::expected<event> decode_event(std::string_view bytes);

/// Whether decoded events carry their bodies or only the place of them.
enum class bodies : std::uint8_t { skipped, copied };

/// Walks over the records of a group one by one.
class record_reader {
public:
  /// `group` is the number that the journal gave the group; body places are
  /// made of it and offsets into `bytes`. `bytes` must outlive the reader.
  record_reader(std::string_view bytes, std::uint64_t group, bodies how);

  bool at_end() const noexcept;

  /// Decodes the next record into `out`, reusing its memory.
  /// `ec::store_damaged` if the bytes are not a record.
  caf::error next(record& out);

private:
  std::string_view bytes_;
  std::size_t position_ = 0;
  std::uint64_t group_;
  bodies how_;
};

} // namespace depositd
