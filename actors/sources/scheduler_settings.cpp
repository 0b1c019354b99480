// A scheduler and its sources become as they are set.

#include "actors/sources/parts.hpp"

#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace depositd::sources {

namespace {

// -- the scheduler itself -----------------------------------------------------

std::vector<std::string> names_of(const scheduler_actor_state& state) {
  std::vector<std::string> out;
  for (const auto& x : state.sources)
    out.push_back(x->set.name);
  return out;
}

/// What was checked when it was set: sources that it names may come and go.
void set_strategy(scheduler_actor_state& state) {
  auto read = rules::parse_strategy(state.settings.strategy,
                                    [](std::string_view) { return true; });
  if (const auto* why = std::get_if<rules::strategy_error>(&read)) {
    spdlog::error("strategy_refused scheduler={} reason=\"{}\"", state.called,
                  why->text());
    return; // the one before stays in force
  }
  const auto& tree = std::get<rules::strategy_tree>(read);
  state.strategy_text = rules::to_string(tree);
  state.strategy.emplace(tree, names_of(state));
}

void set_scheduler(scheduler_pointer self, const scheduler_settings& by) {
  auto& state = self->state;
  const auto before = std::exchange(state.settings, by);
  const bool other_left = before.queue != by.queue
                          || before.downstream != by.downstream
                          || before.downstream_query != by.downstream_query;
  if (other_left) {
    caf::anon_send_exit(state.gauge, caf::exit_reason::user_shutdown);
    state.gauge = gauge_actor{}; // another is made when it is to be asked
    forget_measured(state);
  }
  const bool other_users =
    other_left
    || (before.high_per_user == no_mark) != (by.high_per_user == no_mark);
  if (other_users)
    forget_users(state);
  if (other_users && has_user_marks(state))
    begin_users(state);
  state.marks.set(by);
  state.measure.pause_us = 0; // what is set counts at once
  state.users.pause_us = 0;
  if (!state.strategy || before.strategy != by.strategy)
    set_strategy(state);
}

// -- its sources --------------------------------------------------------------

bool other_reader(const source_settings& x, const source_settings& y) {
  return x.kind != y.kind || x.from != y.from || x.key != y.key
         || x.user_field != y.user_field;
}

void change_source(scheduler_pointer self, fed_source& x,
                   const source_changed& to, micros at_us) {
  const auto before = std::exchange(x.set, to);
  if (other_reader(before.settings, to.settings))
    change_reader(x, at_us);
  if (before.settings != to.settings)
    x.records.set(settings_here(to.settings));
  if (to.paused) {
    x.records.pause();
    give_back(self->state, x);
  } else if (before.paused || to.resumes > before.resumes) {
    x.records.resume();
    x.end_kept = false;
  }
}

std::unique_ptr<fed_source> make_source(scheduler_pointer self,
                                        const source_changed& as_set,
                                        const control_state& control) {
  auto& state = self->state;
  auto out = std::make_unique<fed_source>(as_set, ++state.number_last,
                                          state.options->body_bytes_max);
  const auto at = control.positions.find(as_set.name);
  const bool read_before =
    at != control.positions.end() && at->second.made_us == as_set.made_us;
  if (!read_before) {
    out->records.restore(std::nullopt, as_set.paused, false);
    return out;
  }
  const auto& read = at->second;
  out->end_kept = read.ended && as_set.resumes <= read.resumes;
  out->records.restore(read.has_cursor ? std::optional{read.cursor}
                                       : std::nullopt,
                       as_set.paused, out->end_kept);
  return out;
}

void set_sources(scheduler_pointer self, const control_state& control) {
  auto& state = self->state;
  const auto before = names_of(state);
  const auto is_same = [&](const source_changed& wanted, const fed_source& x) {
    return wanted.settings.scheduler == state.called
           && wanted.made_us == x.set.made_us;
  };
  std::erase_if(state.sources, [&](const auto& x) {
    const auto at = control.sources.find(x->set.name);
    if (at != control.sources.end() && is_same(at->second, *x))
      return false;
    give_back(state, *x);
    drop_picked(state, *x);
    return true;
  });
  const auto at_us = now_us(self);
  for (const auto& [name, wanted] : control.sources) {
    if (wanted.settings.scheduler != state.called)
      continue;
    auto* known = find_source(state, name);
    if (!known)
      state.sources.push_back(make_source(self, wanted, control));
    else if (known->set != wanted)
      change_source(self, *known, wanted, at_us);
  }
  std::sort(
    state.sources.begin(), state.sources.end(),
    [](const auto& x, const auto& y) { return x->set.name < y->set.name; });
  const auto after = names_of(state);
  if (state.strategy && before != after)
    state.strategy->set_sources(after);
}

} // namespace

void follow_settings(scheduler_pointer self, const control_state& control) {
  auto& state = self->state;
  const auto at = control.schedulers.find(state.called);
  if (at == control.schedulers.end())
    return; // it is about to end
  if (!state.begun || state.settings != at->second.settings)
    set_scheduler(self, at->second.settings);
  state.begun = true;
  const auto queue = control.queues.find(state.settings.queue);
  state.suspended =
    control.server.suspended
    || (queue != control.queues.end() && queue->second.suspended);
  set_sources(self, control);
}

} // namespace depositd::sources
