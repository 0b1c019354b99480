#pragma once

// Spans of what an engine does, where somebody collects them.

#include "actors/records/tracer.hpp"
#include "config/settings.hpp"
#include "messages/ports/journal_store.hpp"
#include "messages/ports/span_sink.hpp"

#include <caf/actor_system.hpp>

#include <memory>

namespace depositd {

/// Where spans go; null without `trace.endpoint`. `ec::bad_setting`.
caf::expected<std::shared_ptr<span_sink>>
open_span_sink(const depositd_settings& settings);

/// Follows the journal from where it is now; null without a sink. The journal
/// outlives it.
records::tracer_actor spawn_tracer(caf::actor_system& system,
                                   std::shared_ptr<span_sink> sink,
                                   journal_store* journal);

/// After a last look; returns when it does not touch the journal any more.
void end_tracer(caf::actor_system& system, const records::tracer_actor& who);

} // namespace depositd
