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

} // namespace

std::uint64_t promised_room::promised_to_others(const std::string& root) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t out = 0;
  for (auto at = promised_.begin(); at != promised_.end();) {
    std::error_code ignored;
    if (!fs::exists(mark_of(at->first), ignored)) {
      at = promised_.erase(at);
      continue;
    }
    if (at->first != root)
      out = at->second > most - out ? most : out + at->second;
    ++at;
  }
  return out;
}

caf::expected<bool> promised_room::let_in(const provision_rules& rules,
                                          const wish& x) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  std::error_code code;
  const auto space = fs::space(x.work, code);
  if (code)
    return file_failed("see the free space of", x.work, code.value());
  const std::lock_guard guard{mutex_};
  const auto root = x.folder.root.string();
  if (!has_room(rules, {space.capacity, space.available},
                std::min(promised_to_others(root), most),
                static_cast<std::int64_t>(std::min(x.bytes, most))))
    return false;
  if (x.bytes == 0)
    return true;
  if (auto failure = make_folders(system_disk(), x.folder.root))
    return failure;
  if (auto failure = replace_file(system_disk(), mark_of(x.folder.root),
                                  std::to_string(x.bytes)))
    return failure;
  promised_[root] = x.bytes;
  return true;
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
  std::error_code code;
  if (!fs::exists(folder, code))
    return std::uint64_t{0};
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
