#include "actors/records/places.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace depositd::records {

namespace {

std::map<std::string, std::int64_t> by_name(const watermarks_read& known) {
  std::map<std::string, std::int64_t> out;
  for (const auto& one : known.watermarks)
    out[one.partition] = one.offset;
  return out;
}

bool is_ours(const intake_options& options, std::int32_t partition) {
  return static_cast<shard_number>(partition) % options.shards
         == options.shard;
}

} // namespace

std::string partition_name(const intake_options& options, std::int32_t number) {
  return options.topic + '/' + std::to_string(number);
}

std::string cursor_name(const intake_options& options, std::int32_t number) {
  const auto name = partition_name(options, number);
  return options.keeps_cursors ? name + "#read" : name;
}

std::string mark_name(const intake_options& options, std::int32_t number) {
  return partition_name(options, number) + "#last";
}

caf::expected<std::vector<partition_position>>
positions(const intake_state& state, const watermarks_read& known) {
  const auto& options = state.options;
  auto count = options.source->partitions();
  if (!count)
    return std::move(count.error());
  const auto watermarks = by_name(known);
  std::vector<partition_position> out;
  for (std::int32_t p = 0; p < *count; ++p) {
    if (!is_ours(options, p))
      continue;
    const auto at = watermarks.find(cursor_name(options, p));
    auto next = at == watermarks.end() ? from_oldest : at->second + 1;
    // The shard knows cursors as of its own beginning.
    const auto ours = state.committed.find(p);
    if (ours != state.committed.end())
      next = std::max(next, ours->second);
    // By its offset, so that it can be said how much there is to read.
    if (next == from_oldest) {
      const auto held = options.source->range(p);
      if (!held)
        return held.error();
      next = held->low;
    }
    out.push_back({p, next});
  }
  return out;
}

std::vector<partition_position>
begun_late(const intake_state& state, const watermarks_read& known,
           const std::vector<partition_position>& read) {
  const auto watermarks = by_name(known);
  std::vector<partition_position> out;
  for (const auto& x : read)
    if (x.next > 0 && !state.committed.contains(x.partition)
        && !watermarks.contains(cursor_name(state.options, x.partition)))
      out.push_back(x);
  return out;
}

bool has_more(const intake_state& state) {
  const auto count = state.options.source->partitions();
  if (!count)
    return false;
  for (std::int32_t p = 0; p < *count; ++p)
    if (is_ours(state.options, p) && !state.partitions.contains(p))
      return true;
  return false;
}

std::vector<partition_mark> marks(const intake_state& state,
                                  const watermarks_read& known,
                                  const std::vector<partition_position>& read) {
  const auto kept = by_name(known);
  std::vector<partition_mark> out;
  for (const auto& x : read) {
    // The shard knows marks as of its own beginning.
    const auto ours = state.marks.find(x.partition);
    const auto at = kept.find(mark_name(state.options, x.partition));
    if (ours != state.marks.end())
      out.push_back({x.partition, ours->second});
    else if (at != kept.end())
      out.push_back({x.partition, at->second});
  }
  return out;
}

} // namespace depositd::records
