#include "actors/cluster/lease_clerk.hpp"

#include "messages/cluster.hpp"

namespace depositd::cluster {

namespace {

caf::result<leases_seen> look(shard_leases& leases, const look_at_leases& x) {
  leases_seen out;
  if (x.renew) {
    auto ours = leases.renew(x.lease_ms, x.reaches_logs);
    if (!ours)
      return std::move(ours.error());
    out.ours = std::move(*ours);
    out.renewed = true;
  }
  auto table = leases.list();
  if (table)
    out.table = std::move(*table);
  else if (!out.renewed)
    return std::move(table.error());
  return out;
}

caf::result<done> finished(const caf::error& failed) {
  if (failed)
    return failed;
  return done{};
}

} // namespace

lease_clerk_actor::behavior_type
lease_clerk(lease_clerk_actor::pointer,
            std::shared_ptr<shard_leases> leases) {
  return {
    [=](const look_at_leases& x) { return look(*leases, x); },
    [=](const take_lease& x) -> caf::result<lease_taken> {
      const auto taken = leases->take(x.shard, x.lease_ms);
      if (!taken)
        return taken.error();
      return lease_taken{taken->value_or(0)};
    },
    [=](const release_lease& x) { return finished(leases->release(x.shard)); },
    [=](leave_engines) { return finished(leases->leave()); },
  };
}

} // namespace depositd::cluster
