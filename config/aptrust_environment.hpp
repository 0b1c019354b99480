#pragma once

// Settings of APTrust's workers as its operators know them: names in the
// environment, such as INGEST_VALIDATOR_WORKERS.

#include "messages/values/errors.hpp"
#include "messages/values/pipelines.hpp"

#include <functional>
#include <vector>

namespace depositd {

/// The value of a variable; null if it is not set.
using environment_reader = std::function<const char*(const char* name)>;

/// Puts what the environment says over what the files of pipelines say whose
/// names begin with "aptrust". An empty value says nothing. `ec::bad_setting`
/// names the variable that is wrong.
caf::error apply_environment(std::vector<pipeline>& to,
                             const environment_reader& read);

} // namespace depositd
