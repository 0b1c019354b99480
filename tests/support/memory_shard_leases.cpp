#include "tests/support/memory_shard_leases.hpp"

#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace depositd {

using std::chrono::milliseconds;
using moment = std::chrono::steady_clock::time_point;

class memory_leases {
public:
  struct lease {
    epoch_number epoch = 0;
    std::string owner;
    std::uint64_t instance = 0;
    moment ends = moment::min();
  };

  struct engine {
    std::uint64_t instance = 0;
    std::string address;
    moment alive_until = moment::min();
    bool reaches_logs = true;
  };

  explicit memory_leases(const memory_leases_options& options)
    : now(options.now), leases(options.count) {
    // nop
  }

  const std::function<moment()> now;
  std::mutex mutex; // guards what follows
  std::vector<lease> leases;
  std::map<std::string, engine> engines;
  std::set<std::string> cut;
};

namespace {

std::int64_t left(moment until, moment now) {
  return until <= now
           ? 0
           : std::chrono::duration_cast<milliseconds>(until - now).count();
}

class memory_shard_leases final : public shard_leases {
public:
  memory_shard_leases(std::shared_ptr<memory_leases> on, engine_identity self)
    : on_(std::move(on)), self_(std::move(self)) {
    const std::lock_guard guard{on_->mutex};
    auto& entry = on_->engines[self_.name];
    entry.address = self_.address;
    instance_ = ++entry.instance;
  }

  shard_number count() const override {
    return static_cast<shard_number>(on_->leases.size());
  }

  const engine_identity& self() const override {
    return self_;
  }

  caf::expected<std::optional<epoch_number>>
  take(shard_number shard, std::uint32_t lease_ms) override {
    const std::lock_guard guard{on_->mutex};
    if (auto error = reach())
      return error;
    auto& x = on_->leases.at(shard);
    const auto now = on_->now();
    if (x.ends > now && (x.owner != self_.name || x.instance > instance_))
      return std::optional<epoch_number>{};
    x = {x.epoch + 1, self_.name, instance_, now + milliseconds{lease_ms}};
    return std::optional<epoch_number>{x.epoch};
  }

  caf::expected<std::vector<shard_number>> renew(std::uint32_t lease_ms,
                                                 bool reaches_logs) override {
    const std::lock_guard guard{on_->mutex};
    if (auto error = reach())
      return error;
    const auto now = on_->now();
    auto& us = on_->engines[self_.name];
    if (us.instance != instance_)
      return caf::make_error(ec::fenced,
                             "another engine is called " + self_.name);
    us.alive_until = now + milliseconds{lease_ms};
    us.reaches_logs = reaches_logs;
    std::vector<shard_number> out;
    for (shard_number shard = 0; shard < count(); ++shard)
      if (auto& x = on_->leases[shard]; is_ours(x) && x.ends > now) {
        x.ends = now + milliseconds{lease_ms};
        out.push_back(shard);
      }
    return out;
  }

  caf::error release(shard_number shard) override {
    const std::lock_guard guard{on_->mutex};
    if (auto error = reach())
      return error;
    if (auto& x = on_->leases.at(shard); is_ours(x))
      free(x);
    return {};
  }

  caf::error leave() override {
    const std::lock_guard guard{on_->mutex};
    if (auto error = reach())
      return error;
    for (auto& x : on_->leases)
      if (is_ours(x))
        free(x);
    auto& us = on_->engines[self_.name];
    if (us.instance == instance_)
      us.alive_until = moment::min();
    return {};
  }

  caf::expected<lease_table> list() override {
    const std::lock_guard guard{on_->mutex};
    if (auto error = reach())
      return error;
    const auto now = on_->now();
    lease_table out;
    for (shard_number shard = 0; shard < count(); ++shard) {
      const auto& x = on_->leases[shard];
      out.shards.push_back({shard, x.epoch, {}, left(x.ends, now)});
      if (x.ends > now)
        out.shards.back().owner = {x.owner, on_->engines[x.owner].address};
    }
    for (const auto& [name, x] : on_->engines)
      if (x.alive_until > now)
        out.engines.push_back(
          {{name, x.address}, left(x.alive_until, now), x.reaches_logs});
    return out;
  }

private:
  caf::error reach() const {
    return on_->cut.count(self_.name) == 0
             ? caf::error{}
             : caf::make_error(ec::store_failed,
                               std::string{"the leases cannot be reached"});
  }

  bool is_ours(const memory_leases::lease& x) const {
    return x.owner == self_.name && x.instance == instance_;
  }

  static void free(memory_leases::lease& x) {
    x.owner.clear();
    x.ends = moment::min();
  }

  std::shared_ptr<memory_leases> on_;
  engine_identity self_;
  std::uint64_t instance_ = 0;
};

} // namespace

std::shared_ptr<memory_leases>
make_memory_leases(const memory_leases_options& options) {
  return std::make_shared<memory_leases>(options);
}

caf::expected<std::unique_ptr<shard_leases>>
open_memory_leases(std::shared_ptr<memory_leases> on, engine_identity self,
                   shard_number count) {
  if (on->leases.size() != count)
    return caf::make_error(
      ec::bad_setting, "shards.count: there are "
                         + std::to_string(on->leases.size())
                         + " shards for ever, not " + std::to_string(count));
  return std::unique_ptr<shard_leases>{
    std::make_unique<memory_shard_leases>(std::move(on), std::move(self))};
}

void cut_off(memory_leases& from, const std::string& name, bool cut) {
  const std::lock_guard guard{from.mutex};
  if (cut)
    from.cut.insert(name);
  else
    from.cut.erase(name);
}

} // namespace depositd
