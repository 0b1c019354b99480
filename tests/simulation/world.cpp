#include "tests/simulation/world.hpp"
#include "messages/message_types.hpp"

#include "tests/simulation/world_ask.hpp"

#include <algorithm>
#include <utility>

namespace depositd::simulation {

namespace {

caf::behavior outsider(caf::event_based_actor* self) {
  // Answers are awaited by those who ask; what ends is none of its business.
  self->set_default_handler(caf::drop);
  return {[=](act& x) { x.what(self); }};
}

} // namespace

world_state::system_config::system_config() {
  add_depositd_messages(*this);
  set("scheduler.policy", caf::atom("testing"));
}

world_state::world_state(std::uint64_t seed, const lessened& by)
  : chance_(seed), knobs_(chance_, seed), skipped_(by.skipped),
    work_chance_(seed ^ 0x6a6f6273U), source_chance_(seed ^ 0x70756c6cU),
    move_chance_(seed ^ 0x6d6f7665U), look_up_chance_(seed ^ 0x6c6f6f6bU),
    node_chance_(seed ^ 0x6e6f6465U), synchronous_chance_(seed ^ 0x646f6f72U),
    channel_chance_(seed ^ 0x6368616eU), cancel_chance_(seed ^ 0x63616e63U),
    equal_chance_(seed ^ 0x65717561U), cost_chance_(seed ^ 0x636f7374U),
    fleeting_chance_(seed ^ 0x666c6565U), notify_chance_(seed ^ 0x6e746679U),
    queue_chance_(seed ^ 0x71736574U), question_chance_(seed ^ 0x61736b73U),
    account_chance_(seed ^ 0x61636374U), renewal_chance_(seed ^ 0x726e6577U),
    age_chance_(seed ^ 0x61676573U), file_chance_(seed ^ 0x66696c65U),
    ephemeral_chance_(seed ^ 0x65706865U), inquiry_chance_(seed ^ 0x696e7175U),
    pipeline_chance_(seed ^ 0x70697065U), restart_chance_(seed ^ 0x72737472U),
    hand_chance_(seed ^ 0x68616e64U), link_chance_(seed ^ 0x6c696e6bU),
    backup_chance_(seed ^ 0x6261636bU), deletion_chance_(seed ^ 0x64656c65U),
    letter_chance_(seed ^ 0x6c657474U),
    late_chance_(seed ^ 0x6c617465U), grow_chance_(seed ^ 0x67726f77U),
    wake_chance_(seed ^ 0x77616b65U), blob_chance_(seed ^ 0x626c6f62U),
    review_chance_(seed ^ 0x72657677U),
    system_(config_),
    scheduler_(
      dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler())),
    born_(scheduler_.clock().now()) {
  knobs_.lessen(by);
  if (by.variant != 0)
    chance_ = chance{seed + (std::uint64_t{by.variant} << 40)};
  scheduler_.clock().current_time += 1h; // never time zero
  born_ = scheduler_.clock().now();
  told_.stall_max_us = knobs_.stalls ? stall_max_us_ : 0;
  if (!knobs_.clock_jumps && knobs_.shards == 1)
    told_.wall_began_us = wall_began_us_;
  told_.kept_us = std::int64_t{knobs_.kept_s} * 1'000'000;
  told_.with_failed_appends = knobs_.lost_appends || knobs_.unknown_appends;
  told_.with_mail
    = knobs_.notifying && !knobs_.accounts && !knobs_.restarts;
  told_.with_pipeline_changes
    = knobs_.work && (knobs_.pipeline_changes || knobs_.restarts);
}

world::world(std::uint64_t seed, const lessened& by) : world_state(seed, by) {
  // nop
}

world::~world() {
  endless_ = false;
  for (auto& worker : workers_)
    if (worker->actor)
      caf::anon_send_exit(worker->actor, caf::exit_reason::kill);
  end_node();
  if (engine_)
    end(*engine_);
  for (auto& engine : former_)
    end(*engine);
  for (auto& engine : engines_)
    end(*engine);
  if (letters_)
    caf::anon_send_exit(letters_, caf::exit_reason::kill);
  for (const auto& by : submitters_)
    caf::anon_send_exit(by, caf::exit_reason::kill);
  caf::anon_send_exit(outside_, caf::exit_reason::kill);
  settle();
}

// -- order and time -----------------------------------------------------------

micros world::now_us() const {
  using namespace std::chrono;
  return duration_cast<microseconds>(scheduler_.clock().current_time - born_)
    .count();
}

void world::run(std::uint64_t messages_max) {
  auto& jobs = scheduler_.jobs;
  for (std::uint64_t i = 0; i < messages_max && !jobs.empty() && !endless_;
       ++i) {
    if (knobs_.shuffle && jobs.size() > 1)
      std::swap(jobs.front(),
                jobs[chance_.below(static_cast<std::uint32_t>(jobs.size()))]);
    const auto engine = is_shared() ? owner_of(jobs.front()) : 0;
    if (engine != 0 && stop_if_paused(*engines_[engine - 1]))
      continue;
    if (knobs_.stalls && !calm_ && chance_.one_in(1000)) {
      hold_up_somebody();
      continue;
    }
    scheduler_.run_once();
    ++messages_;
    if (is_shared())
      own_new_actors(engine);
  }
}

void world::settle() {
  run(messages_max_);
  auto& jobs = scheduler_.jobs;
  if (jobs.empty() || endless_)
    return;
  endless_ = true;
  std::map<std::string, int> talkers;
  for (int i = 0; i < 1000 && !jobs.empty(); ++i) {
    if (auto* actor = dynamic_cast<caf::local_actor*>(jobs.front()))
      ++talkers[actor->name()];
    scheduler_.run_once();
  }
  std::string names;
  for (const auto& [name, turns] : talkers)
    names += ' ' + name + '=' + std::to_string(turns);
  tell(left_over{"messages without end, of 1000:" + names});
}

void world::hold_up_somebody() {
  // Clients are no part of the engines: one actor plays them all.
  if (scheduler_.jobs.front()
      == dynamic_cast<caf::resumable*>(
        caf::actor_cast<caf::abstract_actor*>(outside_)))
    return;
  held_up_.push_back(
    {scheduler_.jobs.front(),
     now_us() + chance_.below(static_cast<std::uint32_t>(stall_max_us_))});
  scheduler_.jobs.pop_front();
}

void world::let_go(bool all) {
  std::erase_if(held_up_, [&](const held_up& x) {
    if (!all && x.until_us > now_us())
      return false;
    scheduler_.jobs.push_back(x.who);
    return true;
  });
}

awaiting world::waiting_by(chance& by) {
  return {&by, outside_, [this] { return calm_; },
          [this] {
            if (scheduler_.jobs.empty() || endless_)
              return false;
            run(1);
            return true;
          }};
}

void world::let_time_pass(std::chrono::microseconds t) {
  settle();
  if (is_shared()) { // leases would end one and all in a larger step
    for (; t.count() > 0; t -= std::min<std::chrono::microseconds>(t, 400ms)) {
      scheduler_.advance_time(std::min<std::chrono::microseconds>(t, 400ms));
      let_go(false);
      tick_engines();
      settle();
    }
    return;
  }
  // In a few steps, so that not everything is late by the same; in small ones
  // while somebody is held up, or that would take far longer than it should.
  for (; !held_up_.empty() && t > 500ms; t -= 500ms) {
    scheduler_.advance_time(500ms);
    let_go(false);
    settle();
  }
  const auto steps = t > 10ms ? 1 + chance_.below(4) : 1;
  for (std::uint32_t i = 0; i < steps; ++i) {
    scheduler_.advance_time(t / steps);
    let_go(false);
    settle();
  }
}

// -- a life -------------------------------------------------------------------

void world::begin() {
  outside_ = system_.spawn(outsider);
  if (knobs_.backups)
    backup_folder_.emplace(temporary_folder::fast_base());
  for (shard_number shard = 0; shard < knobs_.shards; ++shard)
    disks_.push_back(std::make_unique<shard_disk>(
      shard, knobs_.tight_disk ? 1500 : 1 << 20,
      shard_disk::surroundings{
        &told_, &chance_, [this] { return now_us(); },
        backup_folder_ ? backup_folder_->path() : std::filesystem::path{}}));
  open_blobs();
  open_topics();
  open_letters();
  open_sources();
  open_office();
  if (is_shared())
    begin_sharing();
  else
    start_engine();
  settle();
  tell_settings();
  settle();
  calm_ = false;
  set_faults(true);
  for (std::uint32_t i = 0; i < knobs_.processors; ++i)
    add_processor();
  for (const auto& queue : stage_queues())
    add_stage_worker(queue);
  for (const auto& queue : order_queues())
    add_stage_worker(queue);
  begin_node();
}

/// Queues of different kinds, as operators would set them.
void world::tell_settings() {
  queue_settings capped;
  capped.concurrency = 1 + chance_.below(3);
  capped.allocation = 1 + chance_.below(3);
  if (knobs_.limits)
    capped.pending_limit = 5 + chance_.below(20);
  queue_settings banded;
  banded.priority = priority_mode::across_users;
  banded.attempts_max = 3;
  banded.concurrency = 3;
  queues_set_ = {{"plain", {}},
                 {"capped", capped},
                 {"banded", banded},
                 {"metadata", deposit_queue_defaults()}};
  std::vector<event> changes{queue_changed{"plain", queue_settings{}},
                             queue_changed{"capped", capped},
                             queue_changed{"banded", banded}};
  if (knobs_.notifying)
    changes.emplace_back(outbox_as_set());
  change(std::move(changes));
  tell_pipeline();
  tell_sources();
  if (office_)
    change(office_->settings());
}

void world::live() {
  begin();
  for (std::uint32_t i = 0; i < knobs_.steps; ++i) {
    if (std::find(skipped_.begin(), skipped_.end(), i) == skipped_.end())
      step();
    // Mostly the next thing happens while the last one is still under way.
    run(chance_.below(60));
    if (chance_.one_in(3))
      let_time_pass(chance_.one_in(8) ? some_ms(20'000) : some_ms(300));
  }
  calm_down();
}

/// What only some lives have: the first whose turn it is. False: none.
bool world::step_of_a_part() {
  struct part {
    bool knobs::*is_there;
    chance world_state::*by;
    std::uint32_t one_in;
    void (world::*step)();
  };
  static constexpr part parts[] = {
    {&knobs::links, &world::link_chance_, 8, &world::trouble_links},
    {&knobs::node, &world::node_chance_, 10, &world::trouble_node},
    {&knobs::pipeline_changes, &world::pipeline_chance_, 6,
     &world::step_of_pipelines},
    {&knobs::wakes, &world::wake_chance_, 4, &world::wake_some},
    {&knobs::work, &world::work_chance_, 2, &world::step_of_work},
    {&knobs::sources, &world::source_chance_, 3, &world::step_of_sources},
    {&knobs::by_hand, &world::hand_chance_, 6, &world::step_by_hand},
    {&knobs::synchronous, &world::synchronous_chance_, 6,
     &world::step_of_synchronous},
    {&knobs::look_ups, &world::look_up_chance_, 3, &world::look_up},
    {&knobs::cancels, &world::cancel_chance_, 8, &world::cancel},
    {&knobs::equals, &world::equal_chance_, 4, &world::step_of_equals},
    {&knobs::costs, &world::cost_chance_, 12, &world::change_fairness},
    {&knobs::queue_changes, &world::queue_chance_, 8, &world::change_queue},
    {&knobs::questions, &world::question_chance_, 4, &world::ask_something},
    {&knobs::fleeting, &world::fleeting_chance_, 4, &world::step_of_fleeting},
    {&knobs::notifying, &world::notify_chance_, 4, &world::step_of_notifying},
    {&knobs::accounts, &world::account_chance_, 5, &world::step_of_accounts},
    {&knobs::renewals, &world::renewal_chance_, 3, &world::step_of_renewals},
    {&knobs::ages, &world::age_chance_, 4, &world::step_of_ages},
    {&knobs::files, &world::file_chance_, 3, &world::step_of_files},
    {&knobs::blobs, &world::blob_chance_, 3, &world::step_of_blobs},
    {&knobs::ephemeral, &world::ephemeral_chance_, 3,
     &world::step_of_ephemeral},
    {&knobs::inquiries, &world::inquiry_chance_, 4, &world::inquire},
    {&knobs::backups, &world::backup_chance_, 6, &world::step_of_backups},
    {&knobs::deletions, &world::deletion_chance_, 2, &world::step_of_deletions},
    {&knobs::letters, &world::letter_chance_, 6, &world::send_letters_back},
    {&knobs::late_topics, &world::late_chance_, 8, &world::begin_topics},
    {&knobs::grown_topics, &world::grow_chance_, 8, &world::add_partitions},
    {&knobs::channels, &world::channel_chance_, 3, &world::step_of_channels},
    {&knobs::moves, &world::move_chance_, 10, &world::move_a_queue},
  };
  for (const auto& one : parts)
    if (knobs_.*one.is_there && (this->*one.by).one_in(one.one_in)) {
      (this->*one.step)();
      return true;
    }
  return false;
}

void world::step() {
  tick_node();
  if (step_of_a_part())
    return;
  const auto which = chance_.below(24);
  if (is_shared() && (which == 10 || which == 11 || which >= 22))
    return trouble_engines();
  switch (which) {
    default:
      return knobs_.deposits && chance_.one_in(3) ? send_deposit()
                                                  : send_messages();
    case 5:
    case 6:
      return produce();
    case 7:
      return knobs_.broker_outages ? trouble_brokers() : produce();
    case 8:
      return add_processor();
    case 9:
      return knobs_.processor_crashes ? crash_processor() : add_processor();
    case 10:
      return knobs_.engine_crashes ? crash_engine() : send_messages();
    case 11:
      return knobs_.lost_shards && chance_.one_in(2) ? lose_shard()
                                                     : send_messages();
    case 12:
    case 13:
      return knobs_.limit_changes ? change_limits() : send_messages();
    case 14:
    case 15:
      return knobs_.holds || knobs_.prohibitions ? change_eligibility()
                                                 : send_messages();
    case 16:
      return knobs_.suspensions ? suspend() : send_messages();
    case 17:
      return knobs_.parking ? park() : send_messages();
    case 18:
      return knobs_.parking && chance_.one_in(8) ? purge() : send_messages();
    case 19:
    case 20:
      return knobs_.polls ? poll() : send_messages();
    case 21:
      return knobs_.polls ? end_polled() : send_messages();
  }
}

} // namespace depositd::simulation
