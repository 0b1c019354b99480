#pragma once

// What operators set, as events. Each is the whole new value of its key, so a
// change asked for and a change made are the same thing.

#include "messages/values/fairness_events.hpp"
#include "messages/values/operator_events.hpp"
#include "messages/values/pipelines.hpp"
#include "messages/values/sources.hpp"
#include "messages/values/types.hpp"
#include "messages/values/work.hpp"

#include <string>
#include <vector>

namespace depositd {

struct queue_changed {
  std::string queue;
  queue_settings settings;

  friend bool operator==(const queue_changed&, const queue_changed&) = default;
};
DEPOSITD_FIELDS(queue_changed, queue, settings);

/// A user's own allocation and concurrency in a queue.
struct user_limits_changed {
  std::string queue;
  std::string user;
  bool has_allocation = false; ///< false: the queue's default again
  std::uint32_t allocation = 0;
  bool has_concurrency = false; ///< false: the queue's default again
  std::uint32_t concurrency = 0;

  friend bool operator==(const user_limits_changed&,
                         const user_limits_changed&) = default;
};
DEPOSITD_FIELDS(user_limits_changed, queue, user, has_allocation, allocation,
                has_concurrency, concurrency);

struct user_eligibility_changed {
  std::string user;
  bool held = false;
  bool prohibited = false;

  friend bool operator==(const user_eligibility_changed&,
                         const user_eligibility_changed&) = default;
};
DEPOSITD_FIELDS(user_eligibility_changed, user, held, prohibited);

/// A depositor's credentials. An empty hash means the account is removed.
struct account_changed {
  std::string user;
  std::string password_hash;         ///< Argon2id in its own text form
  std::vector<std::string> prefixes; ///< DOI prefixes; empty: any

  friend bool operator==(const account_changed&,
                         const account_changed&) = default;
};
DEPOSITD_FIELDS(account_changed, user, password_hash, prefixes);

struct processor_changed {
  processor_spec spec;
  bool removed = false;

  friend bool operator==(const processor_changed&,
                         const processor_changed&) = default;
};
DEPOSITD_FIELDS(processor_changed, spec, removed);

/// What a receiving door's client may do with the queues that match.
enum class queue_right : std::uint8_t { post, poll, get_status, any };

/// `queue|post|NAME`: NAME is a queue or ends in `*`. Names that begin with two
/// underscores are reached only where these are written out (`queue|*|__*`).
struct key_permit {
  queue_right right = queue_right::any;
  std::string queue;

  friend bool operator==(const key_permit&, const key_permit&) = default;
};
DEPOSITD_FIELDS(key_permit, right, queue);

/// An API key. It is a user of the queues it sends to, under its name. A key
/// without a digest is removed.
struct key_changed {
  std::string name;   ///< a user name
  std::string digest; ///< SHA-256 of the key, hexadecimal
  std::vector<key_permit> permits;

  friend bool operator==(const key_changed&, const key_changed&) = default;
};
DEPOSITD_FIELDS(key_changed, name, digest, permits);

enum class move_status : std::uint8_t { in_progress, complete, error };

/// A move between queues, by its reference. Kept for some time after its end.
struct move_changed {
  std::string reference;
  std::string from;
  std::string to;
  move_status status = move_status::in_progress;
  micros begun_us = 0;
  bool forgotten = false;
  item_id id_last = 0; ///< what came after this item stays

  friend bool operator==(const move_changed&, const move_changed&) = default;
};
DEPOSITD_FIELDS(move_changed, reference, from, to, status, begun_us, forgotten,
                id_last);

struct server_changed {
  bool suspended = false; ///< nothing is handed out
  bool drop_folder_polling = true;

  friend bool operator==(const server_changed&,
                         const server_changed&) = default;
};
DEPOSITD_FIELDS(server_changed, suspended, drop_folder_polling);

/// The configuration of the last start: a change of it is told from a change by
/// an operator, who wins over a configuration that stayed the same.
struct configuration_seen {
  struct queue {
    std::string name;
    queue_settings settings;

    friend bool operator==(const queue&, const queue&) = default;
  };
  std::vector<queue> queues;
  std::uint32_t processors_count = 0;
  std::vector<std::string> prohibited_users;

  friend bool operator==(const configuration_seen&,
                         const configuration_seen&) = default;
};
DEPOSITD_FIELDS(configuration_seen::queue, name, settings);
DEPOSITD_FIELDS(configuration_seen, queues, processors_count, prohibited_users);

/// A queue came with its first use, of this user or the owner of a key.
struct queue_founded {
  std::string queue;
  std::string founder;

  friend bool operator==(const queue_founded&, const queue_founded&) = default;
};
DEPOSITD_FIELDS(queue_founded, queue, founder);

/// A queue without items, which came with its first use, is no more. Nobody
/// stands in its ring any longer.
struct queue_retired {
  std::string queue;
  std::vector<std::string> users; ///< that stood in its ring

  friend bool operator==(const queue_retired&, const queue_retired&) = default;
};
DEPOSITD_FIELDS(queue_retired, queue, users);

/// How much a user may send to a queue. Without a user: each who has no own.
struct quota_changed {
  std::string queue;
  std::string user;
  bool has_bytes_max = false;  ///< false: the queue's default again
  std::uint64_t bytes_max = 0; ///< that wait; `no_size_limit`: any
  bool has_requests_per_second = false;
  std::uint32_t requests_per_second = 0; ///< `no_cap`: any

  friend bool operator==(const quota_changed&, const quota_changed&) = default;
};
DEPOSITD_FIELDS(quota_changed, queue, user, has_bytes_max, bytes_max,
                has_requests_per_second, requests_per_second);

/// What a key has beside its permits. One without terms is its user's only
/// key, under the user's name, for ever.
struct key_terms_changed {
  std::string key;  ///< its name
  std::string user; ///< of what it sends; empty: the terms end
  micros expires_us = never;
  std::uint32_t queues_max = 0; ///< that its user may found; 0: as configured

  friend bool operator==(const key_terms_changed&,
                         const key_terms_changed&) = default;
};
DEPOSITD_FIELDS(key_terms_changed, key, user, expires_us, queues_max);

/// When a key was used last, about. Never: it is no more.
struct key_used {
  std::string key;
  micros used_us = never;

  friend bool operator==(const key_used&, const key_used&) = default;
};
DEPOSITD_FIELDS(key_used, key, used_us);

struct collection_changed {
  collection_settings settings;
  bool removed = false;

  friend bool operator==(const collection_changed&,
                         const collection_changed&) = default;
};
DEPOSITD_FIELDS(collection_changed, settings, removed);

/// A pipeline as it is now. Its queues come with it, and stay.
struct pipeline_changed {
  pipeline what;
  bool removed = false;

  friend bool operator==(const pipeline_changed&,
                         const pipeline_changed&) = default;
};
DEPOSITD_FIELDS(pipeline_changed, what, removed);

/// The pipelines of the last start's configuration, as `configuration_seen`.
struct pipelines_seen {
  std::vector<pipeline> pipelines;

  friend bool operator==(const pipelines_seen&,
                         const pipelines_seen&) = default;
};
DEPOSITD_FIELDS(pipelines_seen, pipelines);

/// A topic and its channels, each of which is a queue. Of the shard that has
/// the topic alone: no other follows it.
struct topic_changed {
  std::string topic;
  bool paused = false;
  std::vector<std::string> channels; ///< in the order in which they came
  /// Of these, those that get what waits in the topic, until nothing does.
  std::vector<std::string> backlog_to;
  /// Channels that are deleted, until nothing is in them.
  std::vector<std::string> ending;
  bool leaving = false; ///< the topic is deleted, with all its channels
  bool removed = false; ///< it is no more

  friend bool operator==(const topic_changed&, const topic_changed&) = default;
};
DEPOSITD_FIELDS(topic_changed, topic, paused, channels, backlog_to, ending,
                leaving, removed);

/// How a depositor is told what became of deposits. Nothing set: as if there
/// had never been anything.
struct contact_changed {
  std::string user;
  std::string mail;     ///< for deposits that name no address; empty: none
  std::string callback; ///< URL, instead of mail; empty: none

  friend bool operator==(const contact_changed&,
                         const contact_changed&) = default;
};
DEPOSITD_FIELDS(contact_changed, user, mail, callback);

inline constexpr std::size_t placement_nodes_max = 64;

/// Where a submission processor runs: on these nodes and engines only, by their
/// names. None: wherever there are slots, as if nothing had ever been said.
struct processor_placed {
  std::string processor;
  std::vector<std::string> nodes;

  friend bool operator==(const processor_placed&,
                         const processor_placed&) = default;
};
DEPOSITD_FIELDS(processor_placed, processor, nodes);

/// An object that is to be deleted.
struct deletion_target {
  std::string object;     ///< identifier
  std::string collection; ///< that has it

  friend bool operator==(const deletion_target&,
                         const deletion_target&) = default;
};
DEPOSITD_FIELDS(deletion_target, object, collection);

/// A request for deletion as it stands: who wants it, who has agreed, and
/// whether orders were made of it. See actors/rules/orders/deletions.hpp.
struct deletion_changed {
  std::string reference; ///< "del-..."
  std::string user;      ///< whose objects they are
  std::vector<deletion_target> targets;
  std::string asked_by;
  micros asked_us = never;
  std::string reason;
  std::string inst_approver; ///< of the same institution; empty: nobody yet
  micros inst_approved_us = never;
  std::string aptrust_approver; ///< the administrator, of many at once
  micros aptrust_approved_us = never;
  std::string rejected_by;
  micros rejected_us = never;
  micros queued_us = never; ///< its orders are in their queue
  bool forgotten = false;

  friend bool operator==(const deletion_changed&,
                         const deletion_changed&) = default;
};
DEPOSITD_FIELDS(deletion_changed, reference, user, targets, asked_by, asked_us,
                reason, inst_approver, inst_approved_us, aptrust_approver,
                aptrust_approved_us, rejected_by, rejected_us, queued_us,
                forgotten);

// -- sources ------------------------------------------------------------------

/// A source as it is wanted.
struct source_changed {
  std::string name;
  source_settings settings;
  micros made_us = never; ///< when it was added: tells it from an earlier one
  bool paused = false;
  std::uint64_t resumes = 0; ///< how often it was resumed: ends the state ended
  bool removed = false;

  friend bool operator==(const source_changed&,
                         const source_changed&) = default;
};
DEPOSITD_FIELDS(source_changed, name, settings, made_us, paused, resumes,
                removed);

struct scheduler_changed {
  std::string name;
  scheduler_settings settings;
  bool removed = false;

  friend bool operator==(const scheduler_changed&,
                         const scheduler_changed&) = default;
};
DEPOSITD_FIELDS(scheduler_changed, name, settings, removed);

/// Up to where all records of a source are applied. Of the shard that has its
/// scheduler alone: no other follows it.
struct source_read {
  std::string source;
  micros made_us = never; ///< of the source; of an earlier one: means nothing
  bool has_cursor = false;
  std::string cursor;
  bool ended = false;        ///< nothing more comes ...
  std::uint64_t resumes = 0; ///< ... unless it was resumed more often than this
  bool forgotten = false;    ///< there is no such source

  friend bool operator==(const source_read&, const source_read&) = default;
};
DEPOSITD_FIELDS(source_read, source, made_us, has_cursor, cursor, ended,
                resumes, forgotten);

/// Sources and schedulers of the last start's configuration, as
/// `configuration_seen`.
struct sources_seen {
  struct source {
    std::string name;
    source_settings settings;

    friend bool operator==(const source&, const source&) = default;
  };
  struct scheduler {
    std::string name;
    scheduler_settings settings;

    friend bool operator==(const scheduler&, const scheduler&) = default;
  };
  std::vector<source> sources;
  std::vector<scheduler> schedulers;

  friend bool operator==(const sources_seen&, const sources_seen&) = default;
};
DEPOSITD_FIELDS(sources_seen::source, name, settings);
DEPOSITD_FIELDS(sources_seen::scheduler, name, settings);
DEPOSITD_FIELDS(sources_seen, sources, schedulers);

} // namespace depositd
