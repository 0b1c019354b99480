#pragma once

// What chance decides at the beginning of a life.

#include "tests/support/chance.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd::simulation {

using testing::chance;

/// A life of which parts are left out, to see what of it matters. Without any
/// it is the whole.
struct lessened {
  std::vector<std::string> without; ///< names of knobs, or "several"
  std::uint32_t steps_max = ~0U;
  std::uint32_t users_max = ~0U;
  std::uint32_t processors_max = ~0U;
  std::vector<std::uint32_t> skipped; ///< steps that are not done
  /// Another course of the same life: whatever is left out changes everything
  /// after it anyway.
  std::uint32_t variant = 0;

  /// As options of the simulation.
  std::string to_text() const;
};

/// What may go wrong, and how the world is. Each of the switches is on in half
/// of the lives, so that most pairs of them meet and most are also missing.
struct knobs {
  /// `by` decides; whether there are several shards and what happens to their
  /// engines follows from the seed apart from it, and so does whether there are
  /// batches, sources, deposits at once, moves or a node: lives without one are
  /// what they would be without the others.
  knobs() = default;
  knobs(chance& by, std::uint64_t seed);

  /// Turns off what the life is to be without.
  void lessen(const lessened& by);

  /// Of those that can be turned off, the ones that are on.
  std::vector<std::string> names() const;

  std::string to_text() const;

  // -- order and time
  bool shuffle = false;     ///< messages of different senders overtake
  bool stalls = false;      ///< an actor is held up for a while
  bool clock_jumps = false; ///< the wall clock, at restarts
  // -- stores
  bool lost_appends = false;
  bool unknown_appends = false; ///< in the log, but the caller hears failure
  bool tiny_groups = false;     ///< one append each
  bool no_budget = false;       ///< bodies stay in the journal
  bool tight_disk = false;      ///< bodies are written again, segments go
  bool bad_reads = false;       ///< bodies cannot be read now and then
  // -- engines
  bool engine_crashes = false;
  bool lost_shards = false; ///< another engine takes over a living one's
  bool restarts = false;    ///< with another configuration than before
  // -- processors
  bool processor_crashes = false;
  bool processor_pauses = false;
  bool repeated_outcomes = false; ///< said twice, or long after
  bool leases = false;            ///< claims that expire
  bool odd_criteria = false;      ///< required, excluded, preferred, sizes
  bool polls = false;             ///< workers that poll instead
  bool renewals = false; ///< claims are extended, given back, taken away
  // -- operators
  bool limit_changes = false;
  bool holds = false;
  bool prohibitions = false;
  bool suspensions = false;
  bool parking = false;
  bool costs = false;   ///< queues share out bytes or time, by and by
  bool queue_changes = false; ///< caps, turns, limits, suspension of queues
  bool cancels = false; ///< of deposits that wait
  bool questions = false; ///< of everything that can be asked
  bool inquiries = false; ///< of sources, batches and the store
  bool accounts = false;  ///< of users, keys, operators: what is set of them
  bool ages = false;      ///< what is over is forgotten soon
  bool deletions = false; ///< of objects that are stored, with consent
  bool checks = false;    ///< and reconcilers have them checked and given back
  // -- clients
  bool skew = false;     ///< one user sends nine tenths
  bool deposits = false; ///< besides messages
  bool equals = false;   ///< payloads that collapse where they are equal
  bool fleeting = false; ///< a queue goes when nobody uses it, and comes again
  bool limits = false;   ///< of pending items
  bool synchronous = false; ///< deposits that come claimed by their door
  bool look_ups = false; ///< depositors ask what became of theirs
  bool notifying = false; ///< and are told when it is over
  bool files = false;    ///< they bring files, which are read and sent again
  bool blobs = false;    ///< or large ones, whose store fails and loses some
  // -- topics
  bool records = false;          ///< deposits come by a topic
  bool poison = false;           ///< and not all of them are any
  bool repeated_records = false; ///< the broker gives some again
  bool broker_outages = false;
  bool late_topics = false;  ///< only some start later engines know of them
  bool grown_topics = false; ///< the ingress topic gets more partitions
  bool letters = false;      ///< that are dead are sent back
  // -- backups
  bool backups = false; ///< are made, and engines go on from them
  // -- several engines
  bool departures = false;    ///< planned: one drains and leaves
  bool lost_meetings = false; ///< engines find or meet each other late or not
  bool lease_outages = false; ///< an engine cannot reach the leases
  bool lease_doubts = false;  ///< answers of the leases are lost
  bool crowd = false; ///< ten engines, and up to a hundred shards
  bool links = false; ///< what engines say to each other may not arrive
  // -- batches and jobs
  bool work = false;          ///< there are any
  bool work_failures = false; ///< stages fail, for good or for now
  bool work_leases = false;   ///< workers of stages have leases
  bool work_orders = false;   ///< operators hold, requeue, fail and delete
  bool collection_holds = false;
  bool pipeline_changes = false; ///< stages and collections, under the jobs
  bool wakes = false;            ///< what waits in a stage is woken
  bool reviews = false; ///< administrators are told of what needs them
  // -- sources
  bool sources = false;        ///< there are any
  bool source_faults = false;  ///< reading them fails, or what is told them
  bool source_repeats = false; ///< they bring again what they brought
  bool source_changes = false; ///< operators pause, resume, change strategies
  bool bad_records = false;
  bool by_hand = false; ///< operators feed records, and try sources
  // -- a node of processors
  bool node = false;        ///< there is one
  bool node_cuts = false;   ///< its connection is lost, and comes again
  bool node_deaf = false;   ///< before that it does not hear the engine
  bool node_deaths = false; ///< it starts anew under its name
  // -- topics with channels
  bool channels = false;  ///< there are any
  bool ephemeral = false; ///< and some that go with their last consumer
  // -- moves
  bool moves = false; ///< operators move what queues hold to others

  std::uint32_t users = 1; ///< 1 to 200
  std::uint32_t steps = 0;
  std::uint32_t processors = 1; ///< 1 to 8
  std::uint32_t shards = 1;
  std::uint32_t engines = 1;    ///< to begin with
  std::uint32_t slots = 0;      ///< inside each of several engines
  std::uint32_t stages = 3;     ///< of the pipeline, if there is work
  std::uint32_t pulls = 0;      ///< sources, if there are any
  std::uint32_t node_slots = 0; ///< of the node, if there is one
  std::uint32_t kept_s = 0; ///< what is over, if it gets old; 0: for good

private:
  void share(chance& apart, std::uint64_t seed);
};

} // namespace depositd::simulation
