#pragma once

// A container that brings a list of what is in it.

#include "adapters/processing/merritt/manifest.hpp"

#include <filesystem>

namespace depositd::merritt {

/// Compares the files below the folder with the rows: each listed file is there
/// with its size and digest, and no other one, but for the list itself.
/// `ec::malformed` names the first file that differs.
caf::error check_contents(const manifest& listed,
                          const std::filesystem::path& folder);

} // namespace depositd::merritt
