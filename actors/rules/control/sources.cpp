#include "actors/rules/control/sources.hpp"

#include "actors/rules/control/control.hpp"
#include "actors/rules/control/source_shards.hpp"
#include "actors/rules/sources/strategy.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/topic_names.hpp"
#include "messages/values/words.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace depositd::rules {

namespace about_sources {
namespace {

using names = std::set<std::string>;

constexpr std::size_t cursor_bytes_max = 64 * 1024;

caf::error refuse(const std::string& setting, const std::string& reason) {
  return caf::make_error(ec::invalid_argument, setting + ": " + reason);
}

std::string key_of(const source_changed& x, const char* setting) {
  return "sources." + x.name + "." + setting;
}

/// Empty if there is no such scheduler.
std::string queue_fed_by(const control_state& state,
                         const std::string& scheduler) {
  const auto at = state.schedulers.find(scheduler);
  return at == state.schedulers.end() ? std::string{}
                                      : at->second.settings.queue;
}

/// What is known of a source's records is where its queue is, and means nothing
/// to another kind of source.
caf::error check_stays(const control_state& before, const control_state& after,
                       const source_changed& was, const source_changed& is) {
  if (was.made_us != is.made_us)
    return {}; // another source
  if (was.settings.kind != is.settings.kind)
    return refuse(key_of(is, "kind"),
                  std::string{"cannot change from "}
                    + to_string(was.settings.kind)
                    + ": remove the source and add it again");
  const auto& scheduler = is.settings.scheduler;
  if (queue_fed_by(before, was.settings.scheduler)
      == queue_fed_by(after, scheduler))
    return {};
  if (was.settings.scheduler != scheduler)
    return refuse(key_of(is, "scheduler"),
                  scheduler.substr(0, 64)
                    + " feeds another queue: remove the source and add it "
                      "again");
  return refuse("schedulers." + scheduler + ".queue",
                "cannot change while the scheduler has sources (" + is.name
                  + ")");
}

/// Of a scheduler that is new or has changed.
caf::error check_queue(const control_state& after, const scheduler_changed& x) {
  const auto setting = "schedulers." + x.name + ".queue";
  if (x.settings.queue == notify_queue) // whatever took the name would keep it
    return refuse(setting, x.settings.queue + " is the name of the outbox");
  const auto at = after.queues.find(x.settings.queue);
  if (at == after.queues.end())
    return refuse(setting, "there is no queue " + x.settings.queue);
  const auto why = why_not_fed(at->first, at->second);
  return why.empty() ? caf::error{} : refuse(setting, why);
}

/// Whether all sources and schedulers can become what they are afterwards.
caf::error check_step(const control_state& before, const control_state& after) {
  if (after.sources.size() > sources_max)
    return refuse("sources",
                  "there are more than " + std::to_string(sources_max));
  if (after.schedulers.size() > schedulers_max)
    return refuse("schedulers",
                  "there are more than " + std::to_string(schedulers_max));
  if (auto wrong = check(sources_of(after), schedulers_of(after)))
    return as_argument(wrong);
  for (const auto& [name, is] : after.sources) {
    const auto was = before.sources.find(name);
    if (was != before.sources.end())
      if (auto wrong = check_stays(before, after, was->second, is))
        return wrong;
  }
  for (const auto& [name, is] : after.schedulers) {
    const auto was = before.schedulers.find(name);
    if (was == before.schedulers.end() || was->second != is)
      if (auto wrong = check_queue(after, is))
        return wrong;
  }
  return {};
}

// -- the configuration --------------------------------------------------------

template <class List>
names changed_names(const List& before, const List& now) {
  names out;
  for (const auto& x : now)
    if (std::find(before.begin(), before.end(), x) == before.end())
      out.insert(x.name);
  return out;
}

template <class List>
names all_names(const List& list) {
  names out;
  for (const auto& x : list)
    out.insert(x.name);
  return out;
}

bool names_it(const std::string& strategy, const std::string& source) {
  const auto read =
    parse_strategy(strategy, [](std::string_view) { return true; });
  const auto* tree = std::get_if<strategy_tree>(&read);
  return tree != nullptr && names_source(*tree, source);
}

/// What of the configuration is to be taken over.
struct selection {
  names sources;
  names schedulers;

  std::size_t size() const {
    return sources.size() + schedulers.size();
  }
};

/// Adds what these need of the configuration and is not there: the scheduler of
/// a source, the sources that a strategy names.
void add_needed(const control_state& state, const sources_seen& seen,
                selection& to) {
  for (std::size_t before = 0; before != to.size();) {
    before = to.size();
    for (const auto& x : seen.sources)
      if (to.sources.contains(x.name)
          && !state.schedulers.contains(x.settings.scheduler))
        to.schedulers.insert(x.settings.scheduler);
    for (const auto& of : seen.schedulers) {
      if (!to.schedulers.contains(of.name))
        continue;
      for (const auto& x : seen.sources)
        if (x.settings.scheduler == of.name && !state.sources.contains(x.name)
            && names_it(of.settings.strategy, x.name))
          to.sources.insert(x.name);
    }
  }
}

source_changed with_settings(const control_state& state,
                             const sources_seen::source& x, micros now_us) {
  source_changed out;
  out.name = x.name;
  out.made_us = now_us;
  const auto known = state.sources.find(x.name);
  // One of another kind is another source.
  if (known != state.sources.end()
      && known->second.settings.kind == x.settings.kind)
    out = known->second;
  out.settings = x.settings;
  return out;
}

/// The events of a selection; refused if they do not go with what is set.
source_plan plan_of(const control_state& state, const sources_seen& seen,
                    const selection& of, micros now_us) {
  source_plan out;
  auto after = state;
  const auto add = [&](const event& x) {
    if (apply(after, x))
      out.events.push_back(x);
  };
  for (const auto& x : seen.schedulers)
    if (of.schedulers.contains(x.name))
      for (const auto& one : with_queue(after, {x.name, x.settings, false}))
        add(one);
  for (const auto& x : seen.sources)
    if (of.sources.contains(x.name))
      add(with_settings(state, x, now_us));
  if (auto wrong = check_step(state, after))
    return {{}, std::move(wrong)};
  out.events.emplace_back(seen);
  return out;
}

} // namespace
} // namespace about_sources

source_table sources_of(const control_state& state) {
  source_table out;
  for (const auto& [name, x] : state.sources)
    out.emplace(name, x.settings);
  return out;
}

scheduler_table schedulers_of(const control_state& state) {
  scheduler_table out;
  for (const auto& [name, x] : state.schedulers)
    out.emplace(name, x.settings);
  return out;
}

caf::error as_argument(const caf::error& x) {
  if (x != ec::bad_setting)
    return x;
  return caf::make_error(ec::invalid_argument, render(x));
}

std::string why_not_fed(const std::string& queue, const queue_settings& x) {
  if (x.kind != queue_kind::message)
    return queue + " is a queue of the kind " + word(x.kind)
           + ", and records need one of the kind message";
  if (is_topic_queue(queue))
    return queue + " is a channel of a topic";
  if (x.dedup != dedup_mode::none)
    return "in " + queue + " equal items collapse, and each record is an item";
  return {};
}

caf::error check_feeding(const control_state& state, const source_changed& x) {
  using namespace about_sources;
  if (x.removed)
    return as_argument(
      check_removal(x.name, sources_of(state), schedulers_of(state)));
  auto after = state;
  apply(after, x);
  return check_step(state, after);
}

caf::error check_feeding(const control_state& state,
                         const scheduler_changed& x) {
  using namespace about_sources;
  if (!x.removed) {
    auto after = state;
    apply(after, x);
    return check_step(state, after);
  }
  if (!state.schedulers.contains(x.name))
    return caf::make_error(ec::not_found,
                           "there is no scheduler " + x.name.substr(0, 64));
  return as_argument(check_scheduler_removal(x.name, sources_of(state)));
}

caf::error check_feeding(const control_state& state,
                         const fairness_changed& x) {
  if (!state.queues.contains(x.queue))
    return caf::make_error(ec::not_found,
                           "there is no queue " + x.queue.substr(0, 255));
  if (x.by > fair_by::seconds)
    return about_sources::refuse("queues." + x.queue + ".fair_by",
                                 "is one of " + any_of(all_words<fair_by>()));
  return {};
}

caf::error check_feeding(const control_state& state, const source_read& x) {
  using namespace about_sources;
  const auto known = state.sources.find(x.source);
  if (known == state.sources.end())
    return caf::make_error(ec::not_found,
                           "no such source: '" + x.source.substr(0, 64) + "'");
  if (known->second.made_us != x.made_us)
    return caf::make_error(ec::stale_claim,
                           "source " + x.source + " is another one by now");
  return x.cursor.size() <= cursor_bytes_max
           ? caf::error{}
           : refuse("cursor of source " + x.source,
                    "has more than " + std::to_string(cursor_bytes_max)
                      + " bytes");
}

caf::error check_shard(const control_state& state, const source_changed& x,
                       shard_number shards) {
  using namespace about_sources;
  const auto known = state.sources.find(x.name);
  if (x.removed || known == state.sources.end()
      || known->second.made_us != x.made_us)
    return {};
  const auto from = shard_of(known->second.settings.scheduler, shards);
  const auto to = shard_of(x.settings.scheduler, shards);
  if (from == to)
    return {};
  return refuse(key_of(x, "scheduler"),
                x.settings.scheduler.substr(0, 64) + " is in shard "
                  + std::to_string(to) + " and the source in shard "
                  + std::to_string(from)
                  + ", where it is known how far it has been read: remove the "
                    "source and add it again to read it from its beginning");
}

std::vector<event> with_queue(const control_state& state,
                              const scheduler_changed& x) {
  std::vector<event> out;
  const auto& queue = x.settings.queue;
  if (!x.removed && !state.queues.contains(queue))
    out.emplace_back(queue_changed{queue, settings_of_new_queue(queue)});
  out.emplace_back(x);
  return out;
}

source_plan source_changes(const control_state& state, const sources_seen& seen,
                           micros now_us) {
  using namespace about_sources;
  const auto& before = state.sources_configured;
  if (seen == before)
    return {};
  selection changed{changed_names(before.sources, seen.sources),
                    changed_names(before.schedulers, seen.schedulers)};
  add_needed(state, seen, changed);
  auto out = plan_of(state, seen, changed, now_us);
  if (!out.refused)
    return out;
  // As a whole it goes with itself.
  auto whole = plan_of(
    state, seen, {all_names(seen.sources), all_names(seen.schedulers)}, now_us);
  return whole.refused ? std::move(out) : std::move(whole);
}

std::vector<event> fairness_changes(const control_state& state,
                                    const fairness_seen& seen) {
  const auto& before = state.fairness_configured;
  std::vector<event> out;
  if (seen == before)
    return out;
  const auto said = [](const fairness_seen& where, const std::string& queue) {
    for (const auto& x : where.queues)
      if (x.queue == queue)
        return x.by;
    return fair_by::turns;
  };
  std::set<std::string> queues;
  for (const auto* list : {&before.queues, &seen.queues})
    for (const auto& x : *list)
      queues.insert(x.queue);
  for (const auto& queue : queues) {
    const auto by = said(seen, queue);
    const auto at = state.fairness.find(queue);
    const auto is = at == state.fairness.end() ? fair_by::turns : at->second.by;
    if (by != said(before, queue) && by != is)
      out.emplace_back(fairness_changed{queue, by});
  }
  out.emplace_back(seen);
  return out;
}

} // namespace depositd::rules
