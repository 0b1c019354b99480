#include "config/data_folder.hpp"

#include "adapters/stores/segments/manifest.hpp"

#include <cerrno>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace depositd {

namespace {

constexpr mode_t others_write = S_IWGRP | S_IWOTH;
constexpr mode_t others_look = S_IRWXG | S_IRWXO;

/// False: it is not there, or no folder.
bool look_at(const std::filesystem::path& folder, struct stat& out) {
  return ::stat(folder.c_str(), &out) == 0 && S_ISDIR(out.st_mode);
}

caf::error refusal(const std::filesystem::path& folder,
                   const std::string& why) {
  return caf::make_error(ec::bad_setting,
                         "data.folder: others may write to " + folder.string()
                           + ", and " + why
                           + ": give the engine a folder of its own");
}

/// One of an embedded store: nothing else is harmed by what is put below it.
bool is_data_folder(const std::filesystem::path& x) {
  std::error_code ignored;
  return std::filesystem::exists(x / "journal" / segments::manifest_name,
                                 ignored)
         || std::filesystem::exists(x / "shards" / "count", ignored);
}

} // namespace

caf::error check_folder_of_its_own(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code wrong;
  auto above = fs::weakly_canonical(fs::absolute(folder, wrong), wrong);
  if (wrong)
    return {}; // which is told where it is made
  if (!above.has_filename())
    above = above.parent_path();
  while (above.has_relative_path()) {
    above = above.parent_path();
    if (is_data_folder(above))
      return caf::make_error(ec::bad_setting,
                             "data.folder: " + folder.string() + " is within "
                               + above.string()
                               + ", which is the data folder of an engine");
  }
  return {};
}

caf::expected<std::string>
close_data_folder(const std::filesystem::path& folder) {
  struct stat now {};
  if (!look_at(folder, now) || (now.st_mode & others_write) == 0)
    return std::string{};
  if ((now.st_mode & S_ISVTX) != 0)
    return refusal(folder, "it is one of everybody's");
  if (now.st_uid != ::geteuid())
    return refusal(folder, "it is somebody else's");
  if (::chmod(folder.c_str(), now.st_mode & 07777 & ~others_write) != 0)
    return refusal(folder, std::generic_category().message(errno));
  return "data.folder: others could write to " + folder.string()
         + "; they cannot any more";
}

std::string data_folder_remark(const std::filesystem::path& folder) {
  struct stat now {};
  if (!look_at(folder, now) || (now.st_mode & others_look) == 0)
    return {};
  return "data.folder: others may look into " + folder.string()
         + ", which has all that depositors send (chmod 700)";
}

} // namespace depositd
