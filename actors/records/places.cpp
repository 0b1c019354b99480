#include "actors/records/places.hpp"

#include "messages/values/record_mark.hpp"

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

using mark_map = std::map<std::int32_t, std::int64_t>;

/// Marks of a name. The shard knows them as of its own beginning; `ours` are
/// newer.
std::vector<partition_mark>
newest(const mark_map& ours, const watermarks_read& known,
       const std::vector<partition_position>& read, const intake_options& of,
       std::string (*name)(const intake_options&, std::int32_t)) {
  const auto kept = by_name(known);
  std::vector<partition_mark> out;
  for (const auto& x : read) {
    const auto here = ours.find(x.partition);
    const auto at = kept.find(name(of, x.partition));
    const auto mark = here != ours.end() ? here->second
                      : at != kept.end() ? at->second
                                         : no_record_mark;
    if (mark != no_record_mark && offset_of_mark(mark) < x.next)
      out.push_back({x.partition, mark});
  }
  return out;
}

std::vector<partition_mark> of_those_read(const intake_state& state,
                                          const mark_map& all) {
  std::vector<partition_mark> out;
  for (const auto& [number, mark] : all)
    if (const auto at = state.partitions.find(number);
        at != state.partitions.end() && offset_of_mark(mark) < at->second.next)
      out.push_back({number, mark});
  return out;
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

std::string anchor_name(const intake_options& options, std::int32_t number) {
  return partition_name(options, number) + "#anchor";
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
    out.push_back({p, next});
  }
  return out;
}

caf::error read_from(record_source& source,
                     std::vector<partition_position>& positions) {
  auto failed = source.assign(positions);
  for (auto& x : positions)
    if (x.next == from_oldest && !failed)
      x.next = source.shown_to(x.partition);
  return failed;
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
  return newest(state.marks, known, read, state.options, mark_name);
}

std::vector<partition_mark>
anchors(const intake_state& state, const watermarks_read& known,
        const std::vector<partition_position>& read) {
  return newest(state.anchors, known, read, state.options, anchor_name);
}

void know_marks(intake_state& state, const watermarks_read& known,
                const std::vector<partition_position>& read) {
  const auto kept = by_name(known);
  const auto know = [&](const std::string& name, std::int32_t number,
                        mark_map& of) {
    if (const auto at = kept.find(name); at != kept.end())
      of.try_emplace(number, at->second);
  };
  for (const auto& x : read) {
    know(mark_name(state.options, x.partition), x.partition, state.marks);
    know(anchor_name(state.options, x.partition), x.partition, state.anchors);
  }
}

std::vector<partition_mark> marks(const intake_state& state) {
  return of_those_read(state, state.marks);
}

std::vector<partition_mark> anchors(const intake_state& state) {
  return of_those_read(state, state.anchors);
}

} // namespace depositd::records
