#pragma once

// Settings of sources, of the schedulers that draw from them, and of what
// queues share out fairly.

#include "config/work_settings.hpp"
#include "messages/values/control_events.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace depositd {

/// "sources.NAME.FIELD", "schedulers.NAME.FIELD", or what is before the dots.
bool is_source_key(const given_setting& x);

/// Reads one of them. The error names key and origin.
caf::error read_source_key(depositd_settings& out, const given_setting& x);

/// Of "queues.NAME."; no part of `queue_settings`.
inline constexpr std::string_view fairness_field = "fair_by";

caf::error read_fairness(depositd_settings& out, const std::string& queue,
                         const given_setting& x);

/// What is wrong with all of them together.
setting_fault check_sources(const depositd_settings& x,
                            const std::vector<given_setting>& given);

// As the engine is told them.

sources_seen configured_sources(const depositd_settings& x);
fairness_seen configured_fairness(const depositd_settings& x);

} // namespace depositd
