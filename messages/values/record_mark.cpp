#include "messages/values/record_mark.hpp"

#include <xxhash.h>

namespace depositd {

namespace {

/// Of 2^39 records of a partition; what is left of the number's bits tells one
/// record from 16 million others.
constexpr int bits_of_digest = 24;
constexpr std::int64_t offsets_end = std::int64_t{1} << (63 - bits_of_digest);
constexpr std::uint64_t digest_mask = (1ULL << bits_of_digest) - 1;

} // namespace

std::int64_t mark_of(std::int64_t offset, std::string_view key,
                     std::string_view value) {
  if (offset < 0 || offset >= offsets_end)
    return no_record_mark;
  const auto digest = XXH3_64bits_withSeed(
    value.data(), value.size(), XXH3_64bits(key.data(), key.size()));
  return (offset << bits_of_digest)
         | static_cast<std::int64_t>(digest & digest_mask);
}

std::int64_t offset_of_mark(std::int64_t mark) {
  return mark >> bits_of_digest;
}

} // namespace depositd
