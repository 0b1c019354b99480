#include "actors/rules/control/control.hpp"
#include "actors/journal/reply.hpp"
#include "actors/rules/control/founding.hpp"
#include "actors/rules/control/pipelines.hpp"
#include "actors/rules/control/source_shards.hpp"
#include "actors/rules/control/sources.hpp"
#include "actors/rules/control/stage_slots.hpp"
#include "actors/shard/feeding/feeding.hpp"
#include "actors/shard/parts.hpp"
#include "actors/shard/topics/topics.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

namespace depositd::shard {

namespace {

void quota_was_changed(shard_pointer self, const quota_changed& x) {
  const auto number = find_queue(self, x.queue);
  if (!number)
    return;
  if (x.user.empty())
    send_settings(self, *number, false);
  else
    send_settings_to(self, *number, x.user);
}

void spread(shard_pointer self, const event& change) {
  auto& state = self->state;
  if (const auto* x = std::get_if<queue_changed>(&change)) {
    if (const auto number = find_queue(self, x->queue)) {
      send_settings(self, *number, true);
    } else {
      const auto fresh = spawn_queue(self, x->queue);
      self->send(state.queues[fresh].actor, begin{0});
      if (x->settings.kind == queue_kind::outbox)
        spread_telling(self, nullptr);
    }
  } else if (const auto* gone = std::get_if<queue_retired>(&change)) {
    forget_queue(self, *gone);
  } else if (const auto* terms = std::get_if<fairness_changed>(&change)) {
    if (const auto number = find_queue(self, terms->queue))
      send_settings(self, *number, false);
  } else if (const auto* quota = std::get_if<quota_changed>(&change)) {
    quota_was_changed(self, *quota);
  } else if (const auto* limits = std::get_if<user_limits_changed>(&change)) {
    if (const auto number = find_queue(self, limits->queue))
      send_limits(self, *number, limits->user);
  } else if (const auto* who = std::get_if<user_eligibility_changed>(&change)) {
    for (const auto number : queues_here(self))
      send_limits(self, number, who->user);
  } else if (const auto* set = std::get_if<collection_changed>(&change)) {
    spread_terms(self, set->settings.held ? set->settings.name : "");
  } else if (const auto* contact = std::get_if<contact_changed>(&change)) {
    if (!seeded_bug("contact_not_spread"))
      spread_telling(self, &contact->user);
  } else if (std::holds_alternative<configuration_seen>(change)) {
    spread_telling(self, nullptr);
  } else if (const auto* line = std::get_if<pipeline_changed>(&change)) {
    for (const auto& [name, settings] : rules::queues_of(line->what))
      if (const auto number = find_queue(self, name))
        send_settings(self, *number, false);
    if (!seeded_bug("stages_not_spread"))
      spread_terms(self, {});
  } else if (const auto* topic = std::get_if<topic_changed>(&change)) {
    topic_was_changed(self, topic->topic);
  } else if (std::holds_alternative<server_changed>(change)) {
    // Users' actors need not know: there may be very many of them.
    for (const auto number : queues_here(self))
      send_to_queue(self, number);
  }
}

/// Whether there may be less of sources afterwards.
bool concerns_sources(const event& change) {
  return std::holds_alternative<source_changed>(change)
         || std::holds_alternative<scheduler_changed>(change);
}

void tell_watchers(shard_pointer self, const control_changed& news) {
  for (const auto& who : self->state.watchers)
    who->enqueue(self->ctrl(), caf::make_message_id(), caf::make_message(news),
                 self->context());
}

/// What is shared out from now on begins now, unless it is what it was, or
/// shard 0 has said when it began.
void begin_terms(fairness_changed& x, const control_state& before,
                 std::uint64_t revision) {
  if (x.by == fair_by::turns || x.since != 0)
    return;
  const auto known = before.fairness.find(x.queue);
  x.since = known != before.fairness.end() && known->second.by == x.by
              ? known->second.since
              : revision;
}

/// Whether other shards take up what this one decides. They must not take up
/// what is lost with an append that fails.
bool is_followed(shard_pointer self) {
  return self->state.options.number == 0 && self->state.options.router;
}

void tell_watchers(shard_pointer self) {
  if (!is_followed(self)) {
    tell_watchers(self, {self->state.control, self->state.revision});
    return;
  }
  // We answer ourselves, as everybody, when the journal has it.
  self
    ->request(caf::actor_cast<shard_actor>(self), caf::infinite,
              watch_control{nullptr})
    .then([=](const control_changed& news) { tell_watchers(self, news); },
          [](const caf::error&) { /* it starts over, and tells them then */ });
}

} // namespace

void commit_control(shard_pointer self, std::vector<event> changes,
                    std::optional<reply> answer) {
  auto& state = self->state;
  if (state.options.number == 0)
    ++state.revision;
  auto next = std::make_shared<control_state>(*state.control);
  for (auto& change : changes) {
    if (auto* terms = std::get_if<fairness_changed>(&change))
      begin_terms(*terms, *next, state.revision);
    rules::apply(*next, change);
  }
  state.control = std::move(next);
  journal::command todo{state.journal};
  for (const auto& change : changes)
    todo.note(change);
  if (answer)
    todo.deliver(std::move(*answer));
  crash_point("control_decided");
  // First the journal: what the change lets happen comes after it.
  todo.commit(self);
  for (const auto& change : changes)
    spread(self, change);
  tell_watchers(self);
  if (std::any_of(changes.begin(), changes.end(), concerns_sources))
    forget_gone_sources(self);
}

caf::result<done> change_control(shard_pointer self, const propose& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  auto checked = *self->state.control;
  for (const auto& change : x.changes) {
    if (auto wrong = rules::check(checked, change))
      return wrong;
    if (const auto* source = std::get_if<source_changed>(&change))
      if (auto wrong = rules::check_shard(checked, *source,
                                          self->state.options.shards))
        return wrong;
    if (const auto* made = std::get_if<queue_founded>(&change))
      if (auto wrong = rules::check_founding(
            checked, made->founder, self->state.options.queues_per_key_max))
        return wrong;
    rules::apply(checked, change);
  }
  commit_control(self, x.changes,
                 reply{journal::take_reply(self), caf::make_message(done{})});
  run_moves(self);
  return journal::answered_later<done>();
}

caf::result<done> note_use(shard_pointer self, const note_key_use& x) {
  if (refuse_intake(self))
    return done{}; // it is told again
  const auto& state = self->state;
  const auto known = state.control->keys_used.find(x.key);
  if (state.control->keys.contains(x.key)
      && (known == state.control->keys_used.end()
          || known->second.used_us < x.used_us))
    commit_control(self, {key_used{x.key, x.used_us}});
  return done{};
}

caf::result<done> follow_control(shard_pointer self, const adopt_control& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  auto& state = self->state;
  std::vector<event> changes;
  if (x.revision > state.revision && state.options.number != 0) {
    state.revision = x.revision;
    changes = rules::differences(*state.control, *x.state);
  }
  commit_control(self, changes,
                 reply{journal::take_reply(self), caf::make_message(done{})});
  run_moves(self);
  return journal::answered_later<done>();
}

void begin_control(shard_pointer self, control_state recovered,
                   const std::optional<control_changed>& newest) {
  auto& state = self->state;
  if (newest) {
    journal::command todo{state.journal};
    for (const auto& change : rules::differences(recovered, *newest->state)) {
      rules::apply(recovered, change);
      todo.note(change);
    }
    todo.commit(self);
    state.revision = newest->revision;
  } else if (state.options.number == 0) {
    // Above all that this owner has told, if it starts over: it told some of it
    // before the append that failed.
    state.revision =
      std::max(state.revision, first_revision(state.options.epoch));
  }
  state.control = std::make_shared<control_state>(std::move(recovered));
  if (newest)
    tell_watchers(self, {state.control, state.revision});
}

std::uint64_t first_revision(epoch_number epoch) {
  constexpr unsigned bits_for_changes = 24;
  return std::uint64_t{epoch} << bits_for_changes;
}

caf::result<control_changed> add_watcher(shard_pointer self,
                                         const watch_control& x) {
  const auto followed = is_followed(self);
  if (followed && self->state.now == shard_state::phase::recovering)
    return refuse_intake(self);
  if (x.who) {
    self->state.watchers.push_back(x.who);
    self->monitor(x.who->address());
  }
  control_changed known{self->state.control, self->state.revision};
  if (!followed)
    return known;
  return answer_after_commits(self, std::move(known));
}

void warn_of_fixed(const control_state& state, const configuration_seen& seen) {
  for (const auto& queue : seen.queues) {
    const auto known = state.queues.find(queue.name);
    if (known != state.queues.end()
        && rules::with_fixed_of(known->second, queue.settings)
             != queue.settings)
      spdlog::warn("setting_kept queue={} reason=\"{}\"", queue.name,
                   rules::fixed_settings_text);
  }
}

void warn_of_taken(const control_state& state, const pipelines_seen& seen) {
  for (const auto& pipeline : seen.pipelines)
    for (const auto& [name, settings] : rules::queues_of(pipeline)) {
      const auto known = state.queues.find(name);
      if (known != state.queues.end()
          && known->second.kind != queue_kind::stage)
        spdlog::error("pipeline_cannot_work pipeline={} reason=\"there was a "
                      "queue {} before\"",
                      pipeline.name, name);
    }
}

std::vector<event> feeding_changes(shard_pointer self,
                                   const std::vector<event>& before) {
  const auto& options = self->state.options;
  auto state = *self->state.control;
  for (const auto& x : before)
    rules::apply(state, x);
  auto plan = rules::source_changes(state, options.sources, now(self));
  for (const auto& x : plan.events) {
    const auto* source = std::get_if<source_changed>(&x);
    if (source != nullptr && !plan.refused)
      plan.refused = rules::check_shard(state, *source, options.shards);
  }
  std::vector<event> out;
  if (plan.refused)
    spdlog::warn("sources_kept reason=\"{}\"", render(plan.refused));
  else
    out = std::move(plan.events);
  for (auto& x : rules::fairness_changes(state, options.fairness))
    out.push_back(std::move(x));
  return out;
}

} // namespace depositd::shard
