// What operators do with single sources: dry runs, and records by hand.

#include "actors/journal/gather.hpp"
#include "actors/sources/parts.hpp"
#include "messages/shard.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>

namespace depositd::sources {

// -- dry runs -----------------------------------------------------------------

namespace {

constexpr std::uint32_t test_records_max = 1'000;

using tested = std::function<void(caf::expected<source_tested>)>;

/// As the records would be taken, but that nothing is known of any.
source_tested look_at_batch(const scheduler_actor_state& state,
                            const source_changed& of, pulled_batch batch,
                            std::size_t limit) {
  source_tested out;
  out.bad = std::move(batch.bad);
  for (auto& x : batch.records) {
    if (out.records.size() >= limit)
      break;
    if (x.user.empty() && of.settings.user_field.empty())
      x.user = of.name;
    const auto fault = rules::fault_of(x, state.options->body_bytes_max);
    if (fault.empty())
      out.records.push_back(std::move(x));
    else
      out.bad.push_back(
        {x.key, x.user, fault, std::move(x.body), out.records.size()});
  }
  if (out.bad.size() > limit)
    out.bad.resize(limit);
  return out;
}

/// `by` is its own, and ends with it.
void pull_once(scheduler_pointer self, const fed_source& x, puller by,
               std::uint64_t limit, tested then) {
  auto& state = self->state;
  const auto number = ++state.number_last;
  by.busy = number; // so that it is cancelled if all of this goes
  const auto reader = by.actor();
  state.tests.emplace(number, std::move(by));
  const auto of = x.set;
  const std::chrono::milliseconds time{of.settings.timeout_ms};
  self
    ->request(reader, time + state.options->limits.cancel_patience,
              pull_records{number, limit, x.records.cursor().value_or(""),
                           of.settings.timeout_ms})
    .then(
      [=](records_pulled& got) {
        self->state.tests.erase(number);
        then(look_at_batch(self->state, of, std::move(got.batch), limit));
      },
      [=](const caf::error& why) {
        self->state.tests.erase(number);
        source_tested out;
        out.error = of.name + ": "
                    + (why == caf::sec::request_timeout
                         ? "took longer than timeout_ms "
                             + std::to_string(of.settings.timeout_ms)
                         : render(why));
        then(std::move(out));
      });
}

} // namespace

caf::result<source_tested> test_one(scheduler_pointer self,
                                    const test_source& x) {
  auto& state = self->state;
  const auto* source = find_source(state, x.source);
  if (!source)
    return caf::make_error(ec::not_found, "no source " + x.source);
  if (forgets_applied(source->set.settings.kind))
    return caf::make_error(ec::invalid_argument,
                           "source " + x.source + " is of kind "
                             + to_string(source->set.settings.kind)
                             + ": reading it would change something there");
  if (x.limit == 0)
    return caf::make_error(ec::invalid_argument,
                           std::string{"the limit is at least 1"});
  if (state.tests.size() >= state.options->limits.tests_max)
    return caf::make_error(ec::overloaded,
                           std::string{"too many sources are tested now"});
  puller by;
  try {
    by = spawn_puller(self, *source);
  } catch (const std::exception& why) {
    return caf::make_error(ec::overloaded,
                           std::string{"no thread can be had: "} + why.what());
  }
  return journal::answer_later<source_tested>(self, [&](auto then) {
    pull_once(self, *source, std::move(by), std::min(x.limit, test_records_max),
              std::move(then));
  });
}

// -- records by hand ----------------------------------------------------------

namespace {

/// One operator's records on their way, in several messages if they are large.
struct records_by_hand {
  std::uint64_t source = 0; ///< number
  feed_records what;        ///< without records
  std::vector<feed_records::one> records;
  std::size_t at = 0; ///< of `records`: the next to be sent
  fed_by_hand answer;
  std::function<void(caf::expected<fed_by_hand>)> then;
};

void feed_next(scheduler_pointer self, std::shared_ptr<records_by_hand> all);

/// As many as fit into a message.
feed_records next_by_hand(scheduler_actor_state& state, records_by_hand& all) {
  auto out = all.what;
  std::size_t bytes = 0;
  for (; all.at < all.records.size(); ++all.at) {
    auto& one = all.records[all.at];
    bytes += one.key.size() + one.user.size() + one.body.size();
    if (!out.records.empty() && bytes > feed_bytes_max / 2)
      break;
    // The operator may exceed the marks, the scheduler then feeds no more.
    state.marks.fed(one.user);
    note_picked(state, nullptr, one.user);
    out.records.push_back(std::move(one));
  }
  state.picked += out.records.size();
  return out;
}

/// What is known of keys that were fed counts for nothing, and a record that
/// waits gives way to its like from the operator.
void settle_by_hand(scheduler_actor_state& state, std::uint64_t source,
                    const caf::message& what, bool fed) {
  const auto& records = what.get_as<feed_records>(0).records;
  state.resolved += records.size();
  auto* x = find_source(state, source);
  for (const auto& one : records) {
    note_resolved(state, one.user);
    if (!fed || !x)
      continue;
    x->records.forget(one.key);
    x->records.known().remember(one.key, record_state::finished);
  }
  if (fed)
    state.fed += records.size();
}

/// Of a table that was fed in part. What is behind that part may be there, too,
/// if its answer was lost.
caf::error why_not_all(const fed_by_hand& x, const caf::error& why) {
  if (x.fed == 0)
    return why;
  return caf::make_error(ec::store_failed, "the first " + std::to_string(x.fed)
                                             + " are fed: " + render(why));
}

void feed_next(scheduler_pointer self, std::shared_ptr<records_by_hand> all) {
  auto& state = self->state;
  if (all->at == all->records.size()) {
    all->then(std::move(all->answer));
    return go_on(self);
  }
  const auto what = caf::make_message(next_by_hand(state, *all));
  const auto& options = *state.options;
  self
    ->request(caf::actor_cast<caf::actor>(options.shards),
              options.limits.request_timeout, what)
    .then(
      [=](const records_fed&) {
        settle_by_hand(self->state, all->source, what, true);
        all->answer.fed += what.get_as<feed_records>(0).records.size();
        feed_next(self, all);
      },
      [=](const caf::error& why) {
        // Not sent again: what came through would be there twice.
        settle_by_hand(self->state, all->source, what, false);
        all->then(why_not_all(all->answer, why));
        go_on(self);
      });
}

} // namespace

caf::result<fed_by_hand> feed_hand(scheduler_pointer self,
                                   const feed_by_hand& x) {
  auto& state = self->state;
  const auto* source = find_source(state, x.source);
  if (!source)
    return caf::make_error(ec::not_found, "no source " + x.source);
  if (x.records.size() > feed_records_max)
    return caf::make_error(ec::too_large, "more than "
                                            + std::to_string(feed_records_max)
                                            + " records at once");
  auto all = std::make_shared<records_by_hand>();
  all->source = source->number;
  all->what.queue = state.settings.queue;
  all->what.source = x.source;
  all->what.made_us = source->set.made_us;
  all->what.known_max = source->set.settings.known_max;
  for (auto record : x.records) {
    if (record.user.empty() && source->set.settings.user_field.empty())
      record.user = x.source;
    auto fault = rules::fault_of(record, state.options->body_bytes_max);
    if (!fault.empty()) {
      all->answer.bad.push_back(
        {record.key, record.user, std::move(fault), std::move(record.body), 0});
      continue;
    }
    all->records.push_back({std::move(record.key), std::move(record.user),
                            std::move(record.body), true});
  }
  return journal::answer_later<fed_by_hand>(self, [&](auto then) {
    all->then = std::move(then);
    feed_next(self, all);
  });
}

} // namespace depositd::sources
