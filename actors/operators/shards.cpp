// Which engine has which shard.

#include "actors/cluster/keeper/keeper.hpp"
#include "actors/operators/calls.hpp"

namespace depositd::operators {

namespace {

document shards_document(const lease_table& table) {
  auto shards = document::array();
  for (const auto& x : table.shards)
    shards.push_back({{"shard", x.shard},
                      {"engine", x.owner.name},
                      {"address", x.owner.address},
                      {"epoch", x.epoch},
                      {"left_ms", x.left_ms}});
  auto engines = document::array();
  for (const auto& x : table.engines)
    engines.push_back({{"engine", x.who.name},
                       {"address", x.who.address},
                       {"left_ms", x.left_ms}});
  return {{"shards", std::move(shards)}, {"engines", std::move(engines)}};
}

} // namespace

void list_all_shards(admin_pointer self, const admin_call_ptr& call) {
  if (wrong(call))
    return;
  const auto& known = self->state.options.keeper;
  const auto keeper = known ? known() : nullptr;
  if (!keeper) {
    refuse(call, ec::not_found, "this engine shares no shards");
    return;
  }
  ask(self, call, caf::actor_cast<shard_keeper_actor>(keeper), list_shards{},
      [=](const shards_listed& x) {
        deliver(call, shards_document(x.table));
      });
}

} // namespace depositd::operators
