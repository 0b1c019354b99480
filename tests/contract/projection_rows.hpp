#pragma once

// Rows for tests of the projection.

#include "messages/values/rows.hpp"

#include <string>

namespace depositd {

/// An item with something in every field.
inline item_row an_item(item_id id, const std::string& user = "ann") {
  item_row out;
  out.id = id;
  out.queue = "metadata";
  out.user = user;
  out.priority = 5;
  out.size = 1'000 + id;
  out.received_us = 1'700'000'000'000'000 + static_cast<micros>(id);
  out.digest = 0xf000'0000'0000'0000 + id;
  out.place = {.group = id, .offset = 7, .length = 100};
  return out;
}

/// A submission with something in every field that a queued one has.
inline submission_row a_submission(item_id id, const std::string& user = "ann",
                                   const std::string& file = "a.xml") {
  submission_row out;
  out.id = id;
  out.user = user;
  out.queue = "metadata";
  out.submission = {.file_name = file,
                    .operation = "doMDUpload",
                    .login = user + "@example.org/" + user,
                    .source = "http",
                    .blob = "blob" + std::to_string(id),
                    .size = 12,
                    .trace = "00-" + std::string(32, 'a') + "-"
                             + std::string(16, 'b') + "-01"};
  out.received_us = 1'700'000'000'000'000 + static_cast<micros>(id);
  return out;
}

/// A batch with something in every field.
inline batch_row a_batch(item_id id, const std::string& user = "ann",
                         const std::string& collection = "maps") {
  batch_row out;
  out.id = id;
  out.user = user;
  out.info = {.uuid = "bid-" + std::to_string(id),
              .collection = collection,
              .pipeline = "merritt",
              .source = "http",
              .submitter = "somebody",
              .type = "batch-manifest",
              .file_name = "list.csv",
              .title = "Maps"};
  out.received_us = 1'700'000'000'000'000 + static_cast<micros>(id);
  out.queue = "merritt.batch";
  out.status = {.state = batch_state::processing,
                .changed_us = 1'000 + static_cast<micros>(id),
                .note = "a note"};
  out.jobs = {.expected = 6,
              .split = true,
              .open = 2,
              .held = 1,
              .completed = 1,
              .failed = 1,
              .deleted = 2};
  out.reports = 1;
  return out;
}

/// A job with something in every field.
inline job_row a_job(item_id id, item_id batch, const std::string& user = "ann",
                     const std::string& collection = "maps") {
  job_row out;
  out.id = id;
  out.batch = batch;
  out.user = user;
  out.info = {.uuid = "jid-" + std::to_string(id),
              .collection = collection,
              .pipeline = "merritt",
              .type = job_type::manifest,
              .file_name = "Sheet-" + std::to_string(id) + ".tif"};
  out.created_us = 1'700'000'000'000'000 + static_cast<micros>(id);
  out.queue = "merritt.store";
  out.priority = 3;
  out.attempt = 2;
  out.status = {.state = job_state::storing,
                .last_successful = job_state::processing,
                .retry_count = 1,
                .needs_review = true,
                .submit_again = true,
                .changed_us = 9,
                .note = "a note",
                .deaths = 1};
  out.facts = {.identifier = "ark:/1/" + std::to_string(id),
               .local_ids = "a" + std::to_string(id) + ";b",
               .title = "Map of Ghent",
               .creator = "Somebody",
               .date = "1650",
               .space_needed = 1 << 20};
  return out;
}

/// A record whose item lives.
inline record_row a_record(const std::string& key, item_id id,
                           const std::string& source = "a",
                           micros made_us = 7) {
  record_row out;
  out.source = source;
  out.made_us = made_us;
  out.key = key;
  out.queue = "q";
  out.user = "ann";
  out.id = id;
  return out;
}

/// A record that is over, or, with a digest, a bad one.
inline record_row an_ended_record(const std::string& key, std::uint64_t place,
                                  record_state how = record_state::finished,
                                  std::uint64_t refused = 0) {
  auto out = a_record(key, refused == 0 ? place + 1'000 : 0);
  out.state = how;
  out.refused = refused;
  out.place = place;
  out.ended_us = 1'700'000'000'000'000 + static_cast<micros>(place);
  if (how == record_state::failed) {
    out.reason = "why " + key;
    out.body = std::string{"{\"k\":\xff\0", 7} + key;
  }
  return out;
}

/// The end of a record that was put before.
inline record_change ending_of(const record_row& x, const record_row& as) {
  return {x.source, x.made_us,   x.key,     x.id,   as.state,
          as.place, as.ended_us, as.reason, as.body};
}

/// The same work with its item gone.
inline batch_row ended(batch_row x) {
  x.queue.clear();
  x.status.state = batch_state::completed;
  return x;
}

inline job_row ended(job_row x, job_state how = job_state::completed) {
  x.queue.clear();
  x.status.state = how;
  x.status.needs_review = false;
  return x;
}

/// A job as it is before anything was done.
inline job_row fresh(job_row x) {
  x.status = {.state = job_state::pending};
  x.facts = {};
  return x;
}

} // namespace depositd
