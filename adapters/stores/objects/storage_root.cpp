#include "adapters/stores/objects/storage_root.hpp"

#include "adapters/stores/files/file.hpp"

#include <cerrno>

#include <unistd.h>

namespace depositd::ocfl {

namespace {

namespace fs = std::filesystem;

constexpr const char* declaration = "0=ocfl_1.1";
constexpr const char* declared = "ocfl_1.1\n";
constexpr const char* layout_name = "0004-hashed-n-tuple-storage-layout";

constexpr const char* layout_text =
  "{\n"
  " \"extension\": \"0004-hashed-n-tuple-storage-layout\",\n"
  " \"description\": \"three folders of three digits of SHA-256\"\n"
  "}\n";

constexpr const char* layout_options =
  "{\n"
  " \"extensionName\": \"0004-hashed-n-tuple-storage-layout\",\n"
  " \"digestAlgorithm\": \"sha256\",\n"
  " \"tupleSize\": 3,\n"
  " \"numberOfTuples\": 3,\n"
  " \"shortObjectRoot\": false\n"
  "}\n";

caf::error damaged(const fs::path& root, const char* reason) {
  return caf::make_error(ec::store_damaged, root.string() + " " + reason);
}

caf::error make_root(disk& io, const fs::path& root) {
  const auto extension = root / "extensions" / layout_name;
  if (auto failure = make_folders(io, extension))
    return failure;
  if (auto failure =
        replace_file(io, extension / "config.json", layout_options))
    return failure;
  if (auto failure = replace_file(io, root / "ocfl_layout.json", layout_text))
    return failure;
  // Last: it says that the rest is there.
  return replace_file(io, root / declaration, declared);
}

/// Whether nothing is there but what a start that was cut off has left.
bool is_fresh(const fs::path& root) {
  std::error_code code;
  for (fs::directory_iterator at{root, code}, end; !code && at != end;
       at.increment(code)) {
    const auto name = at->path().filename().string();
    if (name != "extensions" && !name.starts_with("ocfl_layout.json")
        && !name.starts_with(declaration))
      return false;
  }
  return !code;
}

} // namespace

fs::path work_folder(const fs::path& root) {
  return root / "extensions" / "depositd-unfinished";
}

caf::error prepare_root(disk& io, const fs::path& root) {
  if (auto failure = make_folders(io, root))
    return failure;
  if (::access(root.c_str(), R_OK | W_OK | X_OK) != 0)
    return file_failed("write", root, errno);
  const auto found = read_file(root / declaration);
  if (!found && found.error() != ec::not_found)
    return found.error();
  if (!found) {
    if (!is_fresh(root))
      return damaged(root, "is no OCFL 1.1 storage root and not empty");
    if (auto failure = make_root(io, root))
      return failure;
  } else {
    const auto layout =
      read_file(root / "extensions" / layout_name / "config.json");
    if (*found != declared || !layout || *layout != layout_options)
      return damaged(root, "is a storage root of another kind");
  }
  return make_folders(io, work_folder(root));
}

} // namespace depositd::ocfl
