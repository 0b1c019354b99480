#pragma once

// The map: every actor of depositd and what may be said to it. One alias per
// role; a comment above each message says what it means. Values are in
// types.hpp, commands.hpp (may cross processes) and local.hpp (may not).

#include "messages/commands.hpp"
#include "messages/local.hpp"
#include "messages/wire.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace depositd {

/// One SP slot: asks for items under its criteria, runs the handler, reports.
/// Also what a remote worker must be.
using processor_actor = caf::typed_actor<
  // Items handed out and outcomes taken, durable both.
  caf::reacts_to<deliver>>;

/// Attaches a processor to a queue.
struct attach {
  processor_actor who;
  std::string name;           ///< for operators and the journal
  criteria wants;
  std::uint32_t lease_ms = 0; ///< 0: claims last as long as the processor
  /// What it has held since an earlier engine: these claims stay in force, all
  /// others of its name end.
  std::vector<held_claim> holds;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, attach& x) {
  return f(x.who, x.name, x.wants, x.lease_ms, x.holds);
}

/// The side of a queue that processors see, here or on another node.
using queue_port_actor = caf::typed_actor<
  // Registers a processor; it is watched from then on.
  caf::replies_to<attach>::with<attached>,
  // Ends claims and asks for items; answered by `handed` to the processor.
  caf::reacts_to<settle_and_request>,
  // Takes back credit.
  caf::reacts_to<cancel_credit>,
  // Extends claims.
  caf::reacts_to<renew_claims>,
  // Releases what the processor holds and forgets it.
  caf::replies_to<detach>::with<done>>;

/// One queue's doors, one for each shard that has a part of it.
struct ports_opened {
  struct port {
    shard_number shard = 0;
    queue_port_actor queue;
  };
  std::vector<port> ports;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, ports_opened::port& x) {
  return f(x.shard, x.queue);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, ports_opened& x) {
  return f(x.ports);
}

/// The ring of one queue: picks whose turn it is, reserves, delegates.
using queue_actor = queue_port_actor::extend<
  // From the shard: a user has something to do with this queue.
  caf::reacts_to<introduce>,
  // From the shard: a user's node retired. Answers where it stood in the ring.
  caf::replies_to<forget_member>::with<member_forgotten>,
  // From the shard: settings of the queue or the server changed.
  caf::reacts_to<configure_queue>,
  // From the shard: a user's limits or standing changed.
  caf::reacts_to<change_limits>,
  // From the shard: recovery is over, order the ring and begin.
  caf::reacts_to<begin>,
  // From a node: ready items or claims of its user changed.
  caf::reacts_to<counts_changed>,
  // From a node: it had nothing for these picks.
  caf::reacts_to<picks_declined>,
  // Numbers of the queue.
  caf::replies_to<report_queue>::with<queue_report>,
  // Numbers of its users.
  caf::replies_to<report_members>::with<members_report>,
  // Why a user is served or not.
  caf::replies_to<explain_member>::with<member_explained>,
  // Its processors.
  caf::replies_to<report_processors>::with<processors_report>,
  // From polling doors, through the shard.
  caf::replies_to<receive_items>::with<items_received>,
  caf::replies_to<settle_items>::with<items_settled>,
  caf::replies_to<renew_items>::with<done>,
  caf::replies_to<release_queue>::with<done>,
  caf::replies_to<count_queue>::with<queue_counted>>;

/// One user in a shard, over all queues: owns its items and claims.
using user_actor = caf::typed_actor<
  // From the shard: this queue exists for the user from now on.
  caf::reacts_to<serve_queue>, caf::reacts_to<change_settings>,
  // From the shard: items to accept.
  caf::reacts_to<accept_items>,
  // From a queue: picks reserved for a processor.
  caf::reacts_to<hand_over>,
  // From a queue: outcomes of claims.
  caf::reacts_to<settle>,
  // From a queue: extend claims.
  caf::reacts_to<renew>,
  // From a queue: a processor is back and says what it holds.
  caf::replies_to<adopt_claims>::with<claims_adopted>,
  // From a queue: a processor is gone, release what it holds.
  caf::reacts_to<release_claims>,
  // From a queue: a polling door ends or extends by item.
  caf::reacts_to<settle_named>, caf::reacts_to<renew_named>,
  // From a queue: the size classes changed, count again.
  caf::reacts_to<reclassify>,
  // From a queue that collapses: what is ready, and what is superfluous.
  caf::reacts_to<admit_items>, caf::reacts_to<collapse_items>,
  // From the journal: where bodies are.
  caf::reacts_to<body_locations>,
  // From the shard: park, unpark, purge.
  caf::reacts_to<park_items>, caf::reacts_to<purge_items>,
  // From the shard: write bodies of these items again (their extent is to go).
  caf::reacts_to<compact_bodies>,
  // From the shard: move items to another queue of the user.
  caf::replies_to<move_items>::with<items_moved>,
  // One item, if the user has it.
  caf::replies_to<find_item>::with<item_found>,
  // Sizes of the user's queues.
  caf::replies_to<report_user>::with<user_report>,
  // From the shard, which routes nothing here any more: leave if idle.
  caf::replies_to<retire>::with<retired>>;

// -- a shard, in four faces ---------------------------------------------------

/// What doors, producers and processors say to a shard, or to a router that
/// stands for all of them.
using shard_doors_actor = caf::typed_actor<
  // Accepts items of any users for one queue.
  caf::replies_to<enqueue>::with<enqueued>,
  // Accepts one deposit. `ec::pending_limit_reached` if the user has too many.
  caf::replies_to<submit>::with<enqueued>,
  // Records a deposit that a synchronous door has processed.
  caf::replies_to<record_submission>::with<enqueued>,
  // A number for a submission that is not queued.
  caf::replies_to<reserve_id>::with<id_reserved>,
  // The handle of a queue; of one that is in several shards, its doors.
  caf::replies_to<open_queue>::with<queue_port_actor>,
  caf::replies_to<open_ports>::with<ports_opened>,
  // Deposits from a log of records, each of them once.
  caf::replies_to<ingest>::with<ingested>,
  // How many items of a user wait in a queue.
  caf::replies_to<count_pending>::with<pending_counted>,
  // The control state now, and later every change of it.
  caf::replies_to<watch_control>::with<control_changed>,
  // Whether new work would be taken now.
  caf::replies_to<check_intake>::with<done>>;

/// For doors whose workers poll too; none of these makes a queue.
using shard_receiving_actor = shard_doors_actor::extend<
  caf::replies_to<receive_items>::with<items_received>,
  caf::replies_to<settle_items>::with<items_settled>,
  caf::replies_to<renew_items>::with<done>,
  caf::replies_to<release_queue>::with<done>,
  caf::replies_to<count_queue>::with<queue_counted>,
  caf::replies_to<purge_queue>::with<done>,
  // Moves a queue's items to another; the control state tells the progress.
  caf::replies_to<move_queue>::with<move_begun>>;

/// What operators want, and whoever starts and stops the engine.
using shard_operators_actor = caf::typed_actor<
  // Changes settings; answered when they are durable and in force.
  caf::replies_to<propose>::with<done>,
  // A bulk action; answered when durable.
  caf::replies_to<park_matching>::with<matching_parked>,
  // Everything that is known of one item that lives.
  caf::replies_to<explain_item>::with<item_explained>,
  // All queues.
  caf::replies_to<list_queues>::with<queues_listed>,
  // Users of a queue, or of all.
  caf::replies_to<list_users>::with<users_listed>,
  // Answered when recovery is over.
  caf::replies_to<await_ready>::with<done>,
  // Take nothing new, hand out nothing.
  caf::replies_to<drain>::with<done>>;

/// What only one's own shard is told; no router stands for it.
using shard_inside_actor = caf::typed_actor<
  // From shard 0, by way of the router: what operators have set.
  caf::replies_to<adopt_control>::with<done>,
  // How far it has come with logs of records, and its journal's publisher.
  caf::replies_to<read_watermarks>::with<watermarks_read>,
  // From the projector: these bodies keep an extent alive.
  caf::reacts_to<compact_items>,
  // From the journal: an append failed; start over from the store.
  caf::reacts_to<journal_failed>>;

/// Whoever is asked for what shards have: the only one, or the router to all.
using shards_actor = shard_receiving_actor::extend_with<shard_operators_actor>;

/// Owns the users hashed to it: routes, spawns and retires nodes, keeps the
/// control state, holds the epoch, recovers.
using shard_actor = shards_actor::extend_with<shard_inside_actor>;

/// Group commit: whatever arrives while a group is flushed is the next group.
using journal_actor = caf::typed_actor<
  // Write these events; what hangs on them leaves after the commit.
  caf::reacts_to<append>,
  // From the shard: refuse what earlier generations still send.
  caf::reacts_to<begin_generation>,
  // From the publisher: goes into the next group.
  caf::reacts_to<keep_watermark>>;

/// Touches the disk for the journal, one group at a time.
using journal_writer_actor
  = caf::typed_actor<caf::replies_to<write_group>::with<group_written>>;

/// Reads bodies that are not in memory and hands the items out.
using body_reader_actor = caf::typed_actor<caf::reacts_to<read_and_hand_out>>;

/// The read model of one shard, or of all by way of a router. Every answer
/// contains all that was durable when the question was asked.
using read_model_actor = caf::typed_actor<
  // Submissions, finished ones included.
  caf::replies_to<submission_query>::with<submissions_found>,
  caf::replies_to<peek_items>::with<items_found>,
  // A consistent copy of everything.
  caf::replies_to<back_up>::with<done>,
  // How far it is and what the store takes.
  caf::replies_to<report_store>::with<store_report>>;

/// Background reader of the journal: keeps the projection up to date, drops
/// what is no longer needed, and answers from the read model.
using projector_actor = read_model_actor::extend<
  // From the shard: the whole state, to start or start over with.
  caf::replies_to<recover>::with<recovered>, caf::reacts_to<meet_shard>,
  caf::replies_to<match_items>::with<items_matched>>;

/// Reads the ingress partitions of its shard and hands deposits to shards, with
/// credit; its cursor moves when all shards have committed.
using intake_actor = caf::typed_actor<
  caf::replies_to<report_intake>::with<intake_report>>;

/// Reads the journal of its shard and publishes outcomes and dead letters.
using publisher_actor = caf::typed_actor<
  caf::replies_to<report_publisher>::with<publisher_report>>;

/// Makes the topics that the settings name; blocks on the brokers.
using topics_actor = caf::typed_actor<
  caf::replies_to<create_topics>::with<topics_created>>;

/// Blobs and the registry of DOIs for processors on other nodes.
using effects_actor = caf::typed_actor<
  caf::replies_to<effect_call>::with<effect_result>>;

/// Runs the work of deposit queues on threads of its own, never on CAF's.
using handler_actor = caf::typed_actor<
  // Processes a claimed item of the queue and says how it ended.
  caf::replies_to<handle_item>::with<outcome>>;

/// Creates, reconfigures and stops the processors inside this engine.
using processor_manager_actor = caf::typed_actor<
  caf::reacts_to<control_changed>,
  // Every slot, what it holds and since when.
  caf::replies_to<report_slots>::with<slots_report>,
  // Stop asking for items; answered when every slot is empty.
  caf::replies_to<drain>::with<done>>;

/// What producers and workers on other nodes talk to.
using native_actor =
  caf::typed_actor<caf::replies_to<enqueue>::with<enqueued>,
                   caf::replies_to<open_queue>::with<queue_port_actor>>;

/// Stores an operator's file and submits it; on a thread of its own, because
/// blobs are files.
using submitter_actor = caf::typed_actor<
  caf::replies_to<submit_file>::with<enqueued>>;

/// A node of processors that wants to work for the engine.
struct join_node {
  std::string name; ///< the same at every reconnect
  processor_manager_actor manager;
};

struct node_joined {
  std::string engine;
  shard_doors_actor shard;
  effects_actor effects;
};

/// From another engine that shares the users. Of two engines one connects to
/// the other, which answers and asks over the same connection.
struct meet_engine {
  std::string name;
  std::string address;        ///< "host:port" of its node door
  caf::strong_actor_ptr from; ///< its own `admin_actor`
};

/// What an engine owns, for the routers of others.
struct engine_met {
  struct owned {
    shard_number shard = 0;
    epoch_number epoch = 0;
    shard_actor core;
    projector_actor reads;
  };
  std::string engine;
  std::vector<owned> shards;
};

/// Every operator command; published on the node's port.
using admin_actor = caf::typed_actor<
  caf::replies_to<admin_request>::with<admin_reply>,
  caf::replies_to<connect_native>::with<native_actor>,
  caf::replies_to<join_node>::with<node_joined>,
  caf::replies_to<meet_engine>::with<engine_met>>;

/// Start order, watch, drain, stop.
using supervisor_actor = caf::typed_actor<
  // From the signal thread or an operator.
  caf::replies_to<stop_engine>::with<done>>;

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, join_node& x) {
  return f(x.name, x.manager);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, node_joined& x) {
  return f(x.engine, x.shard, x.effects);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, meet_engine& x) {
  return f(x.name, x.address, x.from);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, engine_met::owned& x) {
  return f(x.shard, x.epoch, x.core, x.reads);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, engine_met& x) {
  return f(x.engine, x.shards);
}

} // namespace depositd

// Last: the type ids need the handles above, which cross processes too.
#include "messages/type_ids.hpp"
