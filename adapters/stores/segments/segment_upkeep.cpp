// What an operator and the projector do to the log: see its segments, drop
// them, copy them; and opening.

#include "adapters/stores/segments/segment_journal.hpp"

#include "adapters/stores/files/lost_epochs.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>

namespace depositd {

namespace fs = std::filesystem;

namespace segments {

namespace {

constexpr const char* lock_name = "LOCK";

// A log of segments that are not small anyway begins with smaller ones.
constexpr std::uint64_t ramp_bytes_min = 16ULL * 1024 * 1024;
constexpr std::uint64_t ramp_divisor = 16;

caf::expected<unique_fd> lock_folder(const fs::path& folder) {
  const auto path = folder / lock_name;
  auto file = open_file(path, O_RDWR | O_CREAT);
  if (!file)
    return file;
  if (::flock(file->value(), LOCK_EX | LOCK_NB) == 0)
    return file;
  if (errno == EWOULDBLOCK)
    return caf::make_error(ec::store_failed,
                           folder.string() + " is in use by another engine");
  return file_failed("lock", path, errno);
}

} // namespace

std::vector<segment> segment_journal::segments() {
  std::vector<segment> out;
  const std::lock_guard guard{mutex_};
  for (const auto& [number, x] : log_)
    out.push_back({.number = number,
                   .first = x.first,
                   .last = x.last,
                   .group_first = group_number(number, 0),
                   .group_last = group_number(number, 0xffffffff),
                   .bytes = x.used});
  if (!out.empty())
    out.back().open = true;
  return out;
}

caf::error segment_journal::drop(std::uint64_t number) {
  const std::lock_guard one_at_a_time{drop_mutex_};
  gap dropped{.number = number};
  {
    const std::lock_guard guard{mutex_};
    const auto found = log_.find(number);
    if (found == log_.end())
      return caf::make_error(ec::not_found,
                             "no segment " + std::to_string(number));
    if (std::next(found) == log_.end())
      return caf::make_error(ec::invalid_argument, "segment "
                                                     + std::to_string(number)
                                                     + " is still written to");
    dropped.first = found->second.first;
    dropped.last = found->second.last;
  }
  // First the manifest: a file that it does not name is only a spare.
  if (auto failed =
        names_.change([&](manifest& names) { names.drop(dropped); }))
    return failed;
  segment_ptr file;
  {
    const std::lock_guard guard{mutex_};
    const auto found = log_.find(number);
    file = std::move(found->second.file);
    log_.erase(found);
  }
  return pool_.give_back(std::move(file));
}

std::uint64_t segment_journal::disk_bytes() {
  auto out = pool_.disk_bytes();
  const std::lock_guard guard{mutex_};
  for (const auto& [number, x] : log_)
    out += x.file->header.capacity;
  return out;
}

std::uint64_t segment_journal::closed_bytes() const {
  std::uint64_t out = 0;
  const std::lock_guard guard{mutex_};
  for (const auto& [number, x] : log_)
    if (number != log_.rbegin()->first)
      out += x.file->header.capacity;
  return out;
}

/// To end what is behind the log takes room in it as well: where it goes on in
/// small segments, no more is taken than one of them may see to its end.
bool segment_journal::nearly_full() const {
  const auto small = pool_.small_bytes();
  return pool_.lacks_space()
         || (small > 0 && closed_bytes() > small
             && io_.room(lock_.value()) < options_.segment_bytes);
}

caf::error segment_journal::backup(const fs::path& folder) {
  if (auto failed = make_folders(io_, folder))
    return failed;
  if (fs::exists(folder / manifest_name))
    return caf::make_error(ec::already_exists,
                           folder.string() + " holds a journal already");
  const auto parts = parts_from(0);
  auto names = names_.now();
  names.newest = parts.empty() ? 0 : parts.back().file->header.number;
  if (parts.empty())
    names = manifest{.shard = names.shard, .epoch = names.epoch};
  names.epoch += lost_epochs_max;
  for (const auto& x : parts)
    if (auto failed =
          copy_file_bytes(io_, x.file->file, x.file->path,
                          folder / segment_name(x.file->header.number),
                          {.bytes = x.end, .size = x.file->header.capacity}))
      return failed;
  return replace_file(io_, folder / manifest_name, encode(names));
}

} // namespace segments

caf::expected<std::unique_ptr<journal_store>>
open_segments(const segments_options& options) {
  using namespace segments;
  if (options.segment_bytes < segment_bytes_min
      || options.segment_bytes > segment_bytes_max)
    return caf::make_error(ec::bad_setting,
                           std::string{"segment_bytes must be between 8 KiB "
                                       "and 2 GiB"});
  auto& io = options.io == nullptr ? system_disk() : *options.io;
  pool_options pool{.folder = options.folder,
                    .shard = options.shard,
                    .segment_bytes = whole_pages(options.segment_bytes),
                    .spares_max = options.spares_max};
  if (pool.segment_bytes >= ramp_bytes_min)
    pool.first_bytes = whole_pages(pool.segment_bytes / ramp_divisor);
  if (auto failed = make_folders(io, options.folder))
    return failed;
  auto lock = lock_folder(options.folder);
  if (!lock)
    return std::move(lock.error());
  auto found = segments::recover(io, pool);
  if (!found)
    return std::move(found.error());
  ++found->names.epoch;
  // Durable before anybody can act under it.
  if (auto failed =
        replace_file(io, options.folder / manifest_name, encode(found->names)))
    return failed;
  return std::make_unique<segment_journal>(io, std::move(pool),
                                           std::move(*lock), std::move(*found));
}

} // namespace depositd
