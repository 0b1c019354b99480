#pragma once

// The files that make a folder an OCFL storage root.

#include "adapters/stores/files/disk.hpp"
#include "messages/values/errors.hpp"

#include <array>
#include <filesystem>

namespace depositd::ocfl {

struct root_file {
  const char* path; ///< below the root
  const char* text;
};

inline constexpr root_file root_options{
  "extensions/0004-hashed-n-tuple-storage-layout/config.json",
  "{\n"
  " \"extensionName\": \"0004-hashed-n-tuple-storage-layout\",\n"
  " \"digestAlgorithm\": \"sha256\",\n"
  " \"tupleSize\": 3,\n"
  " \"numberOfTuples\": 3,\n"
  " \"shortObjectRoot\": false\n"
  "}\n"};

inline constexpr root_file root_declaration{"0=ocfl_1.1", "ocfl_1.1\n"};

/// All that a root without objects has, in the order of writing.
inline constexpr std::array<root_file, 3> root_files{
  root_options,
  {"ocfl_layout.json",
   "{\n"
   " \"extension\": \"0004-hashed-n-tuple-storage-layout\",\n"
   " \"description\": \"three folders of three digits of SHA-256\"\n"
   "}\n"},
  root_declaration};

/// Where versions are put together before they get their names. OCFL keeps out
/// of extensions' folders.
std::filesystem::path work_folder(const std::filesystem::path& root);

/// Makes the folder a storage root, or checks that it is one.
/// `ec::store_damaged` if it is one of another kind, or something else.
caf::error prepare_root(disk& io, const std::filesystem::path& root);

/// Removes versions that nobody has worked on for a week: who began them was
/// killed, and what they were for has been given up. Whoever shares the folder
/// may be at work on the others.
void remove_given_up(const std::filesystem::path& root);

} // namespace depositd::ocfl
