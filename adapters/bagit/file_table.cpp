#include "adapters/bagit/file_table.hpp"

#include "messages/values/hex.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include <xxhash.h>

namespace depositd::bagit {

namespace {

constexpr std::uint32_t chunk_bytes = 64 * 1024;
constexpr std::size_t slots_first = 64;

constexpr std::size_t longest_digest = 64; // of SHA-512, bytes

// Of a column.
constexpr std::uint8_t is_listed = 1;
constexpr std::uint8_t is_computed = 2;
constexpr std::uint8_t is_different = 4;

} // namespace

file_table::file_table() : slots_(slots_first, none) {
  std::random_device chance;
  seed_ = std::uint64_t{chance()} << 32 | chance();
}

std::uint64_t file_table::hash(std::string_view path) const {
  return XXH3_64bits_withSeed(path.data(), path.size(), seed_);
}

std::string_view file_table::path_of(file_index i) const {
  const auto place = files_[i].place;
  const auto* at = names_[place / chunk_bytes].get() + place % chunk_bytes;
  std::uint16_t length = 0;
  std::memcpy(&length, at, sizeof length);
  return {at + sizeof length, length};
}

std::size_t file_table::slot_of(std::string_view path) const {
  const auto mask = slots_.size() - 1;
  auto at = hash(path) & mask;
  while (slots_[at] != none && path_of(slots_[at]) != path)
    at = (at + 1) & mask;
  return at;
}

file_index file_table::find(std::string_view path) const {
  return slots_[slot_of(path)];
}

file_index file_table::add(std::string_view path) {
  if (const auto found = find(path); found != none)
    return found;
  const std::uint16_t length = static_cast<std::uint16_t>(path.size());
  const auto size = static_cast<std::uint32_t>(sizeof length + path.size());
  auto place = names_end_;
  if (place % chunk_bytes + size > chunk_bytes || place % chunk_bytes == 0)
    place = static_cast<std::uint32_t>(names_.size()) * chunk_bytes;
  if (size > chunk_bytes || place > 0xffff'0000 - 2 * chunk_bytes)
    return none;
  if (place / chunk_bytes == names_.size())
    names_.push_back(std::make_unique<char[]>(chunk_bytes));
  auto* at = names_[place / chunk_bytes].get() + place % chunk_bytes;
  std::memcpy(at, &length, sizeof length);
  std::memcpy(at + sizeof length, path.data(), path.size());
  names_end_ = place + size;
  const auto index = static_cast<file_index>(files_.size());
  files_.push_back({.place = place});
  if (files_.size() * 4 > slots_.size() * 3)
    grow();
  slots_[slot_of(path)] = index;
  return index;
}

void file_table::grow() {
  slots_.assign(slots_.size() * 2, none);
  // The last one is put in by whoever adds it.
  for (file_index i = 0; i + 1 < files_.size(); ++i)
    slots_[slot_of(path_of(i))] = i;
}

file_table::folded file_table::fold(const digest& x) const {
  std::array<std::uint8_t, longest_digest> bytes{};
  const auto length = std::min(x.value.size() / 2, bytes.size());
  for (std::size_t i = 0; i < length; ++i)
    take_hex(std::string_view{x.value}.substr(i * 2, 2), bytes[i]);
  const auto hashed = XXH3_128bits_withSeed(bytes.data(), length, seed_);
  folded out;
  static_assert(sizeof(hashed) == sizeof(out));
  std::memcpy(out.data(), &hashed, out.size());
  return out;
}

file_table::column& file_table::column_of(digest_algorithm x, file_index i) {
  auto& out = columns_[static_cast<std::size_t>(x)];
  if (out.flags.size() <= i) {
    out.values.resize(i + 1);
    out.flags.resize(i + 1);
  }
  return out;
}

file_table::listing file_table::add_listed(file_index i, const digest& x) {
  auto& to = column_of(x.algorithm, i);
  const auto value = fold(x);
  auto& flags = to.flags[i];
  const bool again = (flags & is_listed) != 0;
  if ((flags & (is_listed | is_computed)) == 0)
    to.values[i] = value;
  flags |= is_listed;
  const bool same = to.values[i] == value;
  if (!same)
    flags |= is_different;
  if (!again)
    return listing::first;
  return same ? listing::same : listing::different;
}

void file_table::add_computed(file_index i, const digest& x) {
  auto& to = column_of(x.algorithm, i);
  const auto value = fold(x);
  auto& flags = to.flags[i];
  if ((flags & is_listed) == 0)
    to.values[i] = value;
  else if (to.values[i] != value)
    flags |= is_different;
  flags |= is_computed;
}

digest_state file_table::state(file_index i, digest_algorithm x) const {
  const auto& from = columns_[static_cast<std::size_t>(x)];
  if (from.flags.size() <= i)
    return digest_state::unknown;
  const auto flags = from.flags[i];
  if ((flags & is_listed) == 0)
    return flags == 0 ? digest_state::unknown : digest_state::computed;
  if ((flags & is_different) != 0)
    return digest_state::different;
  return (flags & is_computed) != 0 ? digest_state::same : digest_state::listed;
}

bool file_table::same_digest(file_index i, file_index j,
                             digest_algorithm x) const {
  const auto& from = columns_[static_cast<std::size_t>(x)];
  return from.flags.size() > std::max(i, j) && from.flags[i] != 0
         && from.flags[j] != 0 && from.values[i] == from.values[j];
}

std::size_t file_table::memory() const {
  std::size_t out = files_.size() * sizeof(file)
                    + slots_.size() * sizeof(file_index)
                    + names_.size() * (chunk_bytes + sizeof(void*));
  for (const auto& x : columns_)
    out += x.values.size() * sizeof(folded) + x.flags.size();
  return out;
}

} // namespace depositd::bagit
