#pragma once

// The threads of a stage: as many as it has slots, and only while there is
// something to do.

#include "adapters/processing/stages/stage_work.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

namespace depositd::stages {

/// One more item may be done at once, as long as the sender lives.
struct join_crew {};

/// To itself: has anybody had anything to do?
struct look_idle {};

using stage_crew_actor = handler_actor::extend<caf::reacts_to<join_crew>>;
using stage_crew_self = stage_crew_actor::extend<caf::reacts_to<look_idle>>;

struct stage_crew_options {
  std::shared_ptr<const stage_work> work;
  /// Threads without work end after about as long.
  std::chrono::milliseconds idle_max{5'000};
  /// Makes a thread that has items done; throws if the machine has none. Null:
  /// an actor on a thread of its own.
  std::function<handler_actor()> spawn_thread;
  /// Before an item comes again that no thread could be had for.
  std::chrono::milliseconds thread_retry{5'000};
};

struct stage_crew_state {
  using interface = stage_crew_self;

  using answer = caf::typed_response_promise<outcome>;
  struct waiting_item {
    handle_item item;
    answer to;
  };

  ~stage_crew_state();

  stage_crew_options options;
  std::set<caf::actor_addr> slots;
  std::set<handler_actor> threads; ///< all that live
  std::vector<handler_actor> idle;
  std::unordered_map<caf::actor_addr, answer> busy; ///< by thread
  /// What slots have fetched ahead; the first thread that is free takes it.
  std::deque<waiting_item> waiting;
  std::uint32_t looks = 0; ///< since it was used
  bool look_due = false;   ///< a `look_idle` is on its way

  static inline const char* name = "stage_crew";
};

/// Has items of one stage done, in the order in which they come. Where the
/// machine has no thread for one, it waits for those that there are; without
/// any it is given back, for later and uncounted.
stage_crew_self::behavior_type stage_crew(actor_with<stage_crew_state>* self,
                                          stage_crew_options options);

/// What one slot has its items done by: its crew, unless that is not needed.
handler_actor::behavior_type stage_slot(handler_actor::pointer self,
                                        std::shared_ptr<const stage_work> work,
                                        stage_crew_actor crew);

} // namespace depositd::stages

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::stages::join_crew)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::stages::look_idle)
