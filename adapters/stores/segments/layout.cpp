#include "adapters/stores/segments/layout.hpp"

#include <cassert>
#include <cstring>

#include <isa-l/crc.h>

namespace depositd::segments {

namespace {

constexpr char segment_magic[8] = {'d', 'e', 'p', 'o', 's', 'i', 't', 'J'};
constexpr std::uint32_t group_magic = 0x50524744; // "DGRP"

/// As it is in the file.
struct raw_segment_header {
  char magic[8];
  std::uint32_t format;
  std::uint32_t crc; // of the page with 0 here
  std::uint32_t shard;
  std::uint32_t zero;
  std::uint64_t number;
  std::uint64_t capacity;
  std::uint64_t nonce;
};

static_assert(sizeof(raw_segment_header) == 48);

std::string_view bytes_of(const auto& x) {
  return {reinterpret_cast<const char*>(&x), sizeof(x)};
}

/// The part of a group's front that `header_crc` covers.
std::string_view covered(std::string_view front) {
  return front.substr(offsetof(group_header, payload_crc));
}

} // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
  auto crc = ~before;
  while (!bytes.empty()) {
    const auto part = bytes.substr(0, 1 << 30);
    // The library reads only; its signature says otherwise.
    auto* data =
      reinterpret_cast<unsigned char*>(const_cast<char*>(part.data()));
    crc = ::crc32_iscsi(data, static_cast<int>(part.size()), crc);
    bytes.remove_prefix(part.size());
  }
  return ~crc;
}

std::string encode(const segment_header& header) {
  raw_segment_header raw{};
  std::memcpy(raw.magic, segment_magic, sizeof(raw.magic));
  raw.format = header.format;
  raw.shard = header.shard;
  raw.number = header.number;
  raw.capacity = header.capacity;
  raw.nonce = header.nonce;
  std::string page(page_bytes, '\0');
  std::memcpy(page.data(), &raw, sizeof(raw));
  raw.crc = crc32c(page);
  std::memcpy(page.data(), &raw, sizeof(raw));
  return page;
}

caf::expected<segment_header> decode_segment_header(std::string_view page) {
  raw_segment_header raw{};
  std::string copy{page};
  if (copy.size() != page_bytes)
    return caf::make_error(ec::store_damaged,
                           std::string{"its header is cut off"});
  std::memcpy(&raw, copy.data(), sizeof(raw));
  const auto crc = std::exchange(raw.crc, 0);
  std::memcpy(copy.data(), &raw, sizeof(raw));
  if (std::memcmp(raw.magic, segment_magic, sizeof(raw.magic)) != 0
      || crc32c(copy) != crc)
    return caf::make_error(ec::store_damaged,
                           std::string{"its header does not match its "
                                       "checksum (byte 0)"});
  if (raw.format != format_now)
    return caf::make_error(ec::store_failed,
                           "it has format " + std::to_string(raw.format)
                             + " of a later version; this one reads format "
                             + std::to_string(format_now));
  return segment_header{raw.format, raw.shard, raw.number, raw.capacity,
                        raw.nonce};
}

void seal(std::string& front, group_header header, std::string_view payload,
          std::uint64_t nonce) {
  assert(front.size() == header.front_bytes());
  const auto seed = crc32c(bytes_of(nonce));
  header.magic = group_magic;
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  header.payload_crc = crc32c(payload, seed);
  std::memcpy(front.data(), &header, sizeof(header));
  header.header_crc = crc32c(covered(front), seed);
  std::memcpy(front.data(), &header, sizeof(header));
}

bool decode_group_header(std::string_view bytes, const segment_header& segment,
                         std::uint64_t offset, group_header& into) {
  if (bytes.size() < sizeof(into))
    return false;
  std::memcpy(&into, bytes.data(), sizeof(into));
  if (into.magic != group_magic || into.segment != segment.number
      || into.offset != offset || into.events == 0)
    return false;
  // The sum of three 32 bit numbers, so it cannot run over.
  return offset + into.front_bytes() + into.payload_bytes <= segment.capacity;
}

bool front_matches(std::string_view front, const segment_header& segment) {
  group_header header;
  std::memcpy(&header, front.data(), sizeof(header));
  return crc32c(covered(front), crc32c(bytes_of(segment.nonce)))
         == header.header_crc;
}

bool payload_matches(const group_header& header, std::string_view payload,
                     const segment_header& segment) {
  return crc32c(payload, crc32c(bytes_of(segment.nonce))) == header.payload_crc;
}

void append_watermark(std::string& to, std::string_view partition,
                      std::int64_t offset) {
  const auto size = static_cast<std::uint32_t>(partition.size());
  to += bytes_of(size);
  to += bytes_of(offset);
  to += partition;
}

std::vector<watermark> decode_watermarks(std::string_view bytes) {
  std::vector<watermark> out;
  std::uint32_t size = 0;
  std::int64_t offset = 0;
  while (bytes.size() >= sizeof(size) + sizeof(offset)) {
    std::memcpy(&size, bytes.data(), sizeof(size));
    std::memcpy(&offset, bytes.data() + sizeof(size), sizeof(offset));
    bytes.remove_prefix(sizeof(size) + sizeof(offset));
    out.push_back({std::string{bytes.substr(0, size)}, offset});
    bytes.remove_prefix(std::min<std::size_t>(size, bytes.size()));
  }
  return out;
}

} // namespace depositd::segments
