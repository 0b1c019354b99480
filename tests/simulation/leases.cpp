#include "tests/simulation/leases.hpp"

namespace depositd::simulation {

namespace {

caf::error lost_answer() {
  return caf::make_error(ec::store_failed,
                         std::string{"the answer of the leases was lost"});
}

} // namespace

bool recorded_leases::is_lost() {
  const auto one_in = around_.lost_one_in();
  return one_in > 0 && around_.by->one_in(one_in);
}

void recorded_leases::tell_lease(shard_number shard, std::uint32_t lease_ms) {
  tell(leased{self().name, shard, ours_[shard],
              around_.now_us() + micros{lease_ms} * 1000});
}

void recorded_leases::tell_given_back(shard_number shard) {
  const auto at = ours_.find(shard);
  if (at == ours_.end())
    return;
  tell(given_back{self().name, shard, at->second});
  ours_.erase(at);
}

caf::expected<std::optional<epoch_number>>
recorded_leases::take(shard_number shard, std::uint32_t lease_ms) {
  auto out = leases_->take(shard, lease_ms);
  if (!out || !*out)
    return out;
  ours_[shard] = **out;
  around_.taken(shard, **out);
  tell_lease(shard, lease_ms);
  if (is_lost())
    return lost_answer();
  return out;
}

caf::expected<std::vector<shard_number>>
recorded_leases::renew(std::uint32_t lease_ms, bool reaches_logs) {
  auto out = leases_->renew(lease_ms, reaches_logs);
  if (!out)
    return out;
  for (const auto shard : *out)
    tell_lease(shard, lease_ms);
  if (is_lost())
    return lost_answer();
  return out;
}

caf::error recorded_leases::release(shard_number shard) {
  auto out = leases_->release(shard);
  if (out)
    return out;
  tell_given_back(shard);
  return is_lost() ? lost_answer() : caf::error{};
}

caf::error recorded_leases::leave() {
  auto out = leases_->leave();
  if (out)
    return out;
  while (!ours_.empty())
    tell_given_back(ours_.begin()->first);
  return {};
}

} // namespace depositd::simulation
