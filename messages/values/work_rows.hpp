#pragma once

// Batches and jobs in the read model; kept after they have ended, until their
// batch is forgotten.

#include "messages/values/work.hpp"

#include <string>
#include <vector>

namespace depositd {

struct batch_row {
  item_id id = 0;
  std::string user;
  batch_info info;
  micros received_us = 0;
  // -- what changes
  std::string queue; ///< of its item; empty: it has none any more
  batch_status status;
  job_counts jobs;
  std::uint32_t reports = 0;

  friend bool operator==(const batch_row&, const batch_row&) = default;
};
DEPOSITD_FIELDS(batch_row, id, user, info, received_us, queue, status, jobs,
                reports);

struct job_row {
  item_id id = 0;
  item_id batch = 0;
  std::string user;
  job_info info;
  micros created_us = 0;
  // -- what changes
  std::string queue;
  std::uint8_t priority = 0;
  std::uint32_t attempt = 0;
  job_status status;
  job_facts facts;

  friend bool operator==(const job_row&, const job_row&) = default;
};
DEPOSITD_FIELDS(job_row, id, batch, user, info, created_us, queue, priority,
                attempt, status, facts);

/// What a slice changes of a batch that an earlier one put there: the last
/// values, of what moved, or of the counts alone.
struct batch_change {
  item_id id = 0;
  bool has_move = false;
  std::string queue;
  batch_status status;
  std::uint32_t reports = 0;
  job_counts jobs;

  friend bool operator==(const batch_change&, const batch_change&) = default;
};

struct job_change {
  item_id id = 0;
  std::string queue;
  std::uint8_t priority = 0;
  std::uint32_t attempt = 0;
  job_status status;
  bool has_facts = false;
  job_facts facts;

  friend bool operator==(const job_change&, const job_change&) = default;
};

/// Which batches to read, newest first. What is empty does not restrict.
struct batch_query {
  item_id id = 0;
  std::string user;
  std::string uuid;
  std::vector<std::string> users;       ///< any of these
  std::vector<std::string> collections; ///< any of these
  std::vector<batch_state> states;      ///< any of these
  micros changed_before_us = never;
  bool newest_first = true;
  std::uint32_t count_max = 100;
  std::vector<item_id> after; ///< as in `submission_query`
  std::vector<item_id> ids;   ///< any of these
};
DEPOSITD_FIELDS(batch_query, id, user, uuid, users, collections, states,
                changed_before_us, newest_first, count_max, after, ids);

/// Which jobs to read, oldest first unless asked otherwise.
struct job_query {
  item_id id = 0;
  std::string user;
  item_id batch = 0;
  std::string uuid;
  std::vector<std::string> users;
  std::vector<std::string> collections;
  std::vector<job_state> states;
  bool needs_review = false; ///< true: only such
  std::string identifier;    ///< exactly
  std::string local_id;      ///< one of the job's
  std::string title;         ///< part of it, in either case
  std::string file_name;     ///< part of it, in either case
  bool newest_first = false;
  std::uint32_t count_max = 100;
  std::vector<item_id> after;
  std::vector<item_id> ids;        ///< any of these
  micros changed_since_us = never; ///< only what has changed at or after
  micros changed_before_us = never;
  std::vector<std::string> queues;     ///< in one of these stages
  std::vector<std::string> queues_but; ///< in none of these
};
DEPOSITD_FIELDS(job_query, id, user, batch, uuid, users, collections, states,
                needs_review, identifier, local_id, title, file_name,
                newest_first, count_max, after, ids, changed_since_us,
                changed_before_us, queues, queues_but);

} // namespace depositd
