#pragma once

// Handlers of deposit queues: what a processor's slot has its items done by.

#include "adapters/processing/crossref/slot_threads.hpp"
#include "adapters/processing/crossref/submission_handler.hpp"
#include "messages/processors.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <cstddef>
#include <memory>

namespace depositd::crossref {

/// Processes one item after the other. Blocks: must be detached.
handler_actor::behavior_type
handler(handler_actor::pointer self,
        std::shared_ptr<const submission_handler> work);

/// The same for a slot, on threads that it shares with others: whichever is
/// through answers the slot itself. A slot that has given up on as many items
/// as may be stuck is given no thread more until one of them is through.
handler_actor::behavior_type
slot_handler(handler_actor::pointer self,
             std::shared_ptr<const submission_handler> work,
             std::shared_ptr<slot_threads> threads);

/// Items of one slot that have a thread.
constexpr std::size_t stuck_items_max = 4;

/// To itself: an item has waited for its time.
struct delay_over {
  outcome ended;
  caf::typed_response_promise<outcome> answer;
};

using delaying_handler_actor =
  handler_actor::extend<caf::reacts_to<delay_over>>;

/// For trials: no store, no thread; every item is done after this long.
delaying_handler_actor::behavior_type
delaying_handler(delaying_handler_actor::pointer self,
                 std::chrono::milliseconds delay);

/// For demos: as `work` does it, but not before this long. Both end together.
delaying_handler_actor::behavior_type
slowed_handler(delaying_handler_actor::pointer self, const handler_actor& work,
               std::chrono::milliseconds least);

} // namespace depositd::crossref

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::crossref::delay_over)
