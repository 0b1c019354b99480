#include "adapters/processing/merritt/promised_room.hpp"

#include "adapters/stores/files/file.hpp"

#include <algorithm>
#include <limits>

namespace depositd::merritt {

namespace {

namespace fs = std::filesystem;

fs::path mark_of(const fs::path& root) {
  return root / "expected";
}

constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();

std::int64_t size_of(std::uint64_t bytes) {
  return static_cast<std::int64_t>(std::min(bytes, most));
}

} // namespace

caf::expected<disk_answer> ask_disk(const provision_rules& rules,
                                    const fs::path& work,
                                    std::uint64_t promised, std::uint64_t bytes,
                                    std::uint64_t here) {
  std::error_code code;
  const auto space = fs::space(work, code);
  if (code)
    return file_failed("see the free space of", work, code.value());
  if (has_room(rules, {space.capacity, space.available},
               std::min(promised, most), size_of(bytes)))
    return disk_answer::has_room;
  // What a file system keeps for root is never ours.
  const auto ours =
    space.capacity - (space.free - std::min(space.available, space.free));
  return has_room(rules, {space.capacity, ours}, std::min(here, most),
                  size_of(bytes))
           ? disk_answer::is_full
           : disk_answer::is_too_small;
}

std::string why_no_room(disk_answer x, std::uint64_t bytes) {
  return (x == disk_answer::is_too_small
            ? "the working folder's disk is too small for "
            : "the working folder's disk has no room for ")
         + std::to_string(bytes) + " bytes";
}

std::uint64_t promised_room::promised_to_others(const std::string& root) {
  std::uint64_t out = 0;
  for (auto at = promised_.begin(); at != promised_.end();) {
    const auto mark = look_at(mark_of(at->first));
    if (mark && *mark == fs::file_type::not_found) {
      at = promised_.erase(at);
      continue;
    }
    if (at->first != root)
      out = at->second > most - out ? most : out + at->second;
    ++at;
  }
  return out;
}

caf::expected<disk_answer> promised_room::let_in(const provision_rules& rules,
                                                 const wish& x) {
  const std::lock_guard guard{mutex_};
  const auto root = x.folder.root.string();
  const auto answer =
    ask_disk(rules, x.work, promised_to_others(root), x.bytes, x.here);
  if (!answer || *answer != disk_answer::has_room)
    return answer;
  if (x.bytes == 0)
    return disk_answer::has_room;
  if (auto failure = make_folders(system_disk(), x.folder.root))
    return failure;
  if (auto failure = replace_file(system_disk(), mark_of(x.folder.root),
                                  std::to_string(x.bytes)))
    return failure;
  promised_[root] = x.bytes;
  return disk_answer::has_room;
}

std::uint64_t promised_room::promised() {
  const std::lock_guard guard{mutex_};
  return promised_to_others({});
}

void promised_room::arrived(const job_folder& folder, std::uint64_t bytes) {
  const std::lock_guard guard{mutex_};
  if (const auto at = promised_.find(folder.root.string());
      at != promised_.end())
    at->second -= std::min(at->second, bytes);
}

caf::error promised_room::settle(const job_folder& folder) {
  const std::lock_guard guard{mutex_};
  promised_.erase(folder.root.string());
  std::error_code code;
  fs::remove(mark_of(folder.root), code);
  return code ? file_failed("remove", mark_of(folder.root), code.value())
              : caf::error{};
}

caf::expected<std::uint64_t> bytes_below(const fs::path& folder) {
  const auto type = look_at(folder);
  if (!type)
    return type.error();
  if (*type == fs::file_type::not_found)
    return std::uint64_t{0};
  std::error_code code;
  std::uint64_t out = 0;
  for (fs::recursive_directory_iterator at{folder, code}, end;
       !code && at != end; at.increment(code))
    if (at->is_regular_file(code) && !at->is_symlink(code))
      out += at->file_size(code);
  if (code)
    return file_failed("list", folder, code.value());
  return out;
}

} // namespace depositd::merritt
