#include "adapters/doors/nsq/claim_face.hpp"

#include "adapters/doors/kit/gateway.hpp"

#include <caf/actor_companion.hpp>
#include <caf/system_messages.hpp>

#include <spdlog/spdlog.h>

#include <memory>
#include <new>
#include <utility>

namespace depositd::nsq {

namespace {

caf::actor_companion* companion(const caf::strong_actor_ptr& x) {
  return caf::actor_cast<caf::actor_companion*>(x);
}

} // namespace

claim_face::claim_face(caf::actor_system& system, callbacks calls)
  : self_(caf::actor_cast<caf::strong_actor_ptr>(
    system.spawn<caf::actor_companion>())) {
  const auto calling = std::make_shared<callbacks>(std::move(calls));
  companion(self_)->on_enqueue([calling](caf::mailbox_element_ptr x) {
    kit::core_answer what{x->content()};
    // Whoever sends can do nothing about it; the claims end by themselves.
    try {
      if (auto* items = what.as<deliver>())
        calling->take(std::move(*items));
      else if (what.as<caf::down_msg>() != nullptr)
        calling->lost();
    } catch (const std::bad_alloc&) {
      spdlog::error("delivery_dropped reason=\"out of memory\"");
    }
  });
}

claim_face::~claim_face() {
  // What `disconnect` would do; the library declares it only.
  auto* x = companion(self_);
  x->on_enqueue(nullptr);
  // The queue would remember for ever whom to tell.
  if (watched_)
    x->demonitor(watched_.address());
  x->cleanup(caf::make_error(caf::exit_reason::normal), nullptr);
}

processor_actor claim_face::handle() const {
  return caf::actor_cast<processor_actor>(self_);
}

void claim_face::watch(const queue_port_actor& queue) {
  watched_ = queue;
  companion(self_)->monitor(queue);
}

} // namespace depositd::nsq
