#include "adapters/processing/merritt/waiting_jobs.hpp"

#include <algorithm>

namespace depositd::merritt {

namespace {

/// A wake may come before the job has been given back, and is lost then.
constexpr std::chrono::seconds patience{5};

constexpr unsigned named_max = 3;

std::int64_t size_of(std::uint64_t bytes) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(bytes, most));
}

} // namespace

bool waiting_jobs::add(waiting_job x) {
  remove(x.id);
  if (by_turn_.size() >= count_max)
    return false;
  const turn at{x.priority, x.id};
  least_ = std::min(least_, x.bytes);
  turns_.emplace(x.id, at);
  by_turn_.emplace(at, entry{std::move(x)});
  return true;
}

void waiting_jobs::remove(item_id id) {
  const auto at = turns_.find(id);
  if (at == turns_.end())
    return;
  by_turn_.erase(at->second);
  turns_.erase(at);
}

bool waiting_jobs::may_fit(const provision_rules& by, const disk_space& disk,
                           std::uint64_t promised) const {
  return !empty() && has_room(by, disk, promised, size_of(least_));
}

std::vector<wake_items> waiting_jobs::next(const provision_rules& by,
                                           const disk_space& disk,
                                           std::uint64_t promised,
                                           time_point now) {
  std::map<std::pair<std::string, std::string>, wake_items> found;
  least_ = std::numeric_limits<std::uint64_t>::max();
  for (auto at = by_turn_.begin(); at != by_turn_.end();) {
    auto& x = at->second;
    const bool on_its_way = x.named > 0 && now - x.named_at < patience;
    if (!on_its_way && x.named >= named_max) {
      turns_.erase(x.job.id);
      at = by_turn_.erase(at);
      continue;
    }
    least_ = std::min(least_, x.job.bytes);
    ++at;
    if (!has_room(by, disk, promised, size_of(x.job.bytes)))
      continue;
    promised += std::min(x.job.bytes,
                         std::numeric_limits<std::uint64_t>::max() - promised);
    if (on_its_way)
      continue;
    ++x.named;
    x.named_at = now;
    auto& group = found[{x.job.user, x.job.queue}];
    group.user = x.job.user;
    group.queue = x.job.queue;
    group.ids.push_back(x.job.id);
  }
  std::vector<wake_items> out;
  for (auto& [whose, items] : found)
    out.push_back(std::move(items));
  return out;
}

} // namespace depositd::merritt
