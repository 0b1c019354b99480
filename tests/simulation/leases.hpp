#pragma once

// The leases as one engine reaches them, with what it is given written into the
// history. The journals of a shard are fenced when its lease is taken.

#include "messages/ports/shard_leases.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/knobs.hpp"

#include <functional>
#include <map>
#include <memory>

namespace depositd::simulation {

class recorded_leases final : public shard_leases {
public:
  struct surroundings {
    history* told = nullptr;
    chance* by = nullptr;
    std::function<micros()> now_us;
    std::function<void(shard_number, epoch_number)> taken;
    /// One answer in so many is lost, after the fact; 0: none.
    std::function<std::uint32_t()> lost_one_in;
  };

  recorded_leases(std::unique_ptr<shard_leases> leases, surroundings around)
    : leases_(std::move(leases)), around_(std::move(around)) {
    // nop
  }

  shard_number count() const override {
    return leases_->count();
  }
  const engine_identity& self() const override {
    return leases_->self();
  }
  caf::expected<std::optional<epoch_number>>
  take(shard_number shard, std::uint32_t lease_ms) override;
  caf::expected<std::vector<shard_number>> renew(std::uint32_t lease_ms,
                                                 bool reaches_logs) override;
  caf::error release(shard_number shard) override;
  caf::error leave() override;
  caf::expected<lease_table> list() override {
    return leases_->list();
  }

private:
  void tell(fact what) {
    around_.told->add(around_.now_us(), std::move(what));
  }
  void tell_lease(shard_number shard, std::uint32_t lease_ms);
  void tell_given_back(shard_number shard);
  bool is_lost();

  std::unique_ptr<shard_leases> leases_;
  surroundings around_;
  std::map<shard_number, epoch_number> ours_; ///< as far as we were told
};

} // namespace depositd::simulation
