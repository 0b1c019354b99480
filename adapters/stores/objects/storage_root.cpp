#include "adapters/stores/objects/storage_root.hpp"

#include "adapters/stores/files/file.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <vector>

#include <unistd.h>

namespace depositd::ocfl {

namespace {

namespace fs = std::filesystem;

caf::error damaged(const fs::path& root, const char* reason) {
  return caf::make_error(ec::store_damaged, root.string() + " " + reason);
}

caf::error make_root(disk& io, const fs::path& root) {
  // The declaration is the last: it says that the rest is there.
  for (const auto& file : root_files) {
    const auto path = root / file.path;
    if (auto failure = make_folders(io, path.parent_path()))
      return failure;
    if (auto failure = replace_file(io, path, file.text))
      return failure;
  }
  return {};
}

/// Whether nothing is there but what a start that was cut off has left.
bool is_fresh(const fs::path& root) {
  std::error_code code;
  for (fs::directory_iterator at{root, code}, end; !code && at != end;
       at.increment(code)) {
    const auto name = at->path().filename().string();
    if (name != "extensions" && !name.starts_with("ocfl_layout.json")
        && !name.starts_with(root_declaration.path))
      return false;
  }
  return !code;
}

/// Of anything in the folder; the newest there is if that cannot be seen.
fs::file_time_type last_change(const fs::path& folder) {
  std::error_code code;
  auto out = fs::last_write_time(folder, code);
  for (fs::recursive_directory_iterator at{folder, code}, end;
       !code && at != end; at.increment(code))
    if (const auto changed = at->last_write_time(code); !code)
      out = std::max(out, changed);
  return code ? fs::file_time_type::max() : out;
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
  const auto found = read_file(root / root_declaration.path);
  if (!found && found.error() != ec::not_found)
    return found.error();
  if (!found) {
    if (!is_fresh(root))
      return damaged(root, "is no OCFL 1.1 storage root and not empty");
    if (auto failure = make_root(io, root))
      return failure;
  } else {
    const auto layout = read_file(root / root_options.path);
    if (!layout && layout.error() != ec::not_found)
      return layout.error();
    if (*found != root_declaration.text || !layout
        || *layout != root_options.text)
      return damaged(root, "is a storage root of another kind");
  }
  return make_folders(io, work_folder(root));
}

void remove_given_up(const fs::path& root) {
  const auto old = fs::file_time_type::clock::now() - std::chrono::days{7};
  std::error_code code;
  std::vector<fs::path> given_up;
  for (fs::directory_iterator at{work_folder(root), code}, end;
       !code && at != end; at.increment(code))
    if (last_change(at->path()) < old)
      given_up.push_back(at->path());
  for (const auto& each : given_up)
    fs::remove_all(each, code);
}

} // namespace depositd::ocfl
