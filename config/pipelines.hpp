#pragma once

// Pipelines as files: one pipeline each, "NAME.yaml".

#include "messages/values/errors.hpp"
#include "messages/values/pipelines.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace depositd {

/// What the programs outside know of handlers.
struct pipeline_context {
  std::vector<std::string> handlers; ///< built in
};

/// Reads the text of one pipeline. `ec::bad_setting` names key, file and line
/// of the first thing that is wrong.
caf::expected<pipeline> read_pipeline(const std::string& text,
                                      const std::string& file,
                                      const pipeline_context& context);

/// All pipelines of a folder, by name. `ec::bad_setting` if one is wrong or the
/// folder cannot be read.
caf::expected<std::vector<pipeline>>
read_pipelines(const std::filesystem::path& folder,
               const pipeline_context& context);

/// Names of the handlers that this program has: those of Merritt's and of
/// APTrust's stages, and `noop`, which is done at once.
const std::vector<std::string>& built_in_handlers();

} // namespace depositd
