#pragma once

#include "actors/rules/spans/spans.hpp"
#include "messages/actor_with.hpp"
#include "messages/message.hpp"
#include "messages/ports/journal_store.hpp"
#include "messages/ports/span_sink.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/trouble.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <memory>

namespace depositd::records {

/// To itself: make spans of what the journal has by now.
struct make_spans {};

/// Makes spans of all that is durable; answered when they were handed over.
struct make_last_spans {};

using tracer_actor =
  caf::typed_actor<caf::reacts_to<make_spans>,
                   caf::replies_to<make_last_spans>::with<done>>;

struct tracer_options {
  journal_store* store = nullptr; ///< outlives the actor
  std::shared_ptr<span_sink> sink;
  sequence after = 0; ///< only what comes later is told of
  engine_clock clock = engine_clock::system();
  std::chrono::milliseconds look_every{100}; ///< for something new
  std::chrono::milliseconds retry_pause{1'000};
  std::size_t events_max = 20'000; ///< at once
};

struct tracer_state {
  using interface = tracer_actor;

  tracer_options options;
  sequence cursor = 0;
  rules::span_maker maker;
  trouble reading;

  static inline const char* name = "tracer";
};

/// Reads the journal of a shard behind the others and tells what happened to
/// deposits, batches and jobs as spans. Nothing waits for it, and nothing is
/// kept for it: what was dropped before it came there is passed. Reads the
/// disk: must be detached outside the deterministic scheduler.
tracer_actor::behavior_type tracer(actor_with<tracer_state>* self,
                                   tracer_options options);

} // namespace depositd::records

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::records::make_spans)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::records::make_last_spans)
