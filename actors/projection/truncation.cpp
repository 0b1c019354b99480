// When the log may go, and what is written again so that it can.

#include "actors/projection/parts.hpp"
#include "messages/records.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace depositd::projection {

namespace {

/// What is behind it was published or need not be, and that is durable.
sequence published_upto(const projector_state& state) {
  for (const auto& x : state.options.journal->watermarks())
    if (x.partition == egress_watermark)
      return static_cast<sequence>(x.offset);
  return state.options.published && !seeded_bug("dropped_unpublished")
           ? 0
           : std::numeric_limits<sequence>::max();
}

bool flush_tables(projector_state& state) {
  if (const auto failed = state.options.projection->flush()) {
    if (auto reason = render(failed); state.flushing.is_new(reason))
      spdlog::warn("tables_not_flushed reason=\"{}\"", reason);
    return false;
  }
  if (state.flushing.is_over())
    spdlog::info("tables_flushed");
  return true;
}

/// Of the segments that could go some did not: the first of them, which comes
/// first the next time too, says why.
struct drop_failure {
  std::uint64_t extent = 0;
  std::string reason; ///< empty: all went
};

void tell_drops(projector_state& state, const drop_failure& first) {
  if (first.reason.empty()) {
    if (state.dropping.is_over())
      spdlog::info("journal_drops_go_on");
  } else if (state.dropping.is_new(first.reason)) {
    spdlog::warn("journal_drop_failed extent={} reason=\"{}\"", first.extent,
                 first.reason);
  }
}

} // namespace

void drop_dead_segments(projector_state& state) {
  const auto reached =
    std::min(state.options.projection->reached(), published_upto(state));
  auto flushed = false;
  drop_failure first;
  for (const auto& x : state.segments) {
    if (x.open || x.last > reached)
      continue;
    const auto live = state.live.find(x.number);
    if (live != state.live.end() && live->second.count > 0
        && !seeded_bug("extent_dropped_too_early"))
      continue;
    if (!std::exchange(flushed, true) && !flush_tables(state))
      return;
    crash_point("drop_before");
    const auto failed = state.options.journal->drop(x.number);
    if (!failed && live != state.live.end())
      state.live.erase(live);
    if (failed && first.reason.empty())
      first = {x.number, render(failed)};
  }
  if (flushed)
    tell_drops(state, first);
  crash_point("drop_after");
  state.segments = state.options.journal->segments();
}

void compact_oldest(self_pointer self) {
  auto& state = self->state;
  std::uint64_t taken = 0;
  std::uint64_t live = 0;
  for (const auto& x : state.segments)
    taken += x.bytes;
  for (const auto& [number, bodies] : state.live)
    live += static_cast<std::uint64_t>(std::max<std::int64_t>(bodies.bytes, 0));
  const auto& options = state.options;
  if (!state.shard
      || taken <= live * options.disk_multiple + options.disk_spare_bytes)
    return;
  for (const auto& x : state.segments) {
    const auto at = state.live.find(x.number);
    if (x.open || at == state.live.end()
        || static_cast<std::uint64_t>(at->second.bytes) * 2 > x.bytes)
      continue;
    auto found = options.projection->items_placed(x.group_first, x.group_last,
                                                  options.compactions_max);
    if (!found || found->empty())
      continue;
    compact_items message;
    for (auto& item : *found) {
      auto row = options.projection->item(item.id);
      if (!row)
        continue;
      if (auto body = options.journal->read_body(row->place))
        message.items.push_back(
          {item.id, item.queue, item.user,
           std::make_shared<const std::string>(std::move(*body)), row->place});
    }
    self->send(state.shard, std::move(message));
    return;
  }
}

} // namespace depositd::projection
