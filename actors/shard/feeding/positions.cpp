// Up to where sources are applied, and what goes when they are no more.

#include "actors/journal/reply.hpp"
#include "actors/rules/control/control.hpp"
#include "actors/shard/feeding/feeding.hpp"
#include "messages/values/sharding.hpp"

#include <memory>
#include <utility>

namespace depositd::shard {

namespace {

/// Whether the source is read here, by a scheduler that there is.
bool is_read_here(shard_pointer self, const source_changed& x) {
  const auto& state = self->state;
  const auto& scheduler = x.settings.scheduler;
  return state.control->schedulers.contains(scheduler)
         && shard_of(scheduler, state.options.shards) == state.options.number;
}

void commit_positions(shard_pointer self, const std::vector<source_read>& all,
                      std::optional<reply> answer = {}) {
  auto& state = self->state;
  auto next = std::make_shared<control_state>(*state.control);
  journal::command todo{state.journal};
  for (const auto& x : all) {
    rules::apply(*next, x);
    todo.note(x);
  }
  state.control = std::move(next);
  if (answer)
    todo.deliver(std::move(*answer));
  todo.commit(self);
}

/// What means nothing any more, as events that end it.
std::vector<source_read> stale_positions(shard_pointer self) {
  const auto& control = *self->state.control;
  std::vector<source_read> out;
  for (const auto& [name, x] : control.positions) {
    const auto at = control.sources.find(name);
    if (at != control.sources.end() && at->second.made_us == x.made_us
        && is_read_here(self, at->second))
      continue;
    auto& gone = out.emplace_back(x);
    gone.forgotten = true;
  }
  return out;
}

} // namespace

caf::result<done> note_position(shard_pointer self, const keep_position& x) {
  if (auto refused = refuse_recovering(self))
    return refused;
  const auto& control = *self->state.control;
  if (auto wrong = rules::check(control, x.what))
    return wrong;
  const auto at = control.sources.find(x.what.source);
  if (x.what.forgotten || !is_read_here(self, at->second))
    return caf::make_error(ec::invalid_argument,
                           "source " + x.what.source + " is not read here");
  const auto known = control.positions.find(x.what.source);
  if (known != control.positions.end() && known->second == x.what)
    return answer_after_commits(self, done{});
  commit_positions(self, {x.what},
                   reply{journal::take_reply(self), caf::make_message(done{})});
  return journal::answered_later<done>();
}

void forget_gone_sources(shard_pointer self) {
  auto& state = self->state;
  if (state.now == shard_state::phase::recovering)
    return;
  if (const auto stale = stale_positions(self); !stale.empty())
    commit_positions(self, stale);
  for (const auto& [name, made_us] : state.records.sources()) {
    const auto at = state.control->sources.find(name);
    if (at == state.control->sources.end() || at->second.made_us > made_us)
      state.records.end_source(name);
  }
  journal_forgotten(self, 1);
}

} // namespace depositd::shard
