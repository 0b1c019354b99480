#pragma once

// Batches and jobs out of the read model, for handlers on their own threads.

#include "messages/actors.hpp"
#include "messages/ports/work_reader.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <memory>

namespace depositd::stages {

struct read_model_reader_options {
  read_model_actor from;
  /// For one answer; then `ec::overloaded`.
  std::chrono::milliseconds patience{30'000};
};

/// Must not be called from an actor that is not detached. The system outlives
/// it.
std::shared_ptr<work_reader>
make_read_model_reader(caf::actor_system& system,
                       read_model_reader_options options);

} // namespace depositd::stages
