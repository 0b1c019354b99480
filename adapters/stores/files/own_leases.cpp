#include "adapters/stores/files/own_leases.hpp"

#include <mutex>
#include <utility>

namespace depositd {

namespace {

/// A lease that nobody else could take ends when it is given back.
class only_owner final : public shard_leases {
public:
  only_owner(engine_identity self, shard_number count)
    : self_(std::move(self)), shards_(count) {
    // nop
  }

  shard_number count() const override {
    return static_cast<shard_number>(shards_.size());
  }

  const engine_identity& self() const override {
    return self_;
  }

  caf::expected<std::optional<epoch_number>>
  take(shard_number shard, std::uint32_t lease_ms) override {
    const std::lock_guard guard{mutex_};
    auto& x = shards_.at(shard);
    x.ours = true;
    lease_ms_ = lease_ms;
    return std::optional{++x.epoch};
  }

  caf::expected<std::vector<shard_number>> renew(std::uint32_t lease_ms,
                                                 bool reaches_logs) override {
    const std::lock_guard guard{mutex_};
    lease_ms_ = lease_ms;
    reaches_logs_ = reaches_logs;
    std::vector<shard_number> out;
    for (shard_number shard = 0; shard < shards_.size(); ++shard)
      if (shards_[shard].ours)
        out.push_back(shard);
    return out;
  }

  caf::error release(shard_number shard) override {
    const std::lock_guard guard{mutex_};
    shards_.at(shard).ours = false;
    return {};
  }

  caf::error leave() override {
    const std::lock_guard guard{mutex_};
    for (auto& x : shards_)
      x.ours = false;
    return {};
  }

  caf::expected<lease_table> list() override {
    const std::lock_guard guard{mutex_};
    lease_table out;
    out.engines.push_back({self_, lease_ms_, reaches_logs_});
    for (shard_number shard = 0; shard < shards_.size(); ++shard) {
      const auto& x = shards_[shard];
      out.shards.push_back({shard, x.epoch, x.ours ? self_ : engine_identity{},
                            x.ours ? lease_ms_ : 0});
    }
    return out;
  }

private:
  struct one {
    epoch_number epoch = 0;
    bool ours = false;
  };

  const engine_identity self_;
  std::mutex mutex_; ///< guards what follows
  std::vector<one> shards_;
  std::int64_t lease_ms_ = 0; ///< as it was last asked for
  bool reaches_logs_ = true;
};

} // namespace

std::unique_ptr<shard_leases> own_leases(engine_identity self,
                                         shard_number count) {
  return std::make_unique<only_owner>(std::move(self), count);
}

} // namespace depositd
