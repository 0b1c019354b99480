#pragma once

// What operators set, as events. Each is the whole new value of its key, so a
// change asked for and a change made are the same thing.

#include "messages/values/types.hpp"

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

/// What an operator may do. Each of the first three may do what those before it
/// may; a node processes deposits and may look at nothing.
enum class operator_role : std::uint8_t { look, operate, administer, node };

/// Somebody who operates the engine: known by the name in their certificate, or
/// by a password.
struct operator_changed {
  std::string name; ///< a user name, though no user of queues
  operator_role role = operator_role::look;
  std::string password_hash;            ///< Argon2id; empty: none
  std::vector<std::string> users;       ///< only these; empty: all
  std::vector<std::string> collections; ///< only these; empty: all
  bool removed = false;

  friend bool operator==(const operator_changed&,
                         const operator_changed&) = default;
};
DEPOSITD_FIELDS(operator_changed, name, role, password_hash, users, collections,
                removed);

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

} // namespace depositd
