#pragma once

// Reading and copying the files of versions, with their digests.

#include "adapters/stores/files/file.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace depositd::ocfl {

struct copied_file {
  std::uint64_t bytes = 0;
  std::string sha512;
};

/// Reads it to the end; copies it durably if `to` is not empty.
/// `ec::store_failed` if the new file exists.
caf::expected<copied_file> read_all(disk& io, const std::filesystem::path& from,
                                    const std::filesystem::path& to = {});

/// SHA-512 of bytes.
std::string sha512_hex(std::string_view bytes);

} // namespace depositd::ocfl
