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

/// A user's own allocation and concurrency in a queue.
struct user_limits_changed {
  std::string queue;
  std::string user;
  bool has_allocation = false;  ///< false: the queue's default again
  std::uint32_t allocation = 0;
  bool has_concurrency = false; ///< false: the queue's default again
  std::uint32_t concurrency = 0;

  friend bool operator==(const user_limits_changed&,
                         const user_limits_changed&) = default;
};

struct user_eligibility_changed {
  std::string user;
  bool held = false;
  bool prohibited = false;

  friend bool operator==(const user_eligibility_changed&,
                         const user_eligibility_changed&) = default;
};

/// A depositor's credentials. An empty hash means the account is removed.
struct account_changed {
  std::string user;
  std::string password_hash;         ///< Argon2id in its own text form
  std::vector<std::string> prefixes; ///< DOI prefixes; empty: any

  friend bool operator==(const account_changed&, const account_changed&)
    = default;
};

struct processor_changed {
  processor_spec spec;
  bool removed = false;

  friend bool operator==(const processor_changed&, const processor_changed&)
    = default;
};

/// What a polling door's client may do with the queues that match.
enum class queue_right : std::uint8_t { post, poll, get_status, any };

/// `queue|post|NAME`: NAME is a queue or ends in `*`. Names that begin with two
/// underscores are reached only where these are written out (`queue|*|__*`).
struct key_permit {
  queue_right right = queue_right::any;
  std::string queue;

  friend bool operator==(const key_permit&, const key_permit&) = default;
};

/// An API key. It is a user of the queues it sends to, under its name. A key
/// without a digest is removed.
struct key_changed {
  std::string name;             ///< a user name
  std::string digest;           ///< SHA-256 of the key, hexadecimal
  std::vector<key_permit> permits;

  friend bool operator==(const key_changed&, const key_changed&) = default;
};

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

struct server_changed {
  bool suspended = false;          ///< nothing is handed out
  bool drop_folder_polling = true;

  friend bool operator==(const server_changed&, const server_changed&)
    = default;
};

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

  friend bool operator==(const configuration_seen&, const configuration_seen&)
    = default;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, queue_changed& x) {
  return f(x.queue, x.settings);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, user_limits_changed& x) {
  return f(x.queue, x.user, x.has_allocation, x.allocation, x.has_concurrency,
           x.concurrency);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f,
                                        user_eligibility_changed& x) {
  return f(x.user, x.held, x.prohibited);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, account_changed& x) {
  return f(x.user, x.password_hash, x.prefixes);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, processor_changed& x) {
  return f(x.spec, x.removed);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, key_permit& x) {
  return f(x.right, x.queue);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, key_changed& x) {
  return f(x.name, x.digest, x.permits);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, move_changed& x) {
  return f(x.reference, x.from, x.to, x.status, x.begun_us, x.forgotten,
           x.id_last);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, server_changed& x) {
  return f(x.suspended, x.drop_folder_polling);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f,
                                        configuration_seen::queue& x) {
  return f(x.name, x.settings);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, configuration_seen& x) {
  return f(x.queues, x.processors_count, x.prohibited_users);
}

} // namespace depositd
