#include "config/upkeep.hpp"

#include "actors/operators/review_teller.hpp"
#include "adapters/processing/merritt/folder_sweep.hpp"
#include "adapters/processing/stages/lock_sweep.hpp"
#include "config/aptrust.hpp"
#include "config/node_name.hpp"
#include "messages/cluster.hpp"

#include <caf/scoped_actor.hpp>

#include <memory>
#include <utility>

namespace depositd {

namespace {

/// Of engines that share their users, the one that has shard 0 speaks for all.
bool has_first_shard(caf::actor_system& system,
                     const shard_keeper_actor& keeper,
                     const std::string& engine) {
  bool out = false;
  caf::scoped_actor self{system};
  self->request(keeper, std::chrono::seconds{5}, list_shards{})
    .receive(
      [&](const shards_listed& x) {
        for (const auto& shard : x.table.shards)
          out = out || (shard.shard == 0 && shard.owner.name == engine);
      },
      [](const caf::error&) {
        // Whoever has it is asked again.
      });
  return out;
}

review_teller_actor
spawn_review_teller(caf::actor_system& system,
                    const depositd_settings& settings,
                    const stages::stage_tools& with,
                    const std::function<caf::strong_actor_ptr()>& keeper) {
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
  options.leads = leader(system, settings, keeper);
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

stages::chore_actor
spawn_lock_sweeper(caf::actor_system& system, const stages::stage_tools& with,
                   std::function<bool()> leads) {
  stages::lock_sweep_options options;
  options.reads = with.work;
  options.locks = with.inventory;
  options.claims = std::dynamic_pointer_cast<lock_book>(with.inventory);
  const auto sweep = std::make_shared<stages::lock_sweep>(std::move(options));
  stages::chore_options chore;
  chore.work = [sweep, leads = std::move(leads)] {
    return (leads && !leads()) || sweep->run();
  };
  chore.pause = lock_sweep_pause;
  chore.retry = lock_sweep_pause;
  return system.spawn<caf::detached>(stages::chore, std::move(chore));
}

} // namespace

std::function<bool()>
leader(caf::actor_system& system, const depositd_settings& settings,
       const std::function<caf::strong_actor_ptr()>& keeper) {
  if (!keeper)
    return nullptr;
  return [&system, keeper, name = node_name(settings)] {
    const auto at = caf::actor_cast<shard_keeper_actor>(keeper());
    return at && has_first_shard(system, at, name);
  };
}

upkeep_actors spawn_upkeep(caf::actor_system& system,
                           const depositd_settings& settings,
                           const stages::stage_tools& with,
                           const std::function<caf::strong_actor_ptr()>& keeper,
                           const shards_actor& shards) {
  return {spawn_review_teller(system, settings, with, keeper),
          spawn_folder_sweeper(system, settings, with),
          spawn_lock_sweeper(system, with, leader(system, settings, keeper)),
          spawn_bag_readers(system, settings, with, shards,
                            leader(system, settings, keeper))};
}

} // namespace depositd
