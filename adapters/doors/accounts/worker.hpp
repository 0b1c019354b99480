#pragma once

#include "adapters/doors/accounts/messages.hpp"
#include "messages/ports/blob_store.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <memory>

namespace depositd::accounts {

/// Passwords and blobs: blocks, must be detached.
worker_actor::behavior_type worker(worker_actor::pointer self,
                                   std::shared_ptr<blob_store> blobs);

} // namespace depositd::accounts
