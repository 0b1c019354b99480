#pragma once

// Files that are compressed one by one: no archive, and taken as one.

#include <cstddef>
#include <string_view>

namespace depositd {

/// An empty file that was compressed is no longer than this.
inline constexpr std::size_t compressed_nothing_bytes_max = 64 * 1024;

/// libarchive's number of what a file that begins so is compressed with;
/// ARCHIVE_FILTER_NONE if it is neither gzip nor bzip2.
int filter_of_single(std::string_view begin);

/// Whether this is all of an empty file, compressed. The library does not
/// tell one from a damaged file.
bool is_compressed_nothing(std::string_view whole);

} // namespace depositd
