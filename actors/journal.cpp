#include "actors/journal.hpp"

#include <iterator>
#include <utility>

namespace depositd {

namespace {

using self_pointer = journal_self::stateful_pointer<journal_state>;

/// Bounces a message back. On the scheduler this takes as long as everybody
/// who has something to do now needs to do it, so what they append comes first.
using lap_actor
  = caf::typed_actor<caf::replies_to<flush_group>::with<flush_group>>;

lap_actor::behavior_type lap() {
  return {[](flush_group x) { return x; }};
}

void turn_away(self_pointer self, std::vector<append> members) {
  self->send(self->state.options.writer,
             refuse_appends{std::move(members),
                            caf::make_error(ec::store_failed,
                                            std::string{"the engine is "
                                                        "starting over"})});
}

/// The longest beginning of what has formed that makes one group.
std::vector<append> take_group(journal_state& state) {
  std::size_t bytes = 0;
  auto end = state.members.begin();
  while (end != state.members.end()
         && bytes < state.options.group_bytes_max)
    bytes += (end++)->bytes.size();
  if (end == state.members.end())
    return std::exchange(state.members, {});
  std::vector<append> out{std::make_move_iterator(state.members.begin()),
                          std::make_move_iterator(end)};
  state.members.erase(state.members.begin(), end);
  return out;
}

void form(self_pointer self, const lap_actor& way) {
  if (std::exchange(self->state.writing, true))
    return;
  self->send(way, flush_group{});
}

void add(self_pointer self, append& x, const lap_actor& way) {
  auto& state = self->state;
  if (state.broken || x.generation != state.generation) {
    std::vector<append> late;
    late.push_back(std::move(x));
    turn_away(self, std::move(late));
    return;
  }
  state.members.push_back(std::move(x));
  form(self, way);
}

void written(self_pointer self, const group_written& x, const lap_actor& way) {
  auto& state = self->state;
  state.writing = false;
  if (!x.failure) {
    if (!state.members.empty())
      form(self, way);
    return;
  }
  state.broken = true;
  turn_away(self, std::exchange(state.members, {}));
  if (state.options.shard_watcher)
    self->send(caf::actor_cast<shard_actor>(state.options.shard_watcher),
               journal_failed{x.failure});
}

} // namespace

journal_self::behavior_type
journal(journal_self::stateful_pointer<journal_state> self,
        journal_options options) {
  self->state.options = std::move(options);
  self->link_to(self->state.options.writer);
  const auto way = self->spawn<caf::linked>(lap);
  return {
    [=](append& x) { add(self, x, way); },
    // What came before it is written, or refused with its group.
    [=](const begin_generation& x) {
      self->state.generation = x.generation;
      self->state.broken = false;
    },
    [=](flush_group) {
      self->send(self->state.options.writer,
                 write_group{take_group(self->state)});
    },
    [=](const group_written& x) { written(self, x, way); },
    [=](const meet_shard& x) { self->state.options.shard_watcher = x.shard; },
  };
}

} // namespace depositd
