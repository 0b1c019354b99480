#include "adapters/stores/files/shard_folders.hpp"

#include <cerrno>
#include <charconv>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>

namespace depositd {

namespace {

namespace fs = std::filesystem;

fs::path shards_of(const fs::path& data) {
  return data / "shards";
}

fs::path count_file_of(const fs::path& data) {
  return shards_of(data) / "count";
}

caf::error other_count(shard_number known, shard_number ours) {
  return caf::make_error(ec::bad_setting,
                         "shards.count: this data folder has "
                           + std::to_string(known) + " for ever, not "
                           + std::to_string(ours));
}

caf::expected<unique_fd> lock_file(const fs::path& path) {
  auto out = open_file(path, O_RDWR | O_CREAT);
  if (!out)
    return out;
  if (::flock(out->value(), LOCK_EX | LOCK_NB) == 0)
    return out;
  if (errno == EWOULDBLOCK)
    return caf::make_error(ec::store_failed,
                           path.parent_path().string()
                             + " is in use by another engine");
  return file_failed("lock", path, errno);
}

/// A journal that stands there alone.
bool has_only_shard(const fs::path& data) {
  std::error_code ignored;
  return fs::exists(data / "journal", ignored);
}

} // namespace

fs::path shard_folder(const fs::path& data, shard_number shard) {
  return shards_of(data) / std::to_string(shard);
}

caf::expected<shard_number> shards_in_folder(const fs::path& data) {
  const auto path = count_file_of(data);
  const auto text = read_file(path);
  if (!text && text.error() == ec::not_found)
    return shard_number{1};
  if (!text)
    return text.error();
  shard_number out = 0;
  const auto* end = text->data() + text->size();
  const auto [at, wrong] = std::from_chars(text->data(), end, out);
  if (wrong != std::errc{} || out < 2 || std::string_view(at, end) != "\n")
    return caf::make_error(ec::store_damaged,
                           path.string() + " is no number of shards");
  return out;
}

caf::expected<unique_fd> lock_shards(disk& io, const fs::path& data,
                                     shard_number count) {
  if (has_only_shard(data))
    return other_count(1, count);
  if (auto failed = make_folders(io, shards_of(data)))
    return failed;
  auto out = lock_file(shards_of(data) / "LOCK");
  if (!out)
    return out;
  const auto known = shards_in_folder(data);
  if (!known)
    return known.error();
  if (*known == 1) {
    if (auto failed = replace_file(io, count_file_of(data),
                                   std::to_string(count) + "\n"))
      return failed;
  } else if (*known != count) {
    return other_count(*known, count);
  }
  return out;
}

caf::error check_only_shard(const fs::path& data) {
  const auto known = shards_in_folder(data);
  if (!known)
    return known.error();
  return *known == 1 ? caf::error{} : other_count(*known, 1);
}

} // namespace depositd
