#include "adapters/doors/drop/ready_files.hpp"

#include <utility>

namespace depositd::drop {

bool meant_to_be_taken(std::string_view name) noexcept {
  return !name.empty() && name.front() != '.' && !name.ends_with(".part")
         && !name.ends_with(".tmp");
}

std::vector<listed_file>
ready_files::observe(const std::vector<listed_file>& listed, time_point now,
                     std::chrono::milliseconds still_for) {
  std::vector<listed_file> out;
  std::map<std::string, sight> seen;
  for (const auto& file : listed) {
    const auto before = seen_.find(file.name);
    const auto same =
      before != seen_.end() && before->second.stamp == file.stamp;
    const auto since = same ? before->second.since : now;
    seen.insert_or_assign(file.name, sight{file.stamp, since});
    if (same && file.stamp.size > 0 && now - since >= still_for)
      out.push_back(file);
  }
  seen_ = std::move(seen);
  return out;
}

void ready_files::forget(const std::string& name) {
  seen_.erase(name);
}

void ready_files::forget_all() {
  seen_.clear();
}

} // namespace depositd::drop
