#pragma once

// The router's work, by what it is about. Private to actors/router*.cpp.

#include "actors/cluster/router/shard_router.hpp"

namespace depositd::cluster {

/// `ec::draining` while the engine shuts down.
caf::error refuse(router_pointer self);

std::vector<shard_number> all_shards(router_pointer self);

// -- router_control.cpp: settings ---------------------------------------------

/// Newer settings have come from shard 0.
void learn(router_pointer self, const control_snapshot& state,
           std::uint64_t revision);

/// Tells our own shards what they have missed, and watches shard 0.
void tick_control(router_pointer self);

caf::result<done> change_settings_of_all(router_pointer self, propose& x);
caf::result<control_changed> watch_settings(router_pointer self,
                                            const watch_control& x);
caf::result<done> bring_shard_up(router_pointer self, const bring_up& x);

/// Runs `then` when the queue exists, which it does from then on; or with an
/// error.
void with_queue(router_pointer self, const std::string& name,
                std::function<void(const caf::error&)> then);

/// Whether a queue's items are spread over the shards by user; false for one
/// that does not exist.
bool is_spread(router_pointer self, const std::string& queue);

// -- router_intake.cpp: what comes in -----------------------------------------

caf::result<enqueued> distribute(router_pointer self, enqueue& x);
caf::result<queue_port_actor> open_one_port(router_pointer self, open_queue& x);
caf::result<ports_opened> open_all_ports(router_pointer self, open_ports& x);
caf::result<ingested> ingest_everywhere(router_pointer self, ingest& x);
caf::result<watermarks_read> read_all_watermarks(router_pointer self,
                                                 const read_watermarks& x);

// -- router_polling.cpp: doors whose workers poll -----------------------------

caf::result<items_received> take(router_pointer self, receive_items& x);
caf::result<items_settled> end(router_pointer self, settle_items& x);
caf::result<done> extend(router_pointer self, renew_items& x);
caf::result<done> release(router_pointer self, release_queue& x);
caf::result<queue_counted> count(router_pointer self, count_queue& x);
caf::result<done> purge(router_pointer self, purge_queue& x);

// -- router_moves.cpp: moves between queues -----------------------------------

caf::result<move_begun> begin_move(router_pointer self, const move_queue& x);

// -- router_reports.cpp: what operators ask -----------------------------------

caf::result<matching_parked> park(router_pointer self,
                                  const park_matching& x);
caf::result<queues_listed> list_all(router_pointer self, const list_queues& x);
caf::result<users_listed> list_members(router_pointer self,
                                       const list_users& x);

} // namespace depositd::cluster
