#include "config/upkeep.hpp"

#include "actors/operators/review_teller.hpp"
#include "adapters/processing/merritt/folder_sweep.hpp"
#include "adapters/processing/stages/lock_sweep.hpp"
#include "adapters/stores/postgres/postgres_shard_leases.hpp"
#include "config/aptrust.hpp"
#include "config/clock_watch.hpp"

#include <memory>
#include <utility>

namespace depositd {

namespace {

review_teller_actor
spawn_review_teller(caf::actor_system& system,
                    const depositd_settings& settings,
                    const stages::stage_tools& with,
                    const std::function<bool()>& leads) {
  const auto& wanted = settings.reviews;
  if (wanted.mail_to.empty() && wanted.webhook.empty())
    return {};
  operators::review_teller_options options;
  options.work = with.work;
  options.mail = with.mailer;
  options.mail_to = wanted.mail_to;
  options.callbacks = with.callbacks;
  options.webhook = wanted.webhook;
  options.webhook_key = wanted.webhook_key;
  options.interval = std::chrono::seconds{wanted.interval_s};
  options.stage_age = std::chrono::seconds{wanted.stage_age_s};
  options.leads = leads;
  return system.spawn<caf::detached>(operators::review_teller,
                                     std::move(options));
}

stages::chore_actor spawn_folder_sweeper(caf::actor_system& system,
                                         const depositd_settings& settings,
                                         const stages::stage_tools& with) {
  merritt::folder_sweep_options options;
  options.work = with.work_folder;
  options.reads = with.work;
  // Nobody else was told of a folder inside ours.
  options.all_ours = settings.work.folder.empty();
  const auto sweep =
    std::make_shared<merritt::folder_sweep>(std::move(options));
  stages::chore_options chore;
  chore.work = [sweep] { return sweep->run_and_log(); };
  return system.spawn<caf::detached>(stages::chore, std::move(chore));
}

/// How long whoever submits an object again may find its lock after the job
/// that had it was deleted; twice as long if an operator has failed it.
constexpr std::chrono::seconds lock_sweep_pause{10};

/// The time that stands in rows of jobs: as the shards count it, whatever
/// becomes of this machine's clock meanwhile.
engine_clock clock_of_rows(const depositd_settings& settings) {
  if (settings.store.kind == store_kind::postgres && settings.shards.count > 1)
    if (const auto clock = postgres_clock({.url = settings.store.url}))
      return *clock;
  return engine_clock::system();
}

stages::chore_actor spawn_lock_sweeper(caf::actor_system& system,
                                       const stages::stage_tools& with,
                                       std::function<bool()> leads,
                                       const engine_clock& clock) {
  stages::lock_sweep_options options;
  options.now = [clock] { return clock.now(); };
  options.reads = with.work;
  options.locks = with.inventory;
  options.claims = std::dynamic_pointer_cast<lock_book>(with.inventory);
  const auto sweep = std::make_shared<stages::lock_sweep>(std::move(options));
  const auto since_start = engine_clock::system();
  const auto watch = std::make_shared<clock_watch>();
  stages::chore_options chore;
  chore.work = [=, leads = std::move(leads)] {
    watch->look_and_log(since_start.now());
    return (leads && !leads()) || sweep->run();
  };
  chore.pause = lock_sweep_pause;
  chore.retry = lock_sweep_pause;
  return system.spawn<caf::detached>(stages::chore, std::move(chore));
}

} // namespace

upkeep_actors spawn_upkeep(caf::actor_system& system,
                           const depositd_settings& settings,
                           const stages::stage_tools& with,
                           const std::function<bool()>& leads,
                           const shards_actor& shards) {
  const auto clock = clock_of_rows(settings);
  return {spawn_review_teller(system, settings, with, leads),
          spawn_folder_sweeper(system, settings, with),
          spawn_lock_sweeper(system, with, leads, clock),
          spawn_bag_readers(system, settings, with, shards, leads, clock)};
}

} // namespace depositd
