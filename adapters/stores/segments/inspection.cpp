#include "adapters/stores/segments/inspection.hpp"

#include "adapters/stores/files/file.hpp"
#include "adapters/stores/segments/recovery.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>

namespace depositd {

namespace {

constexpr const char* engine_lock_name = "LOCK";

/// Null if no engine ever had the folder.
caf::expected<std::shared_ptr<void>>
lock_for_looking(const std::filesystem::path& folder) {
  const auto path = folder / engine_lock_name;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return std::shared_ptr<void>{};
  auto file = open_file(path, O_RDONLY);
  if (!file)
    return std::move(file.error());
  if (::flock(file->value(), LOCK_SH | LOCK_NB) == 0)
    return std::shared_ptr<void>{std::make_shared<unique_fd>(std::move(*file))};
  if (errno == EWOULDBLOCK)
    return caf::make_error(ec::store_failed,
                           folder.string() + " is in use by an engine");
  return file_failed("lock", path, errno);
}

} // namespace

caf::expected<segments_seen>
look_at_segments(const std::filesystem::path& folder, std::uint32_t shard,
                 const std::function<caf::error(const stored_group&)>& show) {
  auto lock = lock_for_looking(folder);
  if (!lock)
    return std::move(lock.error());
  const auto found = segments::look_through(folder, shard, show);
  if (!found)
    return found.error();
  segments_seen out;
  out.lock = std::move(*lock);
  out.epoch = found->names.epoch;
  out.first = found->names.first;
  out.last = found->last;
  for (const auto& [number, x] : found->log)
    out.ends[number] = x.used;
  return out;
}

} // namespace depositd
