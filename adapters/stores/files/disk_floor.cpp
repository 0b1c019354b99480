#include "adapters/stores/files/disk_floor.hpp"

#include "adapters/stores/files/file.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <sys/statvfs.h>

namespace depositd {

namespace {

constexpr std::uint64_t look_bytes = 4 * 1024 * 1024;

/// A disk that has less is full: whatever is kept has folders and lists, too.
constexpr std::uint64_t room_min = 1024 * 1024;

caf::error no_room(const std::filesystem::path& folder, const char* why) {
  return caf::make_error(ec::store_failed,
                         "the disk of " + folder.string() + " " + why);
}

} // namespace

caf::error disk_floor::take(const std::filesystem::path& folder,
                            std::uint64_t bytes) {
  if ((unseen_ += bytes) < look_bytes)
    return {};
  unseen_ = 0;
  std::error_code code;
  const auto space = std::filesystem::space(folder, code);
  if (code)
    return file_failed("see the free space of", folder, code.value());
  if (space.available >= free_min_ + bytes)
    return {};
  return caf::make_error(ec::store_failed,
                         "there is no room: the disk would have less than "
                           + std::to_string(free_min_ >> 20) + " MB free");
}

caf::error look_for_room(const std::filesystem::path& folder,
                         std::uint64_t bytes) {
  struct statvfs disk {};
  if (::statvfs(folder.c_str(), &disk) != 0)
    return {};
  if ((disk.f_flag & ST_RDONLY) != 0)
    return no_room(folder, "takes no writes");
  // Some file systems count no files.
  if (disk.f_files > 0 && disk.f_favail == 0)
    return no_room(folder, "has no room for another file");
  const std::uint64_t block = std::max<std::uint64_t>(disk.f_frsize, 1);
  const auto wanted =
    std::min(bytes, std::numeric_limits<std::uint64_t>::max() - room_min)
    + room_min;
  // What a file system keeps for root is never ours.
  const std::uint64_t for_root =
    disk.f_bfree - std::min(disk.f_bfree, disk.f_bavail);
  const bool is_full = disk.f_bavail < wanted / block;
  const bool may_have_room = disk.f_blocks - for_root >= wanted / block;
  return is_full && may_have_room ? no_room(folder, "has no room")
                                  : caf::error{};
}

} // namespace depositd
