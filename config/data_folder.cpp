#include "config/data_folder.hpp"

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

} // namespace

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
