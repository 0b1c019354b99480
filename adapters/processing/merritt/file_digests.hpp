#pragma once

// Digests of files that are there.

#include "messages/values/digests.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace depositd::merritt {

struct digested_file {
  digest sum;
  std::uint64_t bytes = 0;
};

/// Reads the whole file, which must be no link. `ec::not_found`,
/// `ec::store_failed`.
caf::expected<digested_file> digest_file(const std::filesystem::path& path,
                                         digest_algorithm algorithm);

/// Empty if they agree, else "the md5 is ..., not ...".
std::string difference(const digest& found, const digest& expected);

} // namespace depositd::merritt
