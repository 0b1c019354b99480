// What operators ask of a scheduler and its sources.

#include "actors/journal/gather.hpp"
#include "actors/rules/sources/settings.hpp"
#include "actors/sources/parts.hpp"
#include "messages/shard.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace depositd::sources {

namespace {

caf::error no_source(const std::string& name) {
  return caf::make_error(ec::not_found, "no source " + name);
}

// -- reports ------------------------------------------------------------------

/// The source's own trouble first, then what keeps the scheduler from feeding.
void add_trouble(source_report& to, const fed_source& x,
                 const measuring& measure) {
  const auto& facts = x.records.facts();
  if (!facts.error.empty()) {
    to.error = facts.error;
    to.error_us = facts.error_us;
  } else if (!x.trouble.empty()) {
    to.error = x.trouble;
    to.error_us = x.trouble_us;
  } else if (!measure.trouble.empty()) {
    to.error = x.set.name + ": " + measure.trouble;
    to.error_us = measure.trouble_us;
  }
}

source_report report_of(fed_source& x, const measuring& measure,
                        micros at_us) {
  const auto& facts = x.records.facts();
  source_report out;
  out.name = x.set.name;
  out.settings = x.set.settings;
  out.made_us = x.set.made_us;
  out.state = x.records.state();
  out.buffer = x.records.buffer().size();
  out.replenishing = x.records.on_its_way();
  out.replenishes = facts.replenishes;
  out.replenish_ms_last = facts.replenish_us_last / 1'000;
  out.replenish_records_last = facts.replenish_records_last;
  out.failures = facts.failures;
  add_trouble(out, x, measure);
  out.has_cursor = x.records.cursor().has_value();
  out.cursor = x.records.cursor().value_or("");
  out.rate = x.rate.per_second(at_us);
  out.has_total = facts.total.has_value();
  out.total = facts.total.value_or(0);
  out.duplicates = facts.duplicates;
  out.bad = facts.bad;
  out.bad_last = facts.bad_last;
  return out;
}

scheduler_report report_of(const scheduler_actor_state& state, micros at_us) {
  scheduler_report out;
  out.name = state.called;
  out.settings = state.settings;
  out.state = state.suspended         ? scheduler_state::suspended
              : state.marks.holding() ? scheduler_state::holding
                                      : scheduler_state::feeding;
  out.left = state.marks.left();
  out.fed = state.fed;
  out.rate = state.rate.per_second(at_us);
  for (const auto& x : state.sources)
    out.sources.push_back(report_of(*x, state.measure, at_us));
  return out;
}

} // namespace

caf::result<schedulers_reported> report(scheduler_pointer self) {
  const auto& state = self->state;
  schedulers_reported begin;
  if (!state.begun)
    return begin;
  begin.schedulers.push_back(report_of(state, now_us(self)));
  using gathering = journal::gathering<schedulers_reported>;
  return journal::gather<schedulers_reported>(
    self,
    [&](const gathering& all) {
      const auto& options = *self->state.options;
      for (std::size_t i = 0; i < self->state.sources.size(); ++i) {
        const auto& x = *self->state.sources[i];
        // Numbers that nobody gives are 0: the rest is still of use.
        all.ask<records_counted>(
          self, options.shards, options.limits.report_timeout,
          count_records{self->state.settings.queue, x.set.name, x.set.made_us},
          [i](schedulers_reported& sum, const records_counted& counts) {
            sum.schedulers.front().sources[i].records = counts;
          },
          journal::only_counts);
      }
    },
    std::move(begin));
}

// -- one record ---------------------------------------------------------------

namespace {

/// Of a record that was picked and is not durable yet; null: it is none.
const feed_records::one* find_picked(const fed_source& x,
                                     const std::string& key) {
  const auto in = [&](const std::vector<feed_records::one>& records)
    -> const feed_records::one* {
    const auto at =
      std::find_if(records.begin(), records.end(),
                   [&](const auto& one) { return one.key == key; });
    return at == records.end() ? nullptr : &*at;
  };
  if (const auto* one = in(x.next.records))
    return one;
  return x.sent ? in(x.sent->what.get_as<feed_records>(0).records) : nullptr;
}

record_found buffered(std::string_view user) {
  record_found out;
  out.state = record_state::buffered;
  out.user = user;
  return out;
}

} // namespace

caf::result<record_found> find_one(scheduler_pointer self,
                                   const find_record& x) {
  auto& state = self->state;
  auto* source = find_source(state, x.source);
  if (!source)
    return no_source(x.source);
  if (const auto waits = source->records.buffer().find(x.key))
    return buffered(waits->user);
  record_found on_the_way;
  if (const auto* one = find_picked(*source, x.key))
    on_the_way = buffered(one->user);
  return journal::answer_later<record_found>(self, [&](auto then) {
    // Whatever the queue does not know is as we have it.
    auto take = [=](caf::expected<record_found> found) mutable {
      const bool no_queue = !found && found.error() == ec::not_found;
      if (no_queue || (found && found->state == record_state::unknown))
        then(on_the_way);
      else
        then(std::move(found));
    };
    const auto& options = *state.options;
    self
      ->request(options.shards, options.limits.report_timeout,
                look_up_record{state.settings.queue, x.source,
                               source->set.made_us, x.key})
      .then([take](const record_found& found) mutable { take(found); },
            [take](const caf::error& why) mutable { take(why); });
  });
}

// -- strategies ---------------------------------------------------------------

namespace {

constexpr std::uint32_t picks_shown_max = 1'000;

/// The strategy of the text over these sources, and its usual spelling.
caf::expected<std::pair<rules::strategy, std::string>>
strategy_of(const scheduler_actor_state& state, const std::string& text) {
  rules::source_table table;
  std::vector<std::string> names;
  for (const auto& x : state.sources) {
    table.emplace(x->set.name, x->set.settings);
    names.push_back(x->set.name);
  }
  if (auto wrong = rules::check_strategy(state.called, text, table))
    return wrong;
  const auto read =
    rules::parse_strategy(text, [](std::string_view) { return true; });
  const auto& tree = std::get<rules::strategy_tree>(read);
  return std::pair{rules::strategy{tree, std::move(names)},
                   rules::to_string(tree)};
}

} // namespace

caf::result<strategy_explained> explain(scheduler_pointer self,
                                        const explain_strategy& x) {
  auto& state = self->state;
  if (!state.begun)
    return caf::make_error(ec::overloaded,
                           std::string{"the settings are not known yet"});
  auto strategy = state.strategy;
  strategy_explained out;
  out.strategy = state.strategy_text;
  if (!x.strategy.empty() || !strategy) {
    auto other = strategy_of(state, x.strategy.empty() ? state.settings.strategy
                                                       : x.strategy);
    if (!other)
      return std::move(other.error());
    strategy = std::move(other->first);
    out.strategy = std::move(other->second);
  }
  std::vector<std::uint64_t> ready;
  for (const auto& source : state.sources) {
    ready.push_back(source->records.ready());
    out.sources.push_back({source->set.name, source->records.buffer().size()});
  }
  const auto said =
    strategy->explain(ready, now_us(self), std::min(x.picks, picks_shown_max));
  const auto name_at = [&](std::size_t i) {
    return state.sources[i]->set.name;
  };
  if (said.next)
    out.next = name_at(*said.next);
  out.why = said.why;
  for (const auto i : said.picks)
    out.picks.push_back(name_at(i));
  return out;
}

} // namespace depositd::sources
