#include "adapters/stores/files/disk_floor.hpp"

#include "adapters/stores/files/file.hpp"

#include <string>

namespace depositd {

namespace {

constexpr std::uint64_t look_bytes = 4 * 1024 * 1024;

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

} // namespace depositd
