#pragma once

// What happens to batches and jobs. Each is an item, too: a batch has the
// number of its item and a job that of its own, for life. While something is to
// be done it waits in the queue of a stage; held, failed, or waiting for its
// jobs, it is parked there. A move says all that is new, so replay needs to
// know nothing else.

#include "messages/values/work.hpp"

#include <string>

namespace depositd {

/// The item with this number, which comes with it, is a batch, `pending`.
struct batch_received {
  item_id id = 0;
  std::string queue;
  micros received_us = 0;
  batch_info info;

  friend bool operator==(const batch_received&,
                         const batch_received&) = default;
};
DEPOSITD_FIELDS(batch_received, id, queue, received_us, info);

/// The batch is where `place` says and in this state. A claim has ended.
struct batch_moved {
  item_id id = 0;
  std::string queue; ///< that it was in
  item_place place;
  batch_status status;
  job_counts jobs;
  std::uint32_t reports = 0; ///< that were begun

  friend bool operator==(const batch_moved&, const batch_moved&) = default;
};
DEPOSITD_FIELDS(batch_moved, id, queue, place, status, jobs, reports);

/// One of its jobs moved; the batch stays where it is.
struct batch_counted {
  item_id id = 0;
  job_counts jobs;

  friend bool operator==(const batch_counted&, const batch_counted&) = default;
};
DEPOSITD_FIELDS(batch_counted, id, jobs);

/// The item with this number, which came before in the same record, is a job.
struct job_created {
  item_id id = 0;
  std::string queue;
  item_id batch = 0;
  micros created_us = 0;
  job_info info;
  job_facts facts;
  job_status status; ///< pending or held; a held one is parked

  friend bool operator==(const job_created&, const job_created&) = default;
};
DEPOSITD_FIELDS(job_created, id, queue, batch, created_us, info, facts, status);

/// The job is where `place` says and in this state. A claim has ended.
struct job_moved {
  item_id id = 0;
  std::string queue; ///< that it was in
  item_id batch = 0;
  item_place place;
  job_status status;
  bool has_facts = false; ///< false: as they were
  job_facts facts;

  friend bool operator==(const job_moved&, const job_moved&) = default;
};
DEPOSITD_FIELDS(job_moved, id, queue, batch, place, status, has_facts, facts);

/// The batch, which is at its end, and all its jobs leave the store.
struct batch_forgotten {
  item_id id = 0;

  friend bool operator==(const batch_forgotten&,
                         const batch_forgotten&) = default;
};
DEPOSITD_FIELDS(batch_forgotten, id);

} // namespace depositd
