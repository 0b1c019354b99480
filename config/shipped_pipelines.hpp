#pragma once

// The pipelines of an engine: those of a folder, or those that are part of the
// program.

#include "config/pipelines.hpp"
#include "config/settings.hpp"
#include "messages/values/control_events.hpp"

#include <string_view>
#include <vector>

namespace depositd {

struct shipped_pipeline {
  std::string_view file; ///< "merritt.yaml"
  std::string_view text;
};

/// What config/pipelines had when the program was built.
const std::vector<shipped_pipeline>& shipped_pipelines();

/// The pipelines that the settings name, every one of them right and none with
/// a queue that the settings describe too. `ec::bad_setting` names key and
/// place of the first thing that is wrong.
caf::expected<pipelines_seen> pipelines_of(const depositd_settings& settings,
                                           const pipeline_context& context);

} // namespace depositd
