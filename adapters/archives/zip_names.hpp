#pragma once

// Names of a zip as its sender wrote them.

#include "adapters/stores/files/file.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace depositd {

/// Names of entries that libarchive composes, by what it makes of them.
using decomposed_names = std::map<std::string, std::string>;

/// Reads the directory at the end of a zip, whose last bytes are `tail` and
/// which ends at `bytes`. Of a zip that is damaged, or has more than 100,000
/// such names, none or not all are found: libarchive says what is wrong with
/// it. `ec::store_failed` if the file cannot be read.
caf::expected<decomposed_names>
read_decomposed_names(const unique_fd& file, const std::filesystem::path& path,
                      std::string_view tail, std::uint64_t bytes);

} // namespace depositd
