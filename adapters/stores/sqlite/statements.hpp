#pragma once

// All SQL of the adapter. Every column list ends with the row's checksum; the
// order of the columns is that of the rows in messages/.

#include "messages/values/rows.hpp"

#include <array>
#include <string>
#include <string_view>

namespace depositd::sqlite::statements {

// -- projection

/// `..._key` columns are hashes of what is looked for (`lookup_key`): an index
/// of eight bytes per entry touches a tenth of the pages that one of file names
/// or SHA-256 does. Names are stored as they are, not as numbers: a row stays
/// readable by itself, and no table of names has to be kept and cleaned.
inline constexpr std::string_view projection_schema = R"(
CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  reached INTEGER NOT NULL, id_max INTEGER NOT NULL,
  items INTEGER NOT NULL, items_sum INTEGER NOT NULL,
  rings INTEGER NOT NULL, rings_sum INTEGER NOT NULL,
  controls INTEGER NOT NULL, controls_sum INTEGER NOT NULL,
  checksum INTEGER NOT NULL) STRICT;
CREATE TABLE items (
  id INTEGER PRIMARY KEY, queue TEXT NOT NULL, user TEXT NOT NULL,
  priority INTEGER NOT NULL, size INTEGER NOT NULL,
  received_us INTEGER NOT NULL, digest INTEGER NOT NULL,
  kind INTEGER NOT NULL, body_group INTEGER NOT NULL,
  body_offset INTEGER NOT NULL, body_length INTEGER NOT NULL,
  state INTEGER NOT NULL, attempt INTEGER NOT NULL,
  available_us INTEGER NOT NULL, token INTEGER NOT NULL,
  deadline_us INTEGER NOT NULL, local INTEGER NOT NULL,
  processor TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE INDEX items_in_order ON items (queue, priority);
CREATE TABLE rings (
  queue TEXT NOT NULL, user TEXT NOT NULL, stamp INTEGER NOT NULL,
  credit INTEGER NOT NULL, checksum INTEGER NOT NULL,
  PRIMARY KEY (queue, user)) STRICT, WITHOUT ROWID;
CREATE TABLE controls (
  kind INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
  checksum INTEGER NOT NULL, PRIMARY KEY (kind, key)) STRICT;
CREATE TABLE submissions (
  id INTEGER PRIMARY KEY, user TEXT NOT NULL, queue TEXT NOT NULL,
  file_name TEXT NOT NULL, operation TEXT NOT NULL, login TEXT NOT NULL,
  source TEXT NOT NULL, blob TEXT NOT NULL, size INTEGER NOT NULL,
  status INTEGER NOT NULL, failed INTEGER NOT NULL, parked INTEGER NOT NULL,
  batch_id TEXT NOT NULL, processor TEXT NOT NULL, reason TEXT NOT NULL,
  received_us INTEGER NOT NULL, started_us INTEGER NOT NULL,
  finished_us INTEGER NOT NULL, attempt INTEGER NOT NULL,
  documented INTEGER NOT NULL, checksum INTEGER NOT NULL,
  file_key INTEGER NOT NULL, batch_key INTEGER NOT NULL,
  blob_key INTEGER NOT NULL, trace TEXT NOT NULL DEFAULT '') STRICT;
CREATE INDEX submissions_by_user ON submissions (user);
CREATE INDEX submissions_by_file ON submissions (file_key);
CREATE INDEX submissions_by_batch ON submissions (batch_key)
  WHERE batch_key <> 0;
CREATE INDEX submissions_by_status ON submissions (queue, status);
CREATE INDEX submissions_finished ON submissions (finished_us)
  WHERE finished_us > 0;
CREATE INDEX submissions_by_blob ON submissions (blob_key)
  WHERE blob_key <> 0;
CREATE TABLE documents (
  id INTEGER PRIMARY KEY, document TEXT NOT NULL,
  checksum INTEGER NOT NULL) STRICT)";

/// What brings a projection of version 1 to 2, and so on.
inline constexpr std::array<std::string_view, 1> projection_upgrades{
  "ALTER TABLE submissions ADD COLUMN trace TEXT NOT NULL DEFAULT ''"};

/// To follow the schema: the row of `meta` of a projection that has reached
/// nothing, with its checksum.
inline std::string first_meta(std::uint64_t checksum) {
  return "; INSERT INTO meta VALUES (1, 0, 0, 0, 0, 0, 0, 0, 0, "
         + std::to_string(static_cast<std::int64_t>(checksum)) + ")";
}

inline constexpr std::string_view put_meta =
  "INSERT OR REPLACE INTO meta VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
inline constexpr std::string_view meta =
  "SELECT reached, id_max, items, items_sum, rings, rings_sum, controls, "
  "controls_sum, checksum FROM meta WHERE id = 1";

inline constexpr std::string_view put_item =
  "INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
  "?, ?, ?)";
inline constexpr std::string_view change_item =
  "UPDATE items SET state = ?, attempt = ?, available_us = ?, token = ?, "
  "deadline_us = ?, local = ?, processor = ?, body_group = ?, "
  "body_offset = ?, body_length = ?, checksum = ? WHERE id = ?";
/// Apart from the above, so that those leave the index alone.
inline constexpr std::string_view move_item =
  "UPDATE items SET queue = ? WHERE id = ?";
inline constexpr std::string_view place_of_item =
  "SELECT body_group, body_offset, body_length, checksum FROM items "
  "WHERE id = ?";
inline constexpr std::string_view delete_item =
  "DELETE FROM items WHERE id = ?";
inline constexpr std::string_view item = "SELECT * FROM items WHERE id = ?";
inline constexpr std::string_view items = "SELECT * FROM items ORDER BY id";
inline constexpr std::string_view items_of_queue =
  "SELECT * FROM items WHERE queue = ? ORDER BY priority, id LIMIT ?";
inline constexpr std::string_view items_received =
  "SELECT id, queue, user FROM items WHERE received_us BETWEEN ?1 AND ?2 "
  "AND state BETWEEN ?3 AND ?4 AND state <> ?5 "
  "AND (?6 = '' OR queue = ?6) AND id > ?7 ORDER BY id";

inline constexpr std::string_view items_placed =
  "SELECT id, queue, user FROM items WHERE body_group BETWEEN ? AND ? "
  "AND body_length > 0 ORDER BY id LIMIT ?";

inline constexpr std::string_view ring_checksum =
  "SELECT checksum FROM rings WHERE queue = ? AND user = ?";
inline constexpr std::string_view put_ring =
  "INSERT OR REPLACE INTO rings VALUES (?, ?, ?, ?, ?)";
inline constexpr std::string_view rings =
  "SELECT * FROM rings ORDER BY queue, user";

inline constexpr std::string_view control_checksum =
  "SELECT checksum FROM controls WHERE kind = ? AND key = ?";
inline constexpr std::string_view put_control =
  "INSERT OR REPLACE INTO controls VALUES (?, ?, ?, ?)";
inline constexpr std::string_view controls =
  "SELECT * FROM controls ORDER BY kind, key";

inline constexpr std::string_view put_submission =
  "INSERT INTO submissions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
  "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
inline constexpr std::string_view change_submission =
  "UPDATE submissions SET status = ?, failed = ?, parked = ?, batch_id = ?, "
  "processor = ?, reason = ?, started_us = ?, finished_us = ?, attempt = ?, "
  "documented = ?, checksum = ?, batch_key = ? WHERE id = ?";
inline constexpr std::string_view submission =
  "SELECT * FROM submissions WHERE id = ?";
inline constexpr std::string_view put_document =
  "INSERT OR REPLACE INTO documents VALUES (?, ?, ?)";
inline constexpr std::string_view document =
  "SELECT document, checksum FROM documents WHERE id = ?";
inline constexpr std::string_view received_submissions =
  "SELECT id, user, file_name, size, received_us FROM submissions "
  "WHERE source = ? AND received_us >= ? ORDER BY id";
inline constexpr std::string_view finished_submissions =
  "SELECT id FROM submissions WHERE finished_us > 0 AND finished_us < ? "
  "ORDER BY finished_us LIMIT ?";
inline constexpr std::string_view delete_submission =
  "DELETE FROM submissions WHERE id = ?";
inline constexpr std::string_view delete_document =
  "DELETE FROM documents WHERE id = ?";
inline constexpr std::string_view submission_of_blob =
  "SELECT id FROM submissions WHERE blob_key <> 0 AND blob_key = ? "
  "AND blob = ? LIMIT 1";

/// The submissions that the query asks for. Parameters: id, user, queue,
/// file_name, batch_id, status, count, file_key, batch_key, ids (a JSON array),
/// always in this order. Numbers are sorted by themselves first: rows are wide.
inline std::string submissions(const submission_query& query) {
  std::string where = "1";
  if (query.id != 0)
    where += " AND id = ?1";
  if (!query.user.empty())
    where += " AND user = ?2";
  if (!query.queue.empty())
    where += " AND queue = ?3";
  if (!query.file_name.empty())
    where += " AND file_name = ?4";
  if (!query.batch_id.empty())
    where += " AND batch_id = ?5";
  if (query.has_status)
    where += " AND status = ?6";
  if (!query.user.empty() && !query.file_name.empty())
    where += " AND file_key = ?8";
  if (!query.user.empty() && !query.batch_id.empty())
    where += " AND batch_key <> 0 AND batch_key = ?9";
  if (!query.ids.empty())
    where += " AND id IN (SELECT value FROM json_each(?10))";
  const std::string order = query.newest_first ? " DESC" : "";
  return "SELECT * FROM submissions WHERE id IN (SELECT id FROM submissions "
         "WHERE ?8 = ?8 AND ?9 = ?9 AND ?10 = ?10 AND "
         + where + " ORDER BY id" + order + " LIMIT ?7) ORDER BY id" + order;
}

// -- registry of DOIs

/// `..._key` columns hold what is compared, the rest is as it was written.
inline constexpr std::string_view registry_schema = R"(
CREATE TABLE dois (
  id INTEGER PRIMARY KEY, doi_key TEXT NOT NULL UNIQUE,
  issn_key TEXT NOT NULL, journal_key TEXT NOT NULL,
  author_key TEXT NOT NULL,
  doi TEXT NOT NULL, resource TEXT NOT NULL, issn TEXT NOT NULL,
  isbn TEXT NOT NULL, journal_title TEXT NOT NULL, title TEXT NOT NULL,
  first_author TEXT NOT NULL, volume TEXT NOT NULL, issue TEXT NOT NULL,
  first_page TEXT NOT NULL, year TEXT NOT NULL, owner TEXT NOT NULL,
  timestamp TEXT NOT NULL, submission INTEGER NOT NULL,
  checksum INTEGER NOT NULL) STRICT;
CREATE INDEX dois_by_issn ON dois (issn_key) WHERE issn_key <> '';
CREATE INDEX dois_by_journal ON dois (journal_key) WHERE journal_key <> '';
CREATE INDEX dois_by_author ON dois (author_key) WHERE author_key <> '';
CREATE TABLE submissions_done (
  id INTEGER PRIMARY KEY, results TEXT NOT NULL,
  checksum INTEGER NOT NULL) STRICT)";

inline constexpr std::string_view results_of_submission =
  "SELECT results, checksum FROM submissions_done WHERE id = ?";
inline constexpr std::string_view submission_max =
  "SELECT coalesce(max(id), 0) FROM submissions_done WHERE id <= ?";
inline constexpr std::string_view put_results =
  "INSERT INTO submissions_done VALUES (?, ?, ?)";
inline constexpr std::string_view put_doi =
  "INSERT INTO dois VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
  "?, ?, ?, ?, ?) ON CONFLICT (doi_key) DO UPDATE SET "
  "issn_key = excluded.issn_key, journal_key = excluded.journal_key, "
  "author_key = excluded.author_key, doi = excluded.doi, "
  "resource = excluded.resource, issn = excluded.issn, isbn = excluded.isbn, "
  "journal_title = excluded.journal_title, title = excluded.title, "
  "first_author = excluded.first_author, volume = excluded.volume, "
  "issue = excluded.issue, first_page = excluded.first_page, "
  "year = excluded.year, owner = excluded.owner, "
  "timestamp = excluded.timestamp, submission = excluded.submission, "
  "checksum = excluded.checksum";

/// Which index serves a query; what else it asks is compared row by row.
enum class doi_index { doi, author, issn, journal, none };

/// The DOIs under one key of an index (the only parameter), or all.
inline std::string dois(doi_index by) {
  const std::string select =
    "SELECT doi, resource, issn, isbn, journal_title, title, first_author, "
    "volume, issue, first_page, year, owner, timestamp, submission, checksum "
    "FROM dois ";
  switch (by) {
    case doi_index::doi:
      return select + "WHERE doi_key = ?";
    case doi_index::author:
      return select + "WHERE author_key <> '' AND author_key = ? ORDER BY id";
    case doi_index::issn:
      return select + "WHERE issn_key <> '' AND issn_key = ? ORDER BY id";
    case doi_index::journal:
      return select + "WHERE journal_key <> '' AND journal_key = ? ORDER BY id";
    case doi_index::none:
      break;
  }
  return select + "ORDER BY id";
}

} // namespace depositd::sqlite::statements
