#pragma once

// The handler of deposit queues: a router in front of a fixed number of
// workers, each with a thread of its own, because the work blocks.

#include "adapters/processing/crossref/submission_handler.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace depositd::crossref {

/// One item on its way to a worker, with the control state to apply.
struct handler_job {
  handle_item what;
  control_snapshot control;
};

/// An item that the delaying handler holds is due.
struct delay_over {
  std::uint64_t ticket = 0;
};

} // namespace depositd::crossref

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::crossref::handler_job)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::crossref::delay_over)

namespace depositd::crossref {

/// One thread of the pool: does one job after the other.
using handler_worker_actor =
  caf::typed_actor<caf::replies_to<handler_job>::with<outcome>>;

handler_worker_actor::behavior_type
handler_worker(handler_worker_actor::pointer self,
               std::shared_ptr<const submission_handler> handler);

struct handler_pool_options {
  /// Spawns a worker, detached; called `workers` times and again for every
  /// worker that dies. The pool ends its workers when it ends itself.
  std::function<handler_worker_actor()> spawn_worker;
  std::size_t workers = 2;
  /// Items that wait for a worker; beyond it `ec::overloaded`.
  std::size_t waiting_max = 1024;
  /// Told by the shard and kept up to date. Null: `control` stays in force.
  shard_doors_actor shard;
  /// There is no shard yet: `meet_shard` tells it, and again after each loss.
  bool awaits_shard = false;
  /// What applies without a shard; null means an empty state. With a shard,
  /// items wait until it has told its own.
  control_snapshot control;
  std::chrono::milliseconds ask_timeout{5'000};   ///< of the shard
  std::chrono::milliseconds job_timeout{600'000}; ///< then `retry`
  /// Above 0: no worker, no store; every item is done after this long.
  std::uint32_t inject_delay_ms = 0;
};

/// A handler_actor that also hears of control changes.
using handler_pool_actor =
  handler_actor::extend<caf::reacts_to<control_changed>,
                        caf::reacts_to<meet_shard>, caf::reacts_to<delay_over>>;

/// An item and whom its outcome is owed to.
struct waiting_item {
  handle_item what;
  caf::typed_response_promise<outcome> promise;
};

struct handler_pool_state {
  handler_pool_options options;
  control_snapshot control; ///< null: not known yet
  caf::actor following;     ///< who tells it
  std::vector<handler_worker_actor> workers;
  std::vector<handler_worker_actor> idle;
  std::unordered_map<handler_worker_actor, waiting_item> busy;
  std::deque<waiting_item> waiting;
  std::unordered_map<std::uint64_t, waiting_item> delayed; ///< by ticket
  std::uint64_t ticket_last = 0;

  /// Ends the workers.
  ~handler_pool_state();
};

/// Routes items to workers; the outcome is the worker's. `retry` if the worker
/// dies or takes longer than `job_timeout`.
handler_pool_actor::behavior_type
handler_pool(handler_pool_actor::stateful_pointer<handler_pool_state> self,
             handler_pool_options options);

} // namespace depositd::crossref
