// The end of a life: nothing is broken any more, and everything must come out.

#include "messages/operators.hpp"
#include "messages/records.hpp"
#include "messages/values/operations.hpp"
#include "tests/simulation/pipelines_of_lives.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include "tests/simulation/book.hpp"

#include <caf/send.hpp>

#include <algorithm>

namespace depositd::simulation {

namespace {

item_book book_of(const history& told) {
  item_book out;
  for (const auto& one : told.entries)
    if (const auto* record = std::get_if<journalled>(&one.what))
      out.apply(*record);
  return out;
}

} // namespace

void world::calm_down() {
  calm_ = true;
  set_faults(false);
  mend_brokers();
  if (!topics_begun_)
    begin_topics();
  let_go(true);
  settle();
  for (auto& worker : workers_)
    if (!worker->gone) {
      worker->gone = true;
      tell_consumer_left(*worker);
      caf::anon_send_exit(worker->actor, caf::exit_reason::kill);
      worker->actor = nullptr;
    }
  for (auto& engine : former_)
    end(*engine); // those who lost their shard have noticed by now
  if (is_shared())
    calm_engines();
  calm_node();
  let_time_pass(5s);
  mend_settings();
  await_reviews();
  drain();
  for (int i = 0; i < 4; ++i) // for the last outcomes to go out
    let_time_pass(2s);
  read_topics();
  if (knobs_.questions || knobs_.ages || knobs_.inquiries || knobs_.by_hand)
    await_answers();
  if (knobs_.questions)
    list_left_users();
  if (knobs_.files)
    list_left_files();
  if (knobs_.blobs)
    list_left_blobs();
  if (knobs_.ephemeral)
    list_left_channels();
  if (knobs_.ages)
    list_aged();
  list_left_overs();
  for (const auto& disk : disks_)
    disk->look_at_recovery();
}

/// Tried again by an engine that recovers from its last failed append.
void world::mend_settings() {
  // Of many shards there is always one on its way to where it stays.
  const auto tries = knobs_.crowd ? 40 : 5;
  bool mended = false;
  for (int i = 0; i < tries && !mended; ++i) {
    mended = settings_mended();
    if (!mended)
      let_time_pass(3s);
  }
  if (knobs_.crowd ? !mended : !settings_mended())
    tell(left_over{"an engine that takes no orders"});
  park_matching back;
  back.to_us = wall_offset_us_ * 2;
  back.parked = false;
  ask(std::move(back), [](const matching_parked&) {});
  settle();
}

bool world::settings_mended() {
  user_eligibility_changed free;
  user_limits_changed unlimited;
  std::vector<event> changes{event{server_changed{false, true}}};
  for (std::uint32_t i = 0; i < knobs_.users; ++i) {
    free.user = std::string{"u"}.append(std::to_string(i));
    changes.emplace_back(free);
    unlimited.user = free.user;
    for (const auto* queue : {"plain", "capped", "banded"}) {
      unlimited.queue = queue;
      changes.emplace_back(unlimited);
    }
  }
  if (knobs_.queue_changes || knobs_.restarts)
    for (const auto& [name, settings] : queues_set_)
      changes.emplace_back(queue_changed{name, settings});
  for (auto& x : sources_mended())
    changes.push_back(std::move(x));
  if (office_)
    for (auto& x : office_->mended())
      changes.push_back(std::move(x));
  const auto number = proposals_ + 1;
  if (told_.with_pipeline_changes)
    for (auto& x : pipelines_mended())
      changes.push_back(std::move(x));
  else if (knobs_.work)
    changes.emplace_back(collection_as_set("books", false));
  change(std::move(changes));
  settle();
  return confirmed_ >= number;
}

/// One processor for each queue does whatever comes. Claims of pollers and
/// delays may last hours where the clock was set back.
void world::drain() {
  std::vector<std::string> queues{std::begin(queue_names),
                                  std::end(queue_names)};
  for (auto& queue : stage_queues())
    queues.push_back(std::move(queue));
  for (auto& queue : order_queues())
    queues.push_back(std::move(queue));
  if (knobs_.sources)
    queues.emplace_back("pulled");
  if (knobs_.equals)
    queues.push_back(queue_of_equals());
  if (knobs_.fleeting)
    queues.emplace_back("fleeting");
  if (knobs_.notifying)
    queues.emplace_back(notify_queue);
  for (const auto& queue : queues) {
    auto who = std::make_shared<simulated_worker>();
    who->queue = queue;
    who->slots = 1000;
    who->quick = true;
    spawn_worker(std::move(who));
  }
  settle();
  if (knobs_.channels)
    consume_all();
  if (knobs_.ephemeral)
    end_ephemeral();
  drain_deletions();
  drain_work();
  if (is_shared()) { // whose clocks differ by little, and time takes longer
    // What failed ten times, or has a claim that nobody ends, waits for longer
    // than all the rest takes.
    const auto patience = [this](int i) {
      return i < 60 || (i < 1200 && any_to_come_back());
    };
    for (int i = 0;
         patience(i) && !(all_gone() && all_pulled() && (!topics_ || i > 0));
         ++i) {
      take_back_notifications();
      let_time_pass(i < 5 ? 2s : 6s);
    }
    return;
  }
  for (const auto t : {1s, 4s, 10s, 30s, 60s, 600s, 1800s, 3600s, 3600s}) {
    pull_all();
    if (all_gone() && all_pulled() && (!topics_ || t > 1s))
      return;
    take_back_notifications();
    let_time_pass(t);
  }
  // What waited for the end of such a delay began to come only then.
  pull_all();
  let_time_pass(1s);
}

/// As few at a time as the mark lets through, as long as any come.
void world::pull_all() {
  constexpr int patience = 10;
  auto before = told_.entries.size();
  for (int idle = 0; idle < patience && !all_pulled(); ++idle) {
    let_time_pass(500ms);
    if (std::exchange(before, told_.entries.size()) != told_.entries.size())
      idle = 0;
  }
}

bool world::all_gone() const {
  const auto book = book_of(told_);
  for (const auto& [id, item] : book.items())
    if (item.now != life::gone)
      return false;
  return true;
}

bool world::any_to_come_back() const {
  const auto book = book_of(told_);
  return std::any_of(
    book.items().begin(), book.items().end(),
    [](const auto& one) {
      return one.second.now == life::delayed || one.second.now == life::claimed;
    });
}

void world::list_left_overs() {
  const auto book = book_of(told_);
  for (const auto& [id, item] : book.items())
    if (item.now != life::gone)
      tell(left_over{"item " + std::to_string(id) + " of " + item.user + " in "
                     + item.queue + " in state "
                     + std::to_string(static_cast<int>(item.now))});
  if (!all_pulled())
    tell(left_over{"records of a source that nobody has scheduled"});
  auto listed = std::make_shared<bool>(false);
  ask(list_queues{}, [=, this](const queues_listed& x) {
    *listed = true;
    for (const auto& queue : x.queues)
      if (queue.ready != 0 || queue.in_flight != 0)
        tell(left_over{"queue " + queue.name + " believes in "
                       + std::to_string(queue.ready) + " ready and "
                       + std::to_string(queue.in_flight) + " claimed"});
  });
  if (is_shared()) {
    for (const auto& engine : engines_)
      for (const auto& core : engine->cores)
        if (!core->ended)
          look_at_publisher(*core);
    list_left_engines();
  } else {
    look_at_publisher(*engine_);
  }
  settle();
  if (!*listed)
    tell(left_over{"an engine that does not answer"});
}

void world::look_at_publisher(const simulated_engine& of) {
  if (!of.publisher)
    return;
  caf::anon_send(
    outside_, act{[this, &of](caf::event_based_actor* self) {
      self->request(of.publisher, std::chrono::minutes{1}, report_publisher{})
        .then([this, &of](const publisher_report& x) {
          if (x.published < of.store->last())
            tell(left_over{"outcomes after " + std::to_string(x.published)
                           + " are not published: " + x.trouble});
        });
    }});
}

} // namespace depositd::simulation
