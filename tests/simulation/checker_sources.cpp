// Work that is pulled: what schedulers may put into queues.

#include "tests/simulation/book.hpp"
#include "tests/simulation/checker.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace depositd::simulation {

namespace {

/// The marks of a queue: that which is in force, and any that may be yet.
struct marked_queue {
  std::uint64_t high = 0; ///< the highest that anybody has asked for
  std::uint64_t live = 0; ///< records in it
  std::set<std::string> schedulers;
};

} // namespace

void check_marks(const history& x, findings& out) {
  std::map<std::string, marked_queue> queues;
  std::unordered_map<item_id, marked_queue*> pulled;
  std::unordered_set<item_id> by_hand;
  // An engine that does not know yet that it has lost a scheduler's shard feeds
  // beside the one that has it.
  const std::uint64_t schedulers = x.with_leases ? 2 : 1;
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& what = x.entries[i].what;
    if (const auto* wish = std::get_if<proposed>(&what)) {
      for (const auto& change : wish->changes)
        if (const auto* set = std::get_if<scheduler_changed>(&change)) {
          auto& high = queues[set->settings.queue].high;
          high = std::max(high, set->settings.high);
          queues[set->settings.queue].schedulers.insert(set->name);
        }
    } else if (const auto* record = std::get_if<journalled>(&what)) {
      if (const auto* item = std::get_if<item_enqueued>(&record->what);
          item != nullptr && item->body.starts_with(hand_fed)) {
        by_hand.insert(item->id);
      } else if (const auto* set
                 = std::get_if<scheduler_changed>(&record->what)) {
        auto& queue = queues[set->settings.queue];
        queue.high = std::max(queue.high, set->settings.high);
        queue.schedulers.insert(set->name);
      } else if (const auto* taken = std::get_if<record_taken>(&record->what);
                 taken != nullptr && !by_hand.contains(taken->id)) {
        auto& queue = queues[taken->queue];
        pulled[taken->id] = &queue;
        if (++queue.live
            > queue.high * schedulers
                * std::max<std::size_t>(queue.schedulers.size(), 1))
          out.push_back({"P-1", i,
                         taken->queue + " has " + std::to_string(queue.live)
                           + " records, the mark is "
                           + std::to_string(queue.high)});
      } else if (const auto* gone = std::get_if<item_finished>(&record->what)) {
        if (const auto at = pulled.find(gone->id); at != pulled.end()) {
          --at->second->live;
          pulled.erase(at);
        }
      }
    }
  }
}

} // namespace depositd::simulation
