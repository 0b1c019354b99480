#pragma once

// What was accepted and what has ended, and processors that write it down.

#include "messages/actors.hpp"
#include "messages/processors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace depositd::stress {

/// What every thread has seen, added up at the end.
struct books {
  std::mutex mutex;
  std::set<item_id> accepted;
  std::multiset<item_id> ended; ///< by whoever heard that it was there
  std::map<item_id, std::string> bodies;
  std::vector<std::string> surprises;

  void note(std::string what) {
    const std::lock_guard guard{mutex};
    if (surprises.size() < 20)
      surprises.push_back(std::move(what));
  }
};

// -- processors that stay attached --------------------------------------------

struct processor_books {
  std::uint32_t number = 0;
  queue_port_actor door;
  std::minstd_rand chance;
  std::set<item_id> done; ///< what it said is done, until it is told
};

using stress_processor = processor_actor::extend<caf::reacts_to<attached>>;

/// Ends most of what it gets, gives the rest back, and asks for more.
inline stress_processor::behavior_type
ending_processor(stress_processor::stateful_pointer<processor_books> self,
                 queue_port_actor door, books* all) {
  self->state.door = std::move(door);
  return {
    [=](const deliver& x) {
      auto& state = self->state;
      for (const auto& told : x.settled)
        if (state.done.erase(told.id) > 0 && told.accepted) {
          const std::lock_guard guard{all->mutex};
          all->ended.insert(told.id);
        }
      settle_and_request more{
        state.number, static_cast<std::uint32_t>(x.items.size()), {}};
      for (const auto& item : x.items) {
        outcome what;
        what.id = item.id;
        what.token = item.token;
        what.member = item.member;
        what.says = verdict::release;
        if (state.chance() % 10 > 0) {
          what.says = verdict::done;
          state.done.insert(item.id);
        }
        more.outcomes.push_back(std::move(what));
      }
      if (!x.items.empty())
        self->send(state.door, std::move(more));
    },
    [=](const attached& x) {
      self->state.number = x.processor;
      self->send(self->state.door, settle_and_request{x.processor, 5, {}});
    },
  };
}

} // namespace depositd::stress
