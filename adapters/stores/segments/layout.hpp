#pragma once

// What is in a segment file. Little endian, everything on pages of 4 KiB:
//
//   page 0      segment_header
//   page 1...   groups, each on pages of its own:
//               group_header | base watermarks | own watermarks | payload | 0s
//
// A group has pages of its own so that no later write touches the sectors of
// one that was acknowledged. Every segment, also one in a recycled file, has a
// random nonce that goes into all its checksums and is nowhere else: bytes of
// the file's earlier life, or bytes that a depositor made up, never pass.

#include "messages/ports/journal_store.hpp"
#include "messages/values/errors.hpp"

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace depositd::segments {

static_assert(std::endian::native == std::endian::little,
              "the layout is that of little endian machines");

inline constexpr std::uint64_t page_bytes = 4096;
inline constexpr std::uint32_t format_now = 1;

/// Keeps every offset in a segment inside 32 bits, also beside a full one.
inline constexpr std::uint64_t group_bytes_max = 1ULL << 30;
inline constexpr std::uint64_t segment_bytes_max = 2ULL << 30;

/// The least that holds a header and a group.
inline constexpr std::uint64_t segment_bytes_min = 2 * page_bytes;

constexpr std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// `body_location::group` of a payload that begins at this byte of a segment.
constexpr std::uint64_t group_number(std::uint64_t segment,
                                     std::uint64_t offset) {
  return segment << 32 | offset;
}

/// CRC32C of the bytes, going on from an earlier part's.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

// -- segment header -----------------------------------------------------------

/// What is on the first page of a segment file.
struct segment_header {
  std::uint32_t format = format_now;
  std::uint32_t shard = 0;
  std::uint64_t number = 0;   ///< 1, 2, ... in the order of the log
  std::uint64_t capacity = 0; ///< bytes of the file that may hold groups
  std::uint64_t nonce = 0;    ///< random, never the same twice
};

/// One page.
std::string encode(const segment_header& header);

/// `ec::store_damaged` or, for a later format, `ec::store_failed`; the text
/// lacks the name of the file. The format number and the checksum stay where
/// they are in all formats.
caf::expected<segment_header> decode_segment_header(std::string_view page);

// -- groups -------------------------------------------------------------------

/// What is in front of every group.
struct group_header {
  std::uint32_t magic = 0;
  std::uint32_t header_crc = 0; ///< of what follows, watermarks included
  std::uint32_t payload_crc = 0;
  std::uint32_t payload_bytes = 0;
  std::uint32_t base_bytes = 0; ///< watermarks before this segment
  std::uint32_t own_bytes = 0;  ///< watermarks of this group
  std::uint32_t events = 0;
  std::uint32_t zero = 0;
  std::uint64_t first = 0; ///< sequence of the first event
  std::uint64_t epoch = 0;
  std::uint64_t segment = 0;
  std::uint64_t offset = 0; ///< of this header in the file

  sequence last() const {
    return first + events - 1;
  }

  /// Bytes in front of the payload.
  std::uint64_t front_bytes() const {
    return sizeof(group_header) + std::uint64_t{base_bytes} + own_bytes;
  }

  std::uint64_t payload_at() const {
    return offset + front_bytes();
  }

  /// Where the next group is.
  std::uint64_t end() const {
    return offset + whole_pages(front_bytes() + payload_bytes);
  }
};

static_assert(sizeof(group_header) == 64);

/// Writes the header, with its checksums, over the first bytes of `front`,
/// which has the watermarks behind it already.
void seal(std::string& front, group_header header, std::string_view payload,
          std::uint64_t nonce);

/// The header at the beginning of the bytes if it says that it belongs there;
/// what follows it is not looked at. False for anything else.
bool decode_group_header(std::string_view bytes, const segment_header& segment,
                         std::uint64_t offset, group_header& into);

/// Whether the header and its watermarks (`front`) match their checksum.
bool front_matches(std::string_view front, const segment_header& segment);

bool payload_matches(const group_header& header, std::string_view payload,
                     const segment_header& segment);

// -- watermarks ---------------------------------------------------------------

using watermark_map = std::map<std::string, std::int64_t, std::less<>>;

void append_watermark(std::string& to, std::string_view partition,
                      std::int64_t offset);

/// Only for bytes that passed their checksum.
std::vector<watermark> decode_watermarks(std::string_view bytes);

} // namespace depositd::segments
