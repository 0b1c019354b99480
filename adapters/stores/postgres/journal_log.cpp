#include "adapters/stores/postgres/journal_log.hpp"

#include "adapters/stores/rows/row_checksum.hpp"
#include "adapters/stores/postgres/statements.hpp"

#include <cstring>

namespace depositd::postgres {

namespace {

template <class T>
void append_raw(std::string& out, T value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  out.append(raw, sizeof value);
}

template <class T>
bool take_raw(std::string_view& from, T& out) {
  if (from.size() < sizeof out)
    return false;
  std::memcpy(&out, from.data(), sizeof out);
  from.remove_prefix(sizeof out);
  return true;
}

caf::error damaged(const std::string& what) {
  return caf::make_error(ec::store_damaged, "postgres: " + what);
}

/// Fills in what is known of an open segment by its rows only.
caf::error count_open(connection& from, std::uint32_t shard, segment& x) {
  const auto name = statements::table(shard, x.number);
  const auto found = from.run(statements::contents(name));
  if (!found)
    return from.state() == "42P01" ? damaged("table " + name + " is missing")
                                   : found.error();
  x.last = found->number(0, 0) == 0 ? x.first - 1 : found->number(0, 1);
  x.bytes = found->number(0, 3);
  if (found->number(0, 2) != x.last + 1 - x.first)
    return damaged("table " + name + " has gaps between sequence "
                   + std::to_string(x.first) + " and "
                   + std::to_string(x.last));
  return {};
}

} // namespace

std::string encode(const std::vector<watermark>& watermarks) {
  std::string out;
  for (const auto& x : watermarks) {
    append_raw(out, static_cast<std::uint32_t>(x.partition.size()));
    out += x.partition;
    append_raw(out, x.offset);
  }
  return out;
}

caf::error decode(std::string_view bytes, std::vector<watermark>& out) {
  out.clear();
  while (!bytes.empty()) {
    auto& x = out.emplace_back();
    std::uint32_t size = 0;
    if (!take_raw(bytes, size) || bytes.size() < size)
      return damaged("watermarks end too early");
    x.partition = bytes.substr(0, size);
    bytes.remove_prefix(size);
    if (!take_raw(bytes, x.offset))
      return damaged("watermarks end too early");
  }
  return {};
}

std::uint64_t group_checksum(std::uint32_t shard, const stored_group& group,
                             std::string_view watermarks) {
  return row_checksum{}
    .of("group")
    .all(shard, group.first, group.last, group.epoch, watermarks,
         XXH3_64bits(group.bytes.data(), group.bytes.size()))
    .value();
}

void journal_segments::assign(std::vector<segment> all) {
  const std::lock_guard guard{mutex_};
  segments_.clear();
  for (auto& x : all)
    segments_.emplace(x.number, x);
}

std::vector<segment> journal_segments::list() const {
  const std::lock_guard guard{mutex_};
  std::vector<segment> out;
  for (const auto& [number, x] : segments_) {
    if (x.last < x.first)
      continue;
    auto& shown = out.emplace_back(x);
    shown.group_first = x.first;
    shown.group_last = x.last;
  }
  return out;
}

std::optional<std::uint64_t> journal_segments::holding(sequence where) const {
  const std::lock_guard guard{mutex_};
  for (const auto& [number, x] : segments_)
    if (where >= x.first && where <= x.last)
      return number;
  return std::nullopt;
}

std::optional<segment> journal_segments::open() const {
  const std::lock_guard guard{mutex_};
  if (segments_.empty() || !segments_.rbegin()->second.open)
    return std::nullopt;
  return segments_.rbegin()->second;
}

std::optional<segment> journal_segments::find(std::uint64_t number) const {
  const std::lock_guard guard{mutex_};
  const auto found = segments_.find(number);
  if (found == segments_.end())
    return std::nullopt;
  return found->second;
}

void journal_segments::grow(sequence last, std::uint64_t bytes) {
  const std::lock_guard guard{mutex_};
  auto& x = segments_.rbegin()->second;
  x.last = last;
  x.bytes += bytes;
}

void journal_segments::begin(std::uint64_t number, sequence first) {
  const std::lock_guard guard{mutex_};
  if (!segments_.empty())
    segments_.rbegin()->second.open = false;
  segment x;
  x.number = number;
  x.first = first;
  x.last = first - 1;
  x.open = true;
  segments_.emplace(number, x);
}

void journal_segments::erase(std::uint64_t number) {
  const std::lock_guard guard{mutex_};
  segments_.erase(number);
}

caf::expected<journal_contents> load_journal(connection& from,
                                             std::uint32_t shard) {
  journal_contents out;
  auto failed =
    from.each(statements::segments, parameters{shard}, [&](const auto& row) {
      auto& x = out.segments.emplace_back();
      row.take(x.number, x.first, x.last, x.bytes, x.open);
      if (x.open)
        if (auto error = count_open(from, shard, x))
          return error;
      if (x.first <= out.last)
        return damaged("segment " + std::to_string(x.number)
                       + " of the journal begins before the one before it "
                         "ends");
      out.last = x.last;
      return caf::error{};
    });
  if (failed)
    return failed;
  if (!out.segments.empty() && !out.segments.back().open)
    return damaged("the journal has no segment to write to");
  failed =
    from.each(statements::watermarks, parameters{shard}, [&](const auto& row) {
      std::string partition;
      std::int64_t offset = 0;
      row.take(partition, offset);
      out.watermarks[partition] = offset;
      return caf::error{};
    });
  if (failed)
    return failed;
  return out;
}

} // namespace depositd::postgres
