#pragma once

// Reading and copying the files of versions, with their digests.

#include "adapters/stores/files/file.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace depositd::ocfl {

struct copied_file {
  std::uint64_t bytes = 0;
  std::string sha512;
};

/// Who sees to it that a copy survives a power cut.
enum class flushed { with_the_file, by_the_caller };

/// Reads it to the end; copies it if `to` is not empty. `ec::store_failed` if
/// the new file exists.
caf::expected<copied_file>
read_all(disk& io, const std::filesystem::path& from,
         const std::filesystem::path& to = {},
         flushed how = flushed::with_the_file);

/// Gives all bytes of the file in order; an error of `sink` ends it.
caf::error give_all(const std::filesystem::path& from,
                    const std::function<caf::error(std::string_view)>& sink);

/// SHA-512 of bytes.
std::string sha512_hex(std::string_view bytes);

} // namespace depositd::ocfl
