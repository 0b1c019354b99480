#pragma once

// The router's work, by what it is about. Private to actors/cluster/router.

#include "actors/cluster/router/shard_router.hpp"
#include "actors/cluster/scatter.hpp"
#include "actors/journal/gather.hpp"

#include <functional>
#include <string>
#include <vector>

namespace depositd::cluster {

/// `ec::draining` while the engine shuts down.
caf::error refuse(shard_router_pointer self);

/// What decides where something is, as far as it is known.
rules::routing::shard_map map_of(shard_router_pointer self);

// -- settings.cpp -------------------------------------------------------------

/// Newer settings have come from shard 0.
void learn(shard_router_pointer self, const control_snapshot& state,
           std::uint64_t revision);

/// Tells our own shards what they have missed, and watches shard 0.
void tick_control(shard_router_pointer self);

/// The same of one shard, whose owner may be another one now.
void look_at(shard_router_pointer self, shard_number shard);

/// Answered by shard 0, never from what is known here.
caf::result<control_changed> fetch_now(shard_router_pointer self);

/// Runs `then` when the queues exist, which they do from then on; or with an
/// error. `user`: whose first use would make them; empty: nobody's.
void with_queues(shard_router_pointer self,
                 const std::vector<std::string>& names,
                 const std::string& user,
                 std::function<void(const caf::error&)> then);

// -- what the table of routes cannot say --------------------------------------

/// Settings are decided in shard 0 and spread from there to every shard.
caf::result<done> by_hand(shard_router_pointer self, propose& x);
caf::result<control_changed> by_hand(shard_router_pointer self,
                                     watch_control& x);

/// One shard after the other, where a queue is in all of them.
caf::result<items_received> by_hand(shard_router_pointer self,
                                    receive_items& x);

/// One door for a queue that must not be in several shards.
caf::result<queue_port_actor> by_hand(shard_router_pointer self, open_queue& x);

/// Begun where the source is, once the target is there.
caf::result<move_begun> by_hand(shard_router_pointer self, move_queue& x);

/// A setting like others, but that nobody waits for it.
caf::result<done> by_hand(shard_router_pointer self, note_key_use& x);

/// About the engine, not its shards.
caf::result<done> by_hand(shard_router_pointer self, await_ready& x);
caf::result<done> by_hand(shard_router_pointer self, check_intake& x);
caf::result<done> by_hand(shard_router_pointer self, drain& x);

} // namespace depositd::cluster
