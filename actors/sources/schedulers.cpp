#include "actors/sources/schedulers.hpp"

#include "actors/journal/gather.hpp"
#include "actors/sources/scheduler.hpp"
#include "messages/shard.hpp"

#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace depositd::sources {

namespace {

using schedulers_pointer = actor_with<schedulers_state>*;

bool is_here(const schedulers_options& options, const std::string& scheduler) {
  return shard_of(scheduler, options.shard_count) == options.shard;
}

/// Whether schedulers would see any difference: positions and much else that is
/// set change all the time.
bool concerns_nobody(const control_state& before, const control_state& now) {
  return before.schedulers.is_same(now.schedulers)
         && before.sources.is_same(now.sources)
         && before.queues.is_same(now.queues) && before.server == now.server;
}

void spawn_missing(schedulers_pointer self) {
  auto& state = self->state;
  for (const auto& [name, wanted] : state.control->schedulers) {
    if (!is_here(*state.options, name) || state.schedulers.contains(name))
      continue;
    const auto fresh =
      self->home_system().spawn(scheduler, name, state.options);
    self->monitor(fresh);
    state.schedulers.emplace(name, fresh);
    spdlog::info("scheduler_begins scheduler={} queue={}", name,
                 wanted.settings.queue);
    self->send(fresh, control_changed{state.control});
  }
}

void end_removed(schedulers_pointer self) {
  auto& state = self->state;
  std::erase_if(state.schedulers, [&](const auto& entry) {
    if (state.control->schedulers.contains(entry.first))
      return false;
    self->demonitor(entry.second.address());
    caf::anon_send_exit(entry.second, caf::exit_reason::kill);
    spdlog::info("scheduler_ends scheduler={}", entry.first);
    return true;
  });
}

void follow_all(schedulers_pointer self, const control_changed& x) {
  auto& state = self->state;
  const auto before = std::exchange(state.control, x.state);
  if (before && concerns_nobody(*before, *x.state))
    return;
  end_removed(self);
  for (const auto& [name, who] : state.schedulers)
    self->send(who, x);
  spawn_missing(self);
}

/// One that failed comes again; not at once, as it may fail again.
void scheduler_gone(schedulers_pointer self, const caf::down_msg& x) {
  auto& state = self->state;
  for (const auto& [name, who] : state.schedulers)
    if (who.address() == x.source)
      spdlog::error("scheduler_failed scheduler={} reason=\"{}\"", name,
                    render(x.reason));
  std::erase_if(state.schedulers, [&](const auto& entry) {
    return entry.second.address() == x.source;
  });
  if (!std::exchange(state.refill_due, true))
    self->delayed_send(self, std::chrono::seconds{1}, refill_schedulers{});
}

/// Passes an operator's question on.
template <class Answer, class Question>
caf::result<Answer> pass_on(schedulers_pointer self, const Question& x) {
  const auto& state = self->state;
  if (!state.control)
    return caf::make_error(ec::overloaded,
                           std::string{"the settings are not known yet"});
  const auto at = state.schedulers.find(x.scheduler);
  if (at == state.schedulers.end())
    return caf::make_error(ec::not_found, "no scheduler " + x.scheduler);
  return self->delegate(at->second, x);
}

caf::result<schedulers_reported> report_some(schedulers_pointer self,
                                             const report_schedulers& x) {
  if (!x.scheduler.empty())
    return pass_on<schedulers_reported>(self, x);
  const auto add = [](schedulers_reported& sum,
                      const schedulers_reported& one) {
    sum.schedulers.insert(sum.schedulers.end(), one.schedulers.begin(),
                          one.schedulers.end());
  };
  using gathering = journal::gathering<schedulers_reported>;
  return journal::answer_later<schedulers_reported>(self, [&](auto then) {
    const gathering all{[then](caf::expected<schedulers_reported> sum) mutable {
      if (sum)
        std::sort(sum->schedulers.begin(), sum->schedulers.end(),
                  [](const auto& a, const auto& b) { return a.name < b.name; });
      then(std::move(sum));
    }};
    const auto& state = self->state;
    // Each of them bounds what it asks by itself.
    for (const auto& [name, who] : state.schedulers)
      all.ask<schedulers_reported>(
        self, who, 2 * state.options->limits.report_timeout,
        report_schedulers{name}, add, journal::only_counts);
    all.close();
  });
}

} // namespace

schedulers_state::~schedulers_state() {
  for (const auto& [name, who] : schedulers)
    caf::anon_send_exit(who, caf::exit_reason::kill);
  if (options)
    caf::anon_send(options->own, meet_schedulers{});
}

schedulers_self::behavior_type schedulers(schedulers_pointer self,
                                          schedulers_options options) {
  const auto request_timeout = options.limits.request_timeout;
  self->state.options =
    std::make_shared<const schedulers_options>(std::move(options));
  const auto& own = self->state.options->own;
  self->set_down_handler(
    [=](const caf::down_msg& x) { scheduler_gone(self, x); });
  self->send(own, meet_schedulers{caf::strong_actor_ptr{self->ctrl()}});
  follow_control(self,
                 caf::actor_cast<control_source_actor>(
                   caf::actor_cast<caf::strong_actor_ptr>(own)),
                 {.patience = request_timeout});
  return {
    [=](const control_changed& x) { follow_all(self, x); },
    [=](const report_schedulers& x) { return report_some(self, x); },
    [=](const find_record& x) { return pass_on<record_found>(self, x); },
    [=](const explain_strategy& x) {
      return pass_on<strategy_explained>(self, x);
    },
    [=](const test_source& x) { return pass_on<source_tested>(self, x); },
    [=](const feed_by_hand& x) { return pass_on<fed_by_hand>(self, x); },
    [=](const control_unknown& x) {
      // A shard that is opened with us recovers first, and says itself if it
      // cannot.
      spdlog::info("schedulers_wait reason=\"{}\"", render(x.why));
    },
    [=](refill_schedulers) {
      self->state.refill_due = false;
      spawn_missing(self);
    },
  };
}

} // namespace depositd::sources
