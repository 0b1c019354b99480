#pragma once

// What a queue sees of a consumer: a processor without a thread or a mailbox of
// its own.

#include "messages/processors.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>

#include <functional>

namespace depositd::nsq {

class claim_face {
public:
  struct callbacks {
    /// In the thread of whoever sends, which must not be held up.
    std::function<void(deliver&&)> take;
    std::function<void()> lost; ///< the queue is gone
  };

  claim_face(caf::actor_system& system, callbacks calls);

  /// Calls nobody any more; whoever watches it hears that it is gone.
  ~claim_face();

  claim_face(const claim_face&) = delete;
  claim_face& operator=(const claim_face&) = delete;

  processor_actor handle() const;

  /// `lost` tells when the queue ends. Once.
  void watch(const queue_port_actor& queue);

private:
  caf::strong_actor_ptr self_;
  queue_port_actor watched_; ///< may be null
};

} // namespace depositd::nsq
