#pragma once

#include "adapters/doors/crossref/messages.hpp"
#include "messages/ports/blob_store.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <memory>

namespace depositd::crossref {

/// Passwords and blobs: blocks, must be detached.
door_worker_actor::behavior_type door_worker(door_worker_actor::pointer self,
                                             std::shared_ptr<blob_store> blobs);

} // namespace depositd::crossref
