#pragma once

// What lives with deletions have besides: objects that are stored, what engines
// have for orders about them, and people who ask, agree and reject. The desk
// and the reconciler are the program's.

#include "actors/operators/order_desk.hpp"
#include "actors/operators/reconciler.hpp"
#include "messages/actors.hpp"
#include "messages/work.hpp"
#include "tests/simulation/awaiting.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/order_actors.hpp"
#include "tests/simulation/order_checks.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace depositd::simulation {

class order_office {
public:
  struct surroundings {
    caf::actor_system* system = nullptr;
    history* told = nullptr;
    awaiting waits;
    std::uint32_t users = 1;
    bool checks = false; ///< reconcilers look at what is stored
    std::function<micros()> now_us;  ///< since the beginning
    std::function<micros()> wall_us; ///< as operators' clocks show it
    /// Somebody outside proposes this, and goes on when it is in force.
    std::function<void(std::vector<event>, std::function<void()>)> change;
  };

  /// As an engine wires it.
  struct engine_parts {
    shards_actor shards;
    read_model_actor reads;
    engine_clock clock = engine_clock::system();
    std::function<bool()> leads;
  };

  /// How an engine is reached.
  struct way_in {
    shards_actor shards;
    order_actors orders;
  };

  explicit order_office(surroundings around);

  order_office(const order_office&) = delete;
  order_office& operator=(const order_office&) = delete;

  order_actors spawn(const engine_parts& of);

  /// Pipelines and collections, as they are at the beginning.
  std::vector<event> settings() const;
  /// The same at the end: only what may have changed.
  std::vector<event> mended();

  /// Queues of all its pipelines, with those of batches.
  std::vector<std::string> queues() const;
  /// Of the pipeline whose batches wait in this queue.
  static std::string first_stage(const std::string& split_queue);

  /// People do one thing or another, or several.
  void step(const way_in& to);

  /// A worker is about to say that this order's stage is done: what was wanted
  /// is done now, or may not be, and then that is said instead.
  void end(const std::string& queue, const claimed_item& item, outcome& what);

  forget_batches what_to_clean_up() const;

  /// Whether a request that all agreed to is not queued, by the journal.
  bool any_unqueued() const;

  /// Whether a file was not checked since nothing is broken any more.
  bool any_unchecked() const;

  /// What was missed is to be queued now.
  void queue_missed(const way_in& to) const;

private:
  catalogue_actor spawn_catalogue();
  void do_something(const way_in& to);
  void store();
  std::vector<reconciler_settings> reconcilers() const;
  void delete_object(const preservation_order& order, const std::string& user,
                     outcome& what);
  void ask_for_deletion(const way_in& to);
  void decide(const way_in& to);
  void decide(const way_in& to, const control_state& now);
  void restore(const way_in& to);
  void change_collection();
  void clean_up(const way_in& to) const;
  template <class Actor, class Request, class Then>
  void ask(const Actor& whom, Request what, Then then) const;
  std::string any_object();

  surroundings around_;
  simulated_objects objects_; ///< by identifier
  micros calm_since_us_ = 0;
  std::uint32_t uuids_ = 0;
  bool attic_is_gone_ = false;
};

} // namespace depositd::simulation
