#include "actors/journal/journal.hpp"

#include "messages/shard.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace depositd::journal {

namespace {

using self_pointer = actor_with<journal_state>*;

/// Bounces a message back. On the scheduler this takes as long as everybody
/// who has something to do now needs to do it, so what they append comes first.
using lap_actor
  = caf::typed_actor<caf::replies_to<flush_group>::with<flush_group>>;

lap_actor::behavior_type lap() {
  return {[](flush_group x) { return x; }};
}

/// While one writer has anything to do the other gets nothing: they share the
/// store, and the shares of answers.
const journal_writer_self& next_writer(journal_state& state, group_size size) {
  if (state.unanswered++ == 0) {
    const auto& takes = state.options.near_takes;
    const auto rests = state.near_rests > 0;
    state.near = state.options.near && !rests && size.bytes <= takes.bytes_max
                 && size.events <= takes.events_max;
    state.near_rests -= rests ? 1 : 0;
  }
  return state.near ? state.options.near : state.options.writer;
}

void turn_away(self_pointer self, std::vector<append> members) {
  self->send(next_writer(self->state, {}),
             refuse_appends{std::move(members),
                            caf::make_error(ec::store_failed,
                                            std::string{"the engine is "
                                                        "starting over"})});
}

/// The longest beginning of what has formed that makes one group.
std::vector<append> take_members(journal_state& state) {
  std::size_t bytes = 0;
  auto end = state.members.begin();
  while (end != state.members.end()
         && (state.bundled || bytes < state.options.group_bytes_max))
    bytes += (end++)->bytes.size();
  if (end == state.members.end()) {
    state.bundled = false;
    return std::exchange(state.members, {});
  }
  std::vector<append> out{std::make_move_iterator(state.members.begin()),
                          std::make_move_iterator(end)};
  state.members.erase(state.members.begin(), end);
  return out;
}

/// Of two watermarks of a partition the higher counts: one that went alone may
/// have overtaken one of a bundle.
void keep(std::vector<watermark>& watermarks, watermark x) {
  for (auto& one : watermarks)
    if (one.partition == x.partition) {
      one.offset = std::max(one.offset, x.offset);
      return;
    }
  watermarks.push_back(std::move(x));
}

write_group take_group(journal_state& state) {
  write_group out{take_members(state), {}};
  const auto has_events
    = std::any_of(out.members.begin(), out.members.end(),
                  [](const append& x) { return x.events > 0; });
  if (!has_events)
    return out;
  out.watermarks = std::exchange(state.watermarks, {});
  for (const auto& member : out.members)
    if (member.bundle)
      for (auto& one : std::exchange(member.bundle->watermarks, {}))
        keep(out.watermarks, std::move(one));
  return out;
}

bool can_send(const journal_state& state) {
  return !state.writing && !state.members.empty() && state.bundles_open == 0;
}

/// What fills a group need not wait for more.
bool is_enough(const journal_state& state) {
  const auto& enough = state.options.enough;
  return state.forming.events >= enough.events
         || state.forming.bytes
              >= std::min(enough.bytes, state.options.group_bytes_max);
}

void send_group(self_pointer self) {
  auto& state = self->state;
  auto group = take_group(state);
  group_size size;
  for (const auto& member : group.members)
    size.add(member);
  state.forming.remove(size);
  state.writing = true;
  state.since = self->clock().now();
  self->send(next_writer(state, size), std::move(group));
}

void form(self_pointer self, const lap_actor& way) {
  auto& state = self->state;
  if (!can_send(state))
    return;
  if (is_enough(state))
    send_group(self);
  else if (!std::exchange(state.lap, true))
    self->send(way, flush_group{});
}

/// Counts a part that has come.
void take_part(journal_state& state, append_bundle& bundle) {
  state.bundled = true;
  if (bundle.come++ == 0)
    ++state.bundles_open;
  if (bundle.come == bundle.parts)
    --state.bundles_open;
}

/// What has formed will never be written.
void give_up(self_pointer self) {
  auto& state = self->state;
  state.bundles_open = 0;
  state.bundled = false;
  state.forming = {};
  turn_away(self, std::exchange(state.members, {}));
}

void add(self_pointer self, append& x, const lap_actor& way) {
  auto& state = self->state;
  if (state.broken || x.generation != state.generation) {
    std::vector<append> late;
    late.push_back(std::move(x));
    turn_away(self, std::move(late));
    return;
  }
  if (x.bundle)
    take_part(state, *x.bundle);
  state.forming.add(x);
  state.members.push_back(std::move(x));
  form(self, way);
}

void written(self_pointer self, const group_written& x, const lap_actor& way) {
  auto& state = self->state;
  state.writing = false;
  --state.unanswered;
  const auto& takes = state.options.near_takes;
  if (state.near && self->clock().now() - state.since > takes.flush_max)
    state.near_rests = takes.rest;
  if (!x.failure) {
    form(self, way);
    return;
  }
  if (seeded_bug("failed_append_ignored"))
    return form(self, way);
  state.broken = true;
  give_up(self);
  if (state.options.shard_watcher)
    self->send(caf::actor_cast<shard_inside_actor>(state.options.shard_watcher),
               journal_failed{x.failure});
}

} // namespace

journal_self::behavior_type journal(actor_with<journal_state>* self,
                                    journal_options options) {
  self->state.options = std::move(options);
  self->link_to(self->state.options.writer);
  if (self->state.options.near)
    self->link_to(self->state.options.near);
  const auto way = self->spawn<caf::linked>(lap);
  return {
    [=](append& x) { add(self, x, way); },
    // What came before it is written, or refused with its group; a bundle that
    // will never be whole holds up what came after its first part.
    [=](const begin_generation& x) {
      if (self->state.bundles_open > 0)
        give_up(self);
      // Watermarks that were not kept may be of effects that were not either.
      self->state.watermarks.clear();
      self->state.generation = x.generation;
      self->state.broken = false;
    },
    [=](flush_group) {
      self->state.lap = false;
      // A bundle may have begun meanwhile; its last part brings us back.
      if (can_send(self->state))
        send_group(self);
    },
    [=](keep_watermark& x) {
      keep(self->state.watermarks, std::move(x.what));
    },
    [=](const group_written& x) { written(self, x, way); },
    [=](appends_refused) { --self->state.unanswered; },
    [=](const meet_shard& x) { self->state.options.shard_watcher = x.shard; },
  };
}

} // namespace depositd::journal
