#pragma once

#include "actors/journal/command.hpp"
#include "actors/queue/queue.hpp"
#include "actors/queue/unread.hpp"
#include "actors/rules/ledger/recent_ids.hpp"
#include "actors/rules/sources/record_register.hpp"
#include "actors/rules/topics/topics.hpp"
#include "actors/shard/recovered_state.hpp"
#include "actors/users/user.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/operators.hpp"
#include "messages/records.hpp"
#include "messages/shard.hpp"
#include "messages/sources.hpp"
#include "messages/topics.hpp"
#include "messages/values/sharding.hpp"
#include "messages/values/trouble.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace depositd::shard {

/// To itself: look for users' actors that can retire.
struct sweep_idle {};

/// To itself: try to recover again.
struct retry_recovery {};

/// To itself: ask again for the settings that others may know.
struct retry_bring_up {
  std::shared_ptr<recovered_state> found;
  std::uint32_t generation = 0;
};

/// To itself: go on with the move that waits.
struct resume_move {
  std::uint32_t generation = 0;
};

/// So many ids of deposits are remembered, some 80 MB of them.
inline constexpr std::size_t ingest_ids_max = 1'000'000;

/// To itself: go on with what has begun of topics.
struct resume_topics {
  std::uint32_t generation = 0;
};

/// To itself: of what is published, what is stored at once. Answered when that
/// is durable.
struct publish_part {
  std::shared_ptr<publish> what;
};

struct shard_options {
  journal::journal_access journal;
  projector_actor projector;
  shard_number number = 0;
  shard_number shards = 1;
  shard_router_actor router; ///< to all shards; null if there is one
  epoch_number epoch = 0;
  engine_clock clock = engine_clock::system();
  std::shared_ptr<memory_budget> budget;
  /// What the configuration says at this start.
  configuration_seen configuration;
  pipelines_seen pipelines; ///< likewise
  sources_seen sources;     ///< likewise
  fairness_seen fairness;   ///< likewise
  /// Doors are refused when this much waits for the journal.
  std::uint64_t backlog_bytes_max = 256ULL * 1024 * 1024;
  std::uint32_t slice_items = 1000; ///< of a bulk action, done at once
  /// That came with the first use of one key, unless it has its own number.
  std::uint32_t queues_per_key_max = no_cap;
  /// A queue of a key that nobody uses for this long goes; zero: none does.
  std::chrono::seconds queue_idle_max{0};
  rules::topic_limits topics;
  /// An ephemeral topic or channel that nobody uses for this long goes.
  std::chrono::seconds ephemeral_idle_max{3'600};
  /// A user's actor without items for this long is retired.
  std::chrono::milliseconds idle_max{60'000};
  std::chrono::milliseconds request_timeout{30'000};
  /// What a move is known by; null: 128 random bits.
  std::function<std::string()> new_reference;
};

using shard_self = shard_actor::extend<
  caf::reacts_to<sweep_idle>, caf::reacts_to<retry_recovery>,
  caf::reacts_to<retry_bring_up>, caf::reacts_to<queue::look_again>,
  caf::reacts_to<resume_move>, caf::reacts_to<resume_topics>,
  caf::replies_to<publish_part>::with<published>,
  caf::replies_to<journal::pass_journal>::with<done>>;

struct shard_queue {
  std::string name;
  queue_actor actor;
  member_number members_next = 0;
  std::vector<member_number> members_free;
  micros used_us = never; ///< by doors
  bool asked = false;     ///< whether anything is in it; then it goes
};

struct shard_user {
  user_actor actor;
  /// The user's number in each queue that it has to do with.
  std::map<queue_number, member_number> members;
  micros used_us = never;
  bool works = false; ///< on batches and jobs: it serves all stages
  /// While its actor is asked to leave, what is meant for it waits here.
  bool retiring = false;
  std::vector<std::function<void()>> waiting;
};

/// Who is still to be told of changed settings of queues.
struct settings_round {
  struct of_queue {
    queue_number queue = 0;
    bool limits = false; ///< the queue is told those of each user, too
  };
  std::deque<of_queue> queues;    ///< the first one's users are being told
  std::vector<std::string> users; ///< of the first, as the round began
  std::size_t at = 0;             ///< the next of them
  bool begun = false;             ///< with the first
};

/// A move between queues that runs.
struct shard_move {
  /// What is done next after something failed that may succeed later.
  enum class step : std::uint8_t { begin, fill, ship, finish };

  move_changed what; ///< without a reference: ships what an outbox still has
  queue_number from = 0;
  queue_number to = 0; ///< the outbox, where the target is in another shard
  std::uint32_t generation = 0;
  std::size_t users_open = 0; ///< whose items are not all moved
  step next = step::fill;
  // -- to another shard: one batch after the other
  std::vector<std::string> users;
  std::size_t user = 0;   ///< whose items go into the batch
  std::uint32_t room = 0; ///< for more items in the batch
  trouble stopping; ///< it from going on
};

/// What is known of a topic beside what is set; since the engine started.
struct shard_topic {
  struct channel {
    std::uint64_t messages = 0;
    bool left = false;        ///< a consumer has gone since its queue was asked
    micros used_us = never;   ///< by a consumer, or made for one
    std::uint64_t comers = 0; ///< who said that they come, or have come
    bool asked = false;       ///< whether anybody is there; then it goes
  };
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  micros used_us = never;
  std::map<std::string, channel> channels;
  std::vector<queue_number> to; ///< where messages go; empty: to be looked up
  std::uint64_t changes = 0;    ///< of what is set
  bool spreading = false;       ///< what has waited goes to channels
  bool ending = false;          ///< something of it is being deleted
  /// For the end of that; given an error where it does not come.
  std::vector<std::function<void(const caf::error&)>> waiting;
};

/// What did not go on of topics, and is tried again of all of them.
struct stuck_topics {
  std::set<std::string> names; ///< it has not gone on of these yet
  trouble why;                 ///< what keeps one mostly keeps all
  bool due = false;            ///< a `resume_topics` is on its way
};

/// What is stored part by part.
struct large_publish {
  publish what;
  std::size_t at = 0; ///< up to here it is stored, or on its way
  reply_address where;
};

struct shard_state {
  using interface = shard_self;

  shard_options options;
  enum class phase : std::uint8_t { recovering, serving, draining };
  phase now = phase::recovering;

  /// Its generation rises with every recovery; appends of earlier ones are
  /// refused.
  journal::journal_access journal;
  std::shared_ptr<control_state> control;
  /// Of the control state: its own in shard 0, else the one last adopted,
  /// perhaps before a new start. Never falls.
  std::uint64_t revision = 0;
  item_id id_last = 0;
  /// How far each ingress partition was applied. Ahead of the journal by what
  /// is on its way there.
  std::map<std::string, std::int64_t> watermarks;
  /// Of deposits from logs of records.
  rules::recent_ids ingested{ingest_ids_kept_us, ingest_ids_max};
  std::vector<shard_queue> queues; ///< by number
  std::unordered_map<std::string, queue_number> queue_numbers;
  std::unordered_map<std::string, shard_user> users;

  settings_round settings_told;

  ring_places rings; ///< of users without an actor
  rules::record_register records; ///< of sources that are fed here
  schedulers_actor schedulers;    ///< of this shard; null until they are met
  std::unordered_map<std::string, shard_topic> topics;
  /// By user: what is large, and what came behind it. One part of each user is
  /// on its way.
  std::unordered_map<std::string, std::deque<std::shared_ptr<large_publish>>>
    publishing;
  std::shared_ptr<shard_move> moving; ///< null: none runs
  /// Ended, though the control state does not say so yet.
  std::set<std::string> moves_ended;
  /// Of which it is known that no outbox has anything from before.
  std::uint32_t outboxes_looked = 0;
  std::vector<caf::strong_actor_ptr> watchers; ///< of the control state
  std::vector<reply_address> awaiting_ready;
  trouble recovering; ///< until it serves
  stuck_topics stuck;

  static inline const char* name = "shard";
};

using shard_pointer = actor_with<shard_state>*;

/// Routes between doors, queues and users' actors; owns the control state.
shard_self::behavior_type shard(shard_pointer self, shard_options options);

} // namespace depositd::shard

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::shard::sweep_idle)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::shard::retry_recovery)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::shard::retry_bring_up)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::shard::resume_move)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::shard::resume_topics)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::shard::publish_part)
