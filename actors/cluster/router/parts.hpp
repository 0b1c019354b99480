#pragma once

// The router's work, by what it is about. Private to actors/cluster/router.

#include "actors/cluster/router/shard_router.hpp"
#include "messages/operators.hpp"
#include "messages/receiving.hpp"
#include "messages/records.hpp"

namespace depositd::cluster {

/// `ec::draining` while the engine shuts down.
caf::error refuse(shard_router_pointer self);

std::vector<shard_number> all_shards(shard_router_pointer self);

// -- settings.cpp: settings ---------------------------------------------------

/// Newer settings have come from shard 0.
void learn(shard_router_pointer self, const control_snapshot& state,
           std::uint64_t revision);

/// Tells our own shards what they have missed, and watches shard 0.
void tick_control(shard_router_pointer self);

caf::result<done> change_settings_of_all(shard_router_pointer self, propose& x);
caf::result<control_changed> watch_settings(shard_router_pointer self,
                                            const watch_control& x);
caf::result<done> bring_shard_up(shard_router_pointer self, const bring_up& x);

/// Runs `then` when the queue exists, which it does from then on; or with an
/// error.
void with_queue(shard_router_pointer self, const std::string& name,
                std::function<void(const caf::error&)> then);

/// Whether a queue's items are spread over the shards by user; false for one
/// that does not exist.
bool is_spread(shard_router_pointer self, const std::string& queue);

// -- admission.cpp: what comes in ---------------------------------------------

caf::result<enqueued> distribute(shard_router_pointer self, enqueue& x);
caf::result<queue_port_actor> open_one_port(shard_router_pointer self,
                                            open_queue& x);
caf::result<ports_opened> open_all_ports(shard_router_pointer self,
                                         open_ports& x);
caf::result<ingested> ingest_everywhere(shard_router_pointer self, ingest& x);
caf::result<watermarks_read> read_all_watermarks(shard_router_pointer self,
                                                 const read_watermarks& x);

// -- receiving.cpp: doors whose workers poll ----------------------------------

caf::result<items_received> take(shard_router_pointer self, receive_items& x);
caf::result<items_settled> end(shard_router_pointer self, settle_items& x);
caf::result<done> extend(shard_router_pointer self, renew_items& x);
caf::result<done> release(shard_router_pointer self, release_queue& x);
caf::result<queue_counted> count(shard_router_pointer self, count_queue& x);
caf::result<done> purge(shard_router_pointer self, purge_queue& x);

// -- moves.cpp: moves between queues ------------------------------------------

caf::result<move_begun> begin_move(shard_router_pointer self,
                                   const move_queue& x);

// -- reports.cpp: what operators ask -----------------------------------

caf::result<matching_parked> park(shard_router_pointer self,
                                  const park_matching& x);
caf::result<queues_listed> list_all(shard_router_pointer self,
                                    const list_queues& x);
caf::result<users_listed> list_members(shard_router_pointer self,
                                       const list_users& x);

} // namespace depositd::cluster
