#pragma once

#include "messages/actors.hpp"
#include "messages/ports/journal_store.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace depositd {

/// Reads bodies that are beyond the memory budget and hands the items out, so
/// that neither the journal nor a node waits for the disk. Blocks: must be
/// detached. `store` outlives the actor.
body_reader_actor::behavior_type body_reader(body_reader_actor::pointer self,
                                             journal_store* store);

} // namespace depositd
