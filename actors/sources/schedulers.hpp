#pragma once

#include "actors/sources/source.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/follow_control.hpp"
#include "messages/ports/source_reader.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/control.hpp"
#include "messages/values/sharding.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace depositd::sources {

/// To itself: bring back schedulers that have ended by an error.
struct refill_schedulers {};

/// What bounds a scheduler beside its settings.
struct scheduler_limits {
  /// Records that are picked and wait until what is ahead of them is durable.
  std::size_t picks_max = 4'096;
  std::size_t pick_bytes_max = 4 * 1024 * 1024; ///< the same, of one source
  /// Bad records that wait to be kept, of one source; beyond it it is not read.
  std::size_t bad_max = 10'000;
  std::chrono::milliseconds request_timeout{30'000};
  /// Of what is asked of the queue's shard for an operator.
  std::chrono::milliseconds report_timeout{5'000};
  std::chrono::milliseconds measure_timeout{5'000};
  /// After records could not be fed; doubles up to the second.
  std::chrono::milliseconds retry_delay{100};
  std::chrono::milliseconds retry_delay_max{5'000};
  /// How soon it is measured again at a mark: at first, and at last if nothing
  /// changes. A downstream is asked no sooner than by `gauge_pause`.
  std::chrono::milliseconds hold_pause{10};
  std::chrono::milliseconds hold_pause_max{200};
  std::chrono::milliseconds gauge_pause{200};
  /// The same below the mark: others may fill the queue, too.
  std::chrono::milliseconds look_pause{1'000};
  /// A reader that was cancelled and does not return in this time is left
  /// behind, and another takes its place; so many of a source at most.
  std::chrono::milliseconds cancel_patience{1'000};
  std::size_t left_behind_max = 3;
  std::size_t tests_max = 4;           ///< dry runs of sources at once
  std::size_t users_asked_max = 1'000; ///< in one question
  /// Users whose number of items is remembered under `high_per_user`; beyond it
  /// those of whom nothing waits are asked for again.
  std::size_t users_known_max = 100'000;
};

struct schedulers_options {
  shards_actor shards;    ///< by which the queues' shards are asked
  shard_inside_actor own; ///< the shard itself
  shard_number shard = 0;
  shard_number shard_count = 1;
  /// Called on threads of their own, several at once.
  std::function<caf::expected<std::unique_ptr<source_reader>>(
    const std::string& name, const source_settings& by)>
    make_reader;
  /// Likewise; null: no scheduler may have a downstream.
  std::function<caf::expected<std::unique_ptr<downstream_gauge>>(
    const scheduler_settings& by)>
    make_gauge;
  engine_clock clock = engine_clock::system();
  std::uint64_t body_bytes_max = inline_body_bytes_max; ///< of a record
  /// Readers and gauges have threads of their own; else all of it runs on the
  /// scheduler, as the deterministic one wants.
  bool threads = true;
  std::shared_ptr<running_count> running; ///< of them all; may be null
  /// In place of `source`, for those who move readers by hand; may be null.
  std::function<source_actor(const source_options&)> spawn_source;
  scheduler_limits limits;
};

using schedulers_self =
  schedulers_actor::extend<caf::reacts_to<control_unknown>,
                           caf::reacts_to<refill_schedulers>>;

struct schedulers_state {
  using interface = schedulers_self;

  ~schedulers_state();

  std::shared_ptr<const schedulers_options> options;
  control_snapshot control; ///< the newest; null: not known yet
  std::map<std::string, scheduler_actor> schedulers; ///< by name
  bool refill_due = false; ///< a `refill_schedulers` is on its way

  static inline const char* name = "schedulers";
};

/// Has a scheduler for each that the control state says is this shard's, and
/// passes on what operators ask of them. They end with it.
schedulers_self::behavior_type schedulers(actor_with<schedulers_state>* self,
                                          schedulers_options options);

} // namespace depositd::sources

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::sources::refill_schedulers)
