#pragma once

// Operator's files on their way in: the blob first, then the submission.

#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/operators.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/shard.hpp"

#include <memory>

namespace depositd::operators {

struct submitter_options {
  /// A worker that stores a file is not waited for when the engine ends.
  std::shared_ptr<blob_store> blobs;
  shard_doors_actor shard;
  std::size_t file_bytes_max = 10 * 1024 * 1024; ///< as the deposit door's
};

struct submitter_state {
  using interface = submitter_actor;

  submitter_options options;
};

/// Blocks on the blob store, so wiring spawns it detached.
submitter_actor::behavior_type submitter(actor_with<submitter_state>* self,
                                         submitter_options options);

} // namespace depositd::operators
