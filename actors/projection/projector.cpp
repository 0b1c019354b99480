#include "actors/projection/projector.hpp"

#include "actors/projection/parts.hpp"
#include "actors/projection/recovery.hpp"
#include "actors/rules/pages/pages.hpp"
#include "messages/projection.hpp"
#include "messages/values/codec.hpp"
#include "messages/values/tallies.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>
#include <utility>

namespace depositd::projection {

namespace {

// -- which segments hold live bodies ------------------------------------------

const segment* segment_of(const projector_state& state, std::uint64_t group) {
  const auto after = std::upper_bound(
    state.segments.begin(), state.segments.end(), group,
    [](std::uint64_t g, const segment& x) { return g < x.group_first; });
  if (after == state.segments.begin())
    return nullptr;
  const auto& candidate = *std::prev(after);
  return group <= candidate.group_last ? &candidate : nullptr;
}

void count_body(projector_state& state, const body_location& place, int sign) {
  if (place.length == 0)
    return;
  const auto alone =
    sign > 0 ? state.shared.add(place) : state.shared.drop(place);
  if (const auto* where = segment_of(state, place.group)) {
    auto& live = state.live[where->number];
    live.count += sign;
    if (alone)
      live.bytes += sign * std::int64_t{place.length};
  }
}

/// Before the first slice: where the bodies of all items in the tables are.
void count_tables(projector_state& state, std::vector<body_location> places) {
  state.segments = state.options.journal->segments();
  state.counted = true;
  state.shared.take_tables(
    places, [&](const body_location& x, std::uint32_t items) {
      if (const auto* where = segment_of(state, x.group)) {
        auto& live = state.live[where->number];
        live.count += items;
        live.bytes += x.length;
      }
    });
}

/// After a failure: the tables may have gone back to an earlier slice, and what
/// lives in them is then counted again.
void begin_again(projector_state& state) {
  state.fold.reset();
  state.contents = {};
  if (state.options.projection->reached() == state.applied)
    return;
  state.counted = false;
  state.uncounted.reset();
  state.live.clear();
  state.shared = {};
}

/// Before anything is folded: where the tables are may not be where they were
/// left, if somebody's write took the last slices with it.
caf::error make_ready(projector_state& state) {
  if (state.fold && state.fold->from() != state.options.projection->reached())
    begin_again(state);
  if (state.counted)
    return {};
  std::vector<body_location> places;
  caf::error failed;
  if (auto found = std::exchange(state.uncounted, std::nullopt))
    places = std::move(*found);
  else
    failed = state.options.projection->load_items([&](const item_row& row) {
      if (row.place.length > 0)
        places.push_back(row.place);
    });
  if (failed)
    return failed;
  count_tables(state, std::move(places));
  state.applied = state.options.projection->reached();
  return {};
}

// -- projecting ---------------------------------------------------------------

/// A fold that starts where the projection is, and knows the message queues.
caf::error begin_fold(projector_state& state) {
  auto& tables = *state.options.projection;
  auto fold = std::make_unique<rules::slice_fold>(tables.reached());
  caf::error damage;
  auto failed = tables.load_controls([&](const control_row& row) {
    auto change = decode_event(row.value);
    if (!change) {
      damage = change.error();
      return;
    }
    if (const auto* queue = std::get_if<queue_changed>(&*change);
        queue != nullptr && queue->settings.kind != queue_kind::deposit)
      fold->without_submissions(queue->queue);
  });
  if (damage || failed)
    return damage ? damage : failed;
  state.fold = std::move(fold);
  return {};
}

bool is_full(const projector_state& state) {
  const auto& fold = *state.fold;
  const auto& size = state.size;
  return fold.events() >= size.part_of(state.options.slice_events_max)
         || fold.failed_bytes() >= size.part_of(failed_bytes_per_slice)
         || fold.document_bytes() >= size.part_of(document_bytes_per_slice)
         || state.contents.bytes() >= size.part_of(contents_bytes_per_slice);
}

/// Folds what the journal has, until the slice is full. The fold ends between
/// groups.
caf::error fold_more(projector_state& state) {
  if (!state.fold)
    if (auto failed = begin_fold(state))
      return failed;
  if (is_full(state))
    return {};
  auto& fold = *state.fold;
  caf::error damage;
  record x;
  auto failed = state.options.journal->read(
    fold.reached() + 1, [&](const stored_group& group) {
      record_reader reader{group.bytes, group.group, bodies::skipped};
      while (!reader.at_end() && !damage) {
        damage = reader.next(x);
        if (damage)
          break;
        fold.add(x);
        state.contents.add(x, group);
      }
      return !damage && !is_full(state);
    });
  return damage ? damage : failed;
}

caf::expected<slice> fold_slice(projector_state& state) {
  if (auto failed = fold_more(state))
    return failed;
  auto out = state.fold->take();
  if (auto sent = std::exchange(state.contents, {});
      !seeded_bug("files_dropped"))
    sent.move_to(out);
  return out;
}

caf::error project_one(projector_state& state) {
  auto folded = fold_slice(state);
  if (!folded) {
    begin_again(state);
    return folded.error();
  }
  add_failed_bodies(state, *folded);
  crash_point("slice_before");
  auto applied = state.options.projection->apply(*folded);
  crash_point("slice_after");
  state.size.note(applied.engaged());
  if (!applied) {
    begin_again(state);
    return applied.error();
  }
  state.applied = folded->last;
  state.segments = state.options.journal->segments();
  state.shared.begin_slice();
  for (const auto& row : folded->items_put)
    count_body(state, row.place, 1);
  for (const auto& change : folded->items_changed)
    count_body(state, change.place, 1);
  for (const auto& place : applied->freed)
    count_body(state, place, -1);
  return {};
}

void tell_failure(projector_state& state, const caf::error& why) {
  if (auto reason = render(why); state.projecting.is_new(reason))
    spdlog::error("projection_failed shard={} reason=\"{}\"",
                  state.options.shard, reason);
}

/// What metrics tell of the tables: they took up a slice.
void note_slice(self_pointer self, caf::actor_clock::time_point since) {
  const auto& options = self->state.options;
  const auto now = self->clock().now();
  const std::chrono::duration<double, std::micro> took = now - since;
  const auto shard = std::to_string(options.shard);
  note_value(tally_of::slice_us, shard, {}, took.count());
  note_value(tally_of::slice_at_us, shard, {},
             static_cast<double>(options.clock.at(now)));
}

/// The first slice of what is in no table yet.
caf::error project_next(self_pointer self) {
  const auto since = self->clock().now();
  if (auto failed = project_one(self->state)) {
    tell_failure(self->state, failed);
    return failed;
  }
  note_slice(self, since);
  return {};
}

} // namespace

caf::error catch_up(self_pointer self) {
  auto& state = self->state;
  if (auto failed = make_ready(state))
    return failed;
  const auto until = seeded_bug("answered_from_the_past")
                       ? sequence{0}
                       : state.options.journal->last();
  while (state.options.projection->reached() < until)
    if (auto failed = project_next(self))
      return failed;
  return {};
}

caf::error fold_up(self_pointer self) {
  auto& state = self->state;
  if (auto failed = make_ready(state))
    return failed;
  const auto until = state.options.journal->last();
  while (true) {
    if (auto failed = fold_more(state)) {
      tell_failure(state, failed);
      begin_again(state);
      return failed;
    }
    if (state.fold->reached() >= until)
      return {};
    if (auto failed = project_next(self))
      return failed;
  }
}

namespace {

/// What others asked for is kept here, too.
caf::error keep(projector_state& state) {
  auto failed = state.options.projection->commit();
  if (failed)
    begin_again(state);
  return failed;
}

/// One more pause for so many events.
std::chrono::milliseconds pause_after(const projector_options& options,
                                      sequence events) {
  const auto out = options.pause * (1 + events / options.events_per_pause);
  return std::min<std::chrono::milliseconds>(
    out, std::max(options.pause, options.pause_max));
}

/// A slice at a time, so that whoever only asks how far it is need not wait
/// until all is done.
void tick(self_pointer self) {
  auto& state = self->state;
  const auto& projection = state.options.projection;
  auto& round = state.round;
  if (round.until == 0)
    round = {projection->reached(), state.options.journal->last()};
  end_patience(self);
  auto failed = make_ready(state);
  if (!failed && projection->reached() < round.until)
    failed = project_next(self);
  if (!failed)
    failed = keep(state);
  if (!failed && projection->reached() < round.until) {
    self->send(self, project_slice{});
    return;
  }
  self->delayed_send(
    self, pause_after(state.options, projection->reached() - round.from),
    project_slice{});
  round = {};
  if (failed) {
    tell_failure(state, failed);
    return;
  }
  if (state.projecting.is_over())
    spdlog::info("projection_goes_on shard={}", state.options.shard);
  drop_dead_segments(state);
  compact_oldest(self);
  forget_old(self);
}

} // namespace

projector_self::behavior_type projector(actor_with<projector_state>* self,
                                        projector_options options) {
  self->state.options = std::move(options);
  begin_forgetting(self);
  return {
    [=](recover) { return answer(self, recover{}); },
    [=](const meet_shard& x) {
      const auto first = !self->state.shard;
      self->state.shard = caf::actor_cast<shard_inside_actor>(x.shard);
      if (first)
        self->delayed_send(self, self->state.options.pause, project_slice{});
    },
    [=](const submission_query& x) { return answer(self, x); },
    [=](const batch_query& x) { return answer(self, x); },
    [=](const job_query& x) { return answer(self, x); },
    [=](const peek_items& x) { return answer(self, x); },
    [=](const failed_query& x) { return answer(self, x); },
    [=](const match_items& x) { return answer(self, x); },
    [=](const forget_submissions& x) { return answer(self, x); },
    [=](note_published x) { go_on_published(self, x.upto); },
    [=](await_published) { return answer(self, await_published{}); },
    [=](const back_up& x) { return answer(self, x); },
    [=](report_store) { return answer(self, report_store{}); },
    [=](project_slice) { tick(self); },
  };
}

} // namespace depositd::projection
