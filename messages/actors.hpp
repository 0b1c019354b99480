#pragma once

// The map: every actor of depositd and what may be said to it. One alias per
// role; a comment above each message says what it means. What a message holds
// stands in the file of its subject: queue.hpp, users.hpp, shard.hpp, ...
// `struct` declares it here; who spawns an actor includes those files.

#include "messages/message.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace depositd {

/// One SP slot: asks for items under its criteria, runs the handler, reports.
/// Also what a remote worker must be.
using processor_actor = caf::typed_actor<
  // Items handed out and outcomes taken, durable both.
  caf::reacts_to<struct deliver>>;
DEPOSITD_NUMBER(15, processor_actor);

/// The side of a queue that processors see, here or on another node.
using queue_port_actor = caf::typed_actor<
  // Registers a processor; it is watched from then on.
  caf::replies_to<struct attach>::with<struct attached>,
  // Ends claims and asks for items; answered by `deliver` to the processor.
  caf::reacts_to<struct settle_and_request>,
  // Takes back credit.
  caf::reacts_to<struct cancel_credit>,
  // Extends claims.
  caf::reacts_to<struct renew_claims>,
  // Releases what the processor holds and forgets it.
  caf::replies_to<struct detach>::with<done>>;
DEPOSITD_NUMBER(16, queue_port_actor);

/// The ring of one queue: picks whose turn it is, reserves, delegates.
using queue_actor = queue_port_actor::extend<
  // From the shard: a user has something to do with this queue.
  caf::reacts_to<struct introduce>,
  // From the shard: a user's actor retired. Answers where it stood in the ring.
  caf::replies_to<struct forget_member>::with<struct member_forgotten>,
  // From the shard: settings of the queue or the server changed.
  caf::reacts_to<struct configure_queue>,
  // From the shard: a user's limits or eligibility changed.
  caf::reacts_to<struct change_limits>,
  // From the shard: recovery is over, order the ring and begin.
  caf::reacts_to<struct begin>,
  // From a user: its ready items or claims changed.
  caf::reacts_to<struct counts_changed>,
  // From the journal: claims on items that were purged, for those who have
  // them.
  caf::reacts_to<struct claims_purged>,
  // From a user: it had nothing for these picks.
  caf::reacts_to<struct picks_declined>,
  // Numbers of the queue.
  caf::replies_to<struct report_queue>::with<struct queue_report>,
  // The same, with what is counted.
  caf::replies_to<struct measure_ring>::with<struct ring_measured>,
  // From the shard, for who feeds it: how much is left.
  caf::replies_to<struct measure_left>::with<struct left_measured>,
  // Numbers of its users.
  caf::replies_to<struct report_members>::with<struct members_report>,
  // Who is next.
  caf::replies_to<struct report_ring>::with<struct ring_report>,
  // Why a user is served or not.
  caf::replies_to<struct explain_member>::with<struct member_explained>,
  // Its processors.
  caf::replies_to<struct report_processors>::with<struct processors_report>,
  // From receiving doors, through the shard.
  caf::replies_to<struct receive_items>::with<struct items_received>,
  caf::replies_to<struct settle_items>::with<struct items_settled>,
  caf::replies_to<struct renew_items>::with<done>,
  caf::replies_to<struct release_queue>::with<done>,
  caf::replies_to<struct count_queue>::with<struct queue_counted>>;

/// One user in a shard, over all queues: owns its items and claims.
using user_actor = caf::typed_actor<
  // From the shard: this queue exists for the user from now on.
  caf::reacts_to<struct serve_queue>, caf::reacts_to<struct change_settings>,
  // From the shard: the queue, in which the user has nothing, is no more.
  caf::reacts_to<struct leave_queue>,
  // From the shard: items to accept.
  caf::reacts_to<struct accept_items>,
  // From the shard: messages for several queues at once.
  caf::reacts_to<struct accept_messages>,
  // From the shard: what waits in a queue goes on to others.
  caf::replies_to<struct spread_items>::with<struct items_spread>,
  // From a queue: picks reserved for a processor.
  caf::reacts_to<struct hand_over>,
  // From a queue: outcomes of claims.
  caf::reacts_to<struct settle>,
  // From a queue: extend claims.
  caf::reacts_to<struct renew>,
  // From a queue: a processor is back and says what it holds.
  caf::replies_to<struct adopt_claims>::with<struct claims_adopted>,
  // From a queue: a processor is gone, release what it holds.
  caf::reacts_to<struct release_claims>,
  // From a queue: a receiving door ends or extends by item.
  caf::reacts_to<struct settle_named>, caf::reacts_to<struct renew_named>,
  // From a queue: the size classes changed, count again.
  caf::reacts_to<struct reclassify>,
  // From a queue that collapses: what is ready, and what is superfluous.
  caf::reacts_to<struct admit_items>, caf::reacts_to<struct collapse_items>,
  // From the journal: where bodies are.
  caf::reacts_to<struct body_locations>,
  // From the shard: park, unpark, cancel, purge.
  caf::replies_to<struct park_items>::with<done>,
  caf::replies_to<struct cancel_items>::with<struct items_cancelled>,
  caf::replies_to<struct cancel_deposit>::with<done>,
  caf::reacts_to<struct purge_items>,
  // From the shard: write bodies of these items again (their segment is to go).
  caf::reacts_to<struct compact_bodies>,
  // From the shard: move items to another queue of the user.
  caf::replies_to<struct move_items>::with<struct items_moved>,
  // From the shard: the pipelines and collections that are in force.
  caf::reacts_to<struct use_work_terms>,
  // From the shard, for an operator: of a job or a batch of the user.
  caf::replies_to<struct order_job>::with<struct job_ordered>,
  caf::replies_to<struct order_batch>::with<struct batch_ordered>,
  // From the shard: pending jobs of a collection that is held become held.
  caf::reacts_to<struct hold_collection>,
  // From the shard: these need wait no longer.
  caf::reacts_to<struct wake_items>,
  // One item, if the user has it.
  caf::replies_to<struct find_item>::with<struct item_found>,
  // Sizes of the user's queues.
  caf::replies_to<struct report_user>::with<struct user_report>,
  // From the shard, which routes nothing here any more: leave if idle.
  caf::replies_to<struct retire>::with<struct retired>>;

/// A job while something happens to it: decides its next move.
using job_actor = caf::typed_actor<
  // A worker is through with the job's stage.
  caf::replies_to<struct stage_ended>::with<struct job_step>,
  // An operator wants something of it.
  caf::replies_to<struct job_wanted>::with<struct job_step>>;

/// A batch while something happens to it: splits, counts, reports.
using batch_actor = caf::typed_actor<
  // A worker is through with splitting or reporting, or all jobs are terminal.
  caf::replies_to<struct batch_stage_ended>::with<struct batch_step>,
  // An operator wants something of it.
  caf::replies_to<struct batch_wanted>::with<struct batch_step>>;

// -- a shard, by who asks it --------------------------------------------------

/// What processors say to a shard, or to what stands for it.
using shard_processors_actor = caf::typed_actor<
  // The ports of a queue.
  caf::replies_to<struct open_ports>::with<struct ports_opened>,
  // The control state now, and later every change of it.
  caf::replies_to<struct watch_control>::with<struct control_changed>>;
DEPOSITD_NUMBER(85, shard_processors_actor);

/// What doors and producers say to a shard, or to a router that stands for all
/// of them.
using shard_doors_actor = shard_processors_actor::extend<
  // Accepts items of any users for one queue.
  caf::replies_to<struct enqueue>::with<struct enqueued>,
  // Accepts one deposit. `ec::pending_limit_reached` if the user has too many.
  caf::replies_to<struct submit>::with<struct enqueued>,
  // Accepts one batch for a pipeline.
  caf::replies_to<struct submit_batch>::with<struct batch_accepted>,
  // The handle of a queue that is in one shard.
  caf::replies_to<struct open_queue>::with<queue_port_actor>,
  // Deposits from a log of records, each of them once.
  caf::replies_to<struct ingest>::with<struct ingested>,
  // How many items of a user wait in a queue.
  caf::replies_to<struct count_pending>::with<struct pending_counted>,
  // Whether new work would be taken now.
  caf::replies_to<struct check_intake>::with<done>>;

/// For receiving doors too; none of these makes a queue.
using shard_receiving_actor = shard_doors_actor::extend<
  caf::replies_to<struct receive_items>::with<struct items_received>,
  caf::replies_to<struct settle_items>::with<struct items_settled>,
  caf::replies_to<struct renew_items>::with<done>,
  caf::replies_to<struct release_queue>::with<done>,
  caf::replies_to<struct count_queue>::with<struct queue_counted>,
  caf::replies_to<struct purge_queue>::with<done>,
  // Moves a queue's items to another; the control state tells the progress.
  caf::replies_to<struct move_queue>::with<struct move_begun>,
  // A key is in use; answered at once, kept when it suits.
  caf::replies_to<struct note_key_use>::with<done>>;

/// What NSQ's doors say to a shard, or to a router that stands for all.
using shard_topics_actor = shard_processors_actor::extend<
  // Messages for every channel of a topic.
  caf::replies_to<struct publish>::with<struct published>,
  // Makes, removes, empties, pauses a topic or a channel.
  caf::replies_to<struct order_topic>::with<done>,
  // Consumers of a channel came or went.
  caf::replies_to<struct note_consumers>::with<done>,
  // What there is.
  caf::replies_to<struct list_topics>::with<struct topics_listed>,
  // The handle of a channel's queue.
  caf::replies_to<struct open_queue>::with<queue_port_actor>>;

/// What operators want, and whoever starts and stops the engine.
using shard_operators_actor = caf::typed_actor<
  // Changes settings; answered when they are durable and in force.
  caf::replies_to<struct propose>::with<done>,
  // A bulk action; answered when durable.
  caf::replies_to<struct park_matching>::with<struct matching_parked>,
  // Ends deposits that wait; answered when durable.
  caf::replies_to<struct cancel_deposit>::with<done>,
  caf::replies_to<struct cancel_matching>::with<struct matching_cancelled>,
  // Moves a job or a batch as an operator wants; answered when durable.
  caf::replies_to<struct order_job>::with<struct job_ordered>,
  caf::replies_to<struct order_batch>::with<struct batch_ordered>,
  // The same of all jobs that match.
  caf::replies_to<struct order_jobs>::with<struct jobs_ordered>,
  // Removes batches that are at their end, with their jobs.
  caf::replies_to<struct forget_batches>::with<struct batches_forgotten>,
  // Everything that is known of one item that lives.
  caf::replies_to<struct explain_item>::with<struct item_explained>,
  // All queues.
  caf::replies_to<struct list_queues>::with<struct queues_listed>,
  // Users of a queue, or of all.
  caf::replies_to<struct list_users>::with<struct users_listed>,
  // Whose turns come next.
  caf::replies_to<struct show_rings>::with<struct rings_shown>,
  // Answered when recovery is over.
  caf::replies_to<struct await_ready>::with<done>,
  // Take nothing new, hand out nothing.
  caf::replies_to<struct drain>::with<done>>;

/// What only one's own shard is told; no router stands for it.
using shard_inside_actor = caf::typed_actor<
  // Who has its schedulers.
  caf::reacts_to<struct meet_schedulers>,
  // From a scheduler: up to where a source is applied.
  caf::replies_to<struct keep_position>::with<done>,
  // From a user's actor: its records were claimed, or ended.
  caf::reacts_to<struct records_moved>,
  // From a user's actor: numbers for its jobs.
  caf::replies_to<struct number_jobs>::with<struct id_reserved>,
  // From shard 0, by way of the router: what operators have set.
  caf::replies_to<struct adopt_control>::with<done>,
  // How far it has come with logs of records, and its journal's publisher.
  caf::replies_to<struct read_watermarks>::with<struct watermarks_read>,
  // What is counted of its queues and its journal.
  caf::replies_to<struct measure_shard>::with<struct shard_measured>,
  // From the projector: these bodies keep a segment alive.
  caf::reacts_to<struct compact_items>,
  // From the journal: an append failed; start over from the store.
  caf::reacts_to<struct journal_failed>>;

/// Whoever is asked for what shards have: the only one, or the router to all.
/// Stands for a `shard_topics_actor` too.
using shards_actor =
  shard_receiving_actor::extend_with<shard_operators_actor>::extend<
    caf::replies_to<struct publish>::with<struct published>,
    caf::replies_to<struct order_topic>::with<done>,
    caf::replies_to<struct note_consumers>::with<done>,
    caf::replies_to<struct list_topics>::with<struct topics_listed>,
    // From a stage's handler: what items have waited for may have come.
    caf::replies_to<struct wake_items>::with<done>,
    // From another shard: items that move to a queue here, each of them once.
    caf::replies_to<struct carry_items>::with<struct items_carried>,
    // From schedulers, to the shard of their queue.
    caf::replies_to<struct feed_records>::with<struct records_fed>,
    caf::replies_to<struct measure_queue>::with<struct queue_measured>,
    caf::replies_to<struct count_records>::with<struct records_counted>,
    caf::replies_to<struct look_up_record>::with<struct record_found>,
    // From operators, to the shard of a scheduler.
    caf::replies_to<struct report_schedulers>::with<struct schedulers_reported>,
    caf::replies_to<struct find_record>::with<struct record_found>,
    caf::replies_to<struct explain_strategy>::with<struct strategy_explained>,
    caf::replies_to<struct test_source>::with<struct source_tested>,
    caf::replies_to<struct feed_by_hand>::with<struct fed_by_hand>>;

/// Owns the users hashed to it: routes, spawns and retires users' actors, keeps
/// the control state, holds the epoch, recovers.
using shard_actor = shards_actor::extend_with<shard_inside_actor>;
DEPOSITD_NUMBER(71, shard_actor);

/// Group commit: whatever arrives while a group is flushed is the next group.
using journal_actor = caf::typed_actor<
  // Write these events; what hangs on them leaves after the commit.
  caf::reacts_to<struct append>,
  // From the shard: refuse what earlier generations still send.
  caf::reacts_to<struct begin_generation>,
  // From the publisher: goes into the next group.
  caf::reacts_to<struct keep_watermark>>;

/// Touches the disk for the journal, one group at a time.
using journal_writer_actor = caf::typed_actor<
  caf::replies_to<struct write_group>::with<struct group_written>>;

/// Reads bodies that are not in memory and hands the items out.
using body_reader_actor =
  caf::typed_actor<caf::reacts_to<struct read_and_hand_out>>;

/// The read model of one shard, or of all by way of a router. Every answer
/// contains all that was durable when the question was asked.
using read_model_actor = caf::typed_actor<
  // Submissions, finished ones included.
  caf::replies_to<struct submission_query>::with<struct submissions_found>,
  // Batches and jobs, those at their end included.
  caf::replies_to<struct batch_query>::with<struct batches_found>,
  caf::replies_to<struct job_query>::with<struct jobs_found>,
  caf::replies_to<struct peek_items>::with<struct items_found>,
  // Records of a source that failed or were bad.
  caf::replies_to<struct failed_query>::with<struct failed_found>,
  // Finished submissions of a user who is to be forgotten.
  caf::replies_to<struct forget_submissions>::with<
    struct submissions_forgotten>,
  // A consistent copy of everything.
  caf::replies_to<struct back_up>::with<done>,
  // How far it is and what the store takes.
  caf::replies_to<struct report_store>::with<struct store_report>>;

/// Background reader of the journal: keeps the projection up to date, drops
/// what is no longer needed, and answers from the read model.
using projector_actor = read_model_actor::extend<
  // From the shard: the whole state, to start or start over with.
  caf::replies_to<struct recover>::with<struct recovered>,
  caf::reacts_to<struct meet_shard>,
  // From the publisher: how far it is.
  caf::reacts_to<struct note_published>,
  // From the shard: what is to be forgotten must have been published.
  caf::replies_to<struct await_published>::with<done>,
  caf::replies_to<struct match_items>::with<struct items_matched>>;
DEPOSITD_NUMBER(72, projector_actor);

/// Reads the ingress partitions of its shard and hands deposits to shards, with
/// credit; its cursor moves when all shards have committed.
using intake_actor = caf::typed_actor<
  caf::replies_to<struct report_intake>::with<struct intake_report>>;

/// Reads the journal of its shard and publishes outcomes and dead letters.
using publisher_actor = caf::typed_actor<
  caf::replies_to<struct report_publisher>::with<struct publisher_report>>;

/// Makes the topics that the settings name; blocks on the brokers.
using topics_actor = caf::typed_actor<
  caf::replies_to<struct create_topics>::with<struct topics_created>>;

/// Blobs, the registry of DOIs, the catalogue of objects and new identifiers,
/// for processors on other nodes.
using store_server_actor = caf::typed_actor<
  caf::replies_to<struct put_blob>::with<struct blob_put>,
  // A piece of it; more are asked for by their place.
  caf::replies_to<struct read_blob>::with<struct blob_piece>,
  caf::replies_to<struct record_dois>::with<struct dois_recorded>,
  caf::replies_to<struct find_dois>::with<struct dois_found>,
  caf::replies_to<struct find_submission>::with<struct submission_found>,
  caf::replies_to<struct find_objects>::with<struct objects_found>,
  caf::replies_to<struct find_object_files>::with<struct object_files_found>,
  caf::replies_to<struct find_local_id>::with<struct local_id_found>,
  caf::replies_to<struct bind_object>::with<done>,
  caf::replies_to<struct record_object>::with<done>,
  caf::replies_to<struct lock_object>::with<struct object_locked>,
  caf::replies_to<struct unlock_objects>::with<done>,
  caf::replies_to<struct measure_collections>::with<
    struct collections_measured>,
  caf::replies_to<struct measure_recorded>::with<struct recorded_measured>,
  caf::replies_to<struct record_premis>::with<done>,
  caf::replies_to<struct find_premis>::with<struct premis_found>,
  caf::replies_to<struct mint_identifier>::with<struct identifier_minted>>;
DEPOSITD_NUMBER(74, store_server_actor);

/// Does the work of deposit queues on a thread of its own, never on CAF's.
using handler_actor = caf::typed_actor<
  // Processes a claimed item of the queue and says how it ended.
  caf::replies_to<struct handle_item>::with<struct outcome>>;

/// Creates, reconfigures and stops the processors inside this engine.
using processor_manager_actor = caf::typed_actor<
  caf::reacts_to<struct control_changed>,
  // Every slot, what it holds and since when.
  caf::replies_to<struct report_slots>::with<struct slots_report>,
  // Stop asking for items; answered when every slot is empty.
  caf::replies_to<struct drain>::with<done>>;
DEPOSITD_NUMBER(73, processor_manager_actor);

/// What producers and workers on other nodes talk to.
using native_actor =
  caf::typed_actor<caf::replies_to<struct enqueue>::with<struct enqueued>,
                   caf::replies_to<struct open_queue>::with<queue_port_actor>>;
DEPOSITD_NUMBER(17, native_actor);

/// Start order, watch, drain, stop.
using supervisor_actor = caf::typed_actor<
  // From the signal thread or an operator.
  caf::replies_to<struct stop_engine>::with<done>>;

} // namespace depositd

// Of sources, whose work is pulled.
#include "messages/source_actors.hpp"
// Of operators.
#include "messages/operator_actors.hpp"
// Of engines that share the shards.
#include "messages/cluster_actors.hpp"
