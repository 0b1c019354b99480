#pragma once

// What version 3 of the projection brought: batches and jobs.

#include <string_view>

namespace depositd::sqlite::statements {

/// `..._key` columns as in the rest of the schema. An index has the number of
/// the row behind its columns, so that rows of one state, or of one state and
/// collection, come in the order of their numbers.
inline constexpr std::string_view work_schema = R"(
ALTER TABLE meta ADD COLUMN batches INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN batches_sum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN jobs INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN jobs_sum INTEGER NOT NULL DEFAULT 0;
CREATE TABLE batches (
  id INTEGER PRIMARY KEY, user TEXT NOT NULL, uuid TEXT NOT NULL,
  collection TEXT NOT NULL, pipeline TEXT NOT NULL, source TEXT NOT NULL,
  submitter TEXT NOT NULL, type TEXT NOT NULL, file_name TEXT NOT NULL,
  title TEXT NOT NULL, received_us INTEGER NOT NULL, queue TEXT NOT NULL,
  state INTEGER NOT NULL, changed_us INTEGER NOT NULL, note TEXT NOT NULL,
  expected INTEGER NOT NULL, split INTEGER NOT NULL, open INTEGER NOT NULL,
  held INTEGER NOT NULL, completed INTEGER NOT NULL, failed INTEGER NOT NULL,
  deleted INTEGER NOT NULL, reports INTEGER NOT NULL,
  checksum INTEGER NOT NULL, uuid_key INTEGER NOT NULL) STRICT;
CREATE INDEX batches_by_user ON batches (user);
CREATE INDEX batches_by_uuid ON batches (uuid_key);
CREATE INDEX batches_by_state ON batches (state);
CREATE INDEX batches_by_collection ON batches (collection, state);
CREATE INDEX batches_live ON batches (id) WHERE queue <> '';
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY, batch INTEGER NOT NULL, user TEXT NOT NULL,
  uuid TEXT NOT NULL, collection TEXT NOT NULL, pipeline TEXT NOT NULL,
  type INTEGER NOT NULL, file_name TEXT NOT NULL,
  created_us INTEGER NOT NULL, queue TEXT NOT NULL, priority INTEGER NOT NULL,
  attempt INTEGER NOT NULL, state INTEGER NOT NULL,
  last_successful INTEGER NOT NULL, retry_count INTEGER NOT NULL,
  needs_review INTEGER NOT NULL, submit_again INTEGER NOT NULL,
  changed_us INTEGER NOT NULL, note TEXT NOT NULL, deaths INTEGER NOT NULL,
  identifier TEXT NOT NULL, local_ids TEXT NOT NULL, title TEXT NOT NULL,
  creator TEXT NOT NULL, date TEXT NOT NULL, space_needed INTEGER NOT NULL,
  checksum INTEGER NOT NULL, uuid_key INTEGER NOT NULL,
  identifier_key INTEGER NOT NULL) STRICT;
CREATE INDEX jobs_by_batch ON jobs (batch);
CREATE INDEX jobs_by_uuid ON jobs (uuid_key);
CREATE INDEX jobs_by_identifier ON jobs (identifier_key)
  WHERE identifier_key <> 0;
CREATE INDEX jobs_by_state ON jobs (state);
CREATE INDEX jobs_by_collection ON jobs (collection, state);
CREATE INDEX jobs_to_review ON jobs (id) WHERE needs_review = 1;
CREATE INDEX jobs_live ON jobs (id) WHERE queue <> '')";

} // namespace depositd::sqlite::statements
