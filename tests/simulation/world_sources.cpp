// Work that is pulled: sources with records, one scheduler, and what operators
// do to them.

#include "actors/sources/schedulers.hpp"
#include "messages/ports/source_reader.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <set>

namespace depositd::simulation {

/// What is there to be read. It outlives all engines.
struct simulated_source {
  struct one {
    std::string key;
    std::string user;
    std::string body;
    bool bad = false;
  };
  std::string name;
  bool forgets = false; ///< it has no cursor, and forgets what is applied
  std::vector<one> records;
  std::set<std::size_t> open; ///< of one that forgets: not applied yet
};

namespace {

constexpr const char* pulled_queue = "pulled";
constexpr const char* scheduler_name = "puller";
/// Feeds the same queue.
constexpr const char* other_scheduler = "helper";

/// Reads one source as slowly, wrongly and repeatedly as it may.
class simulated_reader final : public source_reader {
public:
  simulated_reader(std::shared_ptr<simulated_source> from, const knobs& how,
                   const bool& calm, chance& by)
    : from_(std::move(from)), how_(how), calm_(calm), by_(by) {
    // nop
  }

  caf::expected<pulled_batch> next_batch(const batch_request& x) override {
    if (fails())
      return caf::make_error(ec::store_failed, std::string{"not now"});
    return from_->forgets ? some_open(x) : behind(x);
  }

  void cancel() noexcept override {
    // Nothing is ever waited for here.
  }

  caf::error applied(const std::vector<std::string>& keys) override {
    if (fails())
      return caf::make_error(ec::store_failed, std::string{"not now"});
    std::erase_if(from_->open, [&](std::size_t i) {
      return std::find(keys.begin(), keys.end(), from_->records[i].key)
             != keys.end();
    });
    return {};
  }

private:
  bool fails() {
    return how_.source_faults && !calm_ && by_.one_in(4);
  }

  bool repeats() {
    return how_.source_repeats && by_.one_in(3);
  }

  void add(pulled_batch& to, std::size_t i) const {
    const auto& x = from_->records[i];
    if (x.bad)
      to.bad.push_back({x.key, x.user, "is bad", x.body, to.records.size()});
    else
      to.records.push_back(
        {x.key, x.user, x.body, from_->forgets ? "" : std::to_string(i + 1)});
  }

  /// More than asked for now and then; some that came before, too.
  caf::expected<pulled_batch> behind(const batch_request& x) {
    pulled_batch out;
    const auto begin =
      x.cursor.empty() ? std::size_t{0} : std::stoull(x.cursor);
    if (repeats() && begin > 0)
      add(out, by_.below(static_cast<std::uint32_t>(begin)));
    if (!out.records.empty())
      out.records.back().cursor = x.cursor; // it moves nothing
    auto limit = x.limit;
    if (by_.one_in(8))
      limit += by_.below(5);
    else if (by_.one_in(4))
      limit = by_.below(static_cast<std::uint32_t>(limit) + 1);
    const auto end =
      std::min<std::size_t>(begin + limit, from_->records.size());
    for (auto i = begin; i < end; ++i) {
      add(out, i);
      if (repeats())
        add(out, i);
    }
    out.has_cursor = true;
    out.cursor = std::to_string(end);
    return out;
  }

  caf::expected<pulled_batch> some_open(const batch_request& x) {
    pulled_batch out;
    for (const auto i : from_->open) {
      if (out.records.size() >= x.limit)
        break;
      if (by_.one_in(4))
        continue; // somebody else has it for now
      add(out, i);
      if (repeats())
        add(out, i);
    }
    return out;
  }

  std::shared_ptr<simulated_source> from_;
  const knobs& how_;
  const bool& calm_;
  chance& by_;
};

} // namespace

void world::open_sources() {
  for (std::uint32_t i = 0; i < knobs_.pulls; ++i) {
    auto fresh = std::make_shared<simulated_source>();
    fresh->name = std::string{"s"}.append(std::to_string(i));
    fresh->forgets = source_chance_.one_in(3);
    sources_.push_back(std::move(fresh));
  }
}

void world::spawn_schedulers(simulated_engine& engine,
                             const shards_actor& shards) {
  if (!knobs_.sources)
    return;
  depositd::sources::schedulers_options options;
  options.shards = shards;
  options.own = engine.core.shard;
  options.shard = engine.shard;
  options.shard_count = knobs_.shards;
  options.clock =
    engine_clock{now_us() + wall_began_us_, scheduler_.clock().now()};
  options.body_bytes_max = 1'000;
  options.threads = false;
  options.make_reader = [this](const std::string& name, const source_settings&)
    -> caf::expected<std::unique_ptr<source_reader>> {
    for (const auto& x : sources_)
      if (x->name == name)
        return std::unique_ptr<source_reader>{
          std::make_unique<simulated_reader>(x, knobs_, calm_, source_chance_)};
    return caf::make_error(ec::not_found, "no source " + name);
  };
  engine.schedulers =
    system_.spawn(depositd::sources::schedulers, std::move(options));
}

source_changed world::source_as_set(const simulated_source& x) const {
  source_changed out;
  out.name = x.name;
  out.made_us = 1;
  out.settings.kind = x.forgets ? source_kind::sqs : source_kind::sql;
  out.settings.scheduler = scheduler_name;
  out.settings.user_field = "user";
  out.settings.key = "key";
  out.settings.capacity = source_capacity_;
  out.settings.replenish_threshold = source_capacity_ / 3;
  out.settings.poll_interval_ms = 500;
  out.settings.retry_delay_ms = 200;
  out.settings.retry_delay_ms_max = 1'000;
  out.settings.known_max = 1'000'000;
  out.settings.from.url =
    x.forgets ? "http://127.0.0.1:1/1/nowhere" : "sqlite:/nowhere";
  if (!x.forgets)
    out.settings.from.query = "SELECT 1";
  return out;
}

scheduler_changed world::scheduler_as_set() const {
  scheduler_changed out;
  out.name = scheduler_name;
  out.settings.queue = pulled_queue;
  out.settings.high = source_mark_;
  return out;
}

void world::tell_sources() {
  if (!knobs_.sources)
    return;
  source_capacity_ = source_chance_.between(2, 30);
  source_mark_ = source_chance_.between(1, 25);
  std::vector<event> changes{queue_changed{pulled_queue, queue_settings{}},
                             scheduler_as_set()};
  for (const auto& x : sources_)
    changes.emplace_back(source_as_set(*x));
  change(std::move(changes));
}

/// More records come.
void world::offer() {
  const auto at = source_chance_.below(knobs_.pulls);
  auto& to = *sources_[at];
  const auto count = 1 + source_chance_.below(12);
  for (std::uint32_t i = 0; i < count; ++i) {
    simulated_source::one x;
    const auto number = to.records.size();
    x.key = "k" + std::to_string(number);
    x.user = std::string{"u"}.append(
      std::to_string(source_chance_.below(knobs_.users)));
    x.body = "pulled " + to.name + " " + std::to_string(number);
    x.bad = knobs_.bad_records && source_chance_.one_in(6);
    if (!x.bad)
      tell(attempted{x.body, pulled_queue, x.user});
    tell(offered{x.body, to.name, x.bad});
    if (to.forgets && !x.bad)
      to.open.insert(number);
    to.records.push_back(std::move(x));
  }
}

void world::change_sources() {
  auto& which = *sources_[source_chance_.below(knobs_.pulls)];
  switch (source_chance_.below(4)) {
    case 0: {
      auto x = source_as_set(which);
      x.paused = source_chance_.one_in(2);
      return change({x});
    }
    case 1: {
      auto x = scheduler_as_set();
      x.settings.strategy = "priority(" + which.name + ", fair(*))";
      return change({x});
    }
    case 2:
      source_mark_ = source_chance_.between(1, 25);
      return change({scheduler_as_set()});
    default:
      source_capacity_ = source_chance_.between(2, 30);
      return change({source_as_set(which)});
  }
}

/// To another scheduler, from which all that is set of a source brings it back.
/// Of several shards only one may have both.
void world::move_source() {
  auto other = scheduler_as_set();
  other.name = other_scheduler;
  auto x = source_as_set(*sources_[hand_chance_.below(knobs_.pulls)]);
  x.settings.scheduler = other_scheduler;
  change({other, x});
}

/// Some of it set otherwise than operators have.
sources_seen world::some_sources(chance& any) const {
  sources_seen out;
  auto scheduler = scheduler_as_set().settings;
  scheduler.high = any.between(1, source_mark_);
  out.schedulers.push_back({scheduler_name, scheduler});
  if (any.one_in(2))
    out.schedulers.push_back({other_scheduler, scheduler});
  for (const auto& x : sources_) {
    if (any.one_in(3))
      continue;
    auto settings = source_as_set(*x).settings;
    settings.capacity = any.between(2, 30);
    settings.replenish_threshold = settings.capacity / 3;
    if (out.schedulers.size() > 1 && any.one_in(3))
      settings.scheduler = other_scheduler;
    out.sources.push_back({x->name, settings});
  }
  return out;
}

void world::step_of_sources() {
  const auto which = source_chance_.below(8);
  if (which == 0) {
    auto who = std::make_shared<simulated_worker>();
    who->queue = pulled_queue;
    who->slots = 1 + source_chance_.below(4);
    if (knobs_.leases)
      who->lease_ms = 4'000;
    spawn_worker(std::move(who));
  } else if (which < 3 && knobs_.source_changes) {
    change_sources();
  } else {
    offer();
  }
}

/// So that all of it comes, once nothing is broken any more.
std::vector<event> world::sources_mended() const {
  std::vector<event> out;
  if (!knobs_.sources)
    return out;
  out.emplace_back(scheduler_as_set());
  for (const auto& x : sources_)
    out.emplace_back(source_as_set(*x));
  return out;
}

bool world::all_pulled() const {
  std::set<std::string_view> there;
  for (const auto& one : told_.entries) {
    const auto* record = std::get_if<journalled>(&one.what);
    if (record == nullptr)
      continue;
    if (const auto* item = std::get_if<item_enqueued>(&record->what))
      there.insert(item->body);
    else if (const auto* bad = std::get_if<record_refused>(&record->what))
      there.insert(bad->body);
  }
  for (const auto& source : sources_) {
    if (!source->open.empty())
      return false;
    for (const auto& x : source->records)
      if (there.count(x.body) == 0 && !(x.bad && source->forgets))
        return false;
  }
  return true;
}

} // namespace depositd::simulation
