#include "config/metrics.hpp"

#include "config/shared_shards.hpp"
#include "config/version.hpp"

namespace depositd {

namespace {

std::function<std::vector<engine_met::owned>()>
own_shards(const measured_parts& x) {
  if (x.shared != nullptr)
    return [met = x.shared->owned()] { return met().shards; };
  engine_met::owned only;
  only.core = x.core.shard;
  only.reads = x.core.projector;
  return [only] { return std::vector{only}; };
}

} // namespace

metrics_options metrics_of(const measured_parts& x) {
  metrics_options out;
  out.shards = own_shards(x);
  if (x.shared != nullptr)
    out.keeper = x.shared->keeper_later();
  out.logs = [roster = x.roster] {
    std::vector<metrics_options::records> all;
    for (const auto& one : roster->all())
      all.push_back({one.in, one.out});
    return all;
  };
  out.processors = x.processors;
  out.memory_used = [budget = x.budget] { return budget->used(); };
  out.version = version_text;
  return out;
}

void door_counts::add(std::string door, const http::server& what) {
  const std::lock_guard guard{mutex_};
  servers_.emplace_back(std::move(door), &what);
}

void door_counts::clear() {
  const std::lock_guard guard{mutex_};
  servers_.clear();
}

std::vector<door_numbers> door_counts::all() const {
  const std::lock_guard guard{mutex_};
  std::vector<door_numbers> out;
  for (const auto& [name, server] : servers_)
    out.push_back({name, server->numbers()});
  return out;
}

void door_counts::add(std::shared_ptr<const kit::certificate_life> x) {
  const std::lock_guard guard{mutex_};
  certificates_.push_back(std::move(x));
}

std::vector<certificate_numbers> door_counts::certificates() const {
  const std::lock_guard guard{mutex_};
  std::vector<certificate_numbers> out;
  for (const auto& x : certificates_)
    if (x->until() != 0)
      out.push_back({x->use(), x->until(), x->is_due()});
  return out;
}

} // namespace depositd
