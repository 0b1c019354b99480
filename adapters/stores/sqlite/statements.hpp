#pragma once

// All SQL of the adapter. Lists of columns are made of what
// adapters/stores/rows/row_columns.hpp says; rows end with their checksum.

#include "adapters/stores/rows/doi_recording.hpp"
#include "adapters/stores/rows/item_page.hpp"
#include "adapters/stores/rows/row_columns.hpp"
#include "adapters/stores/rows/sql_text.hpp"
#include "adapters/stores/sqlite/record_schema.hpp"
#include "adapters/stores/sqlite/work_schema.hpp"

#include <array>
#include <string>
#include <string_view>

namespace depositd::sqlite::statements {

using rows::constant;
using rows::fields;
using rows::fields_of;
using rows::is;
using rows::joined;
using rows::listed;
using rows::with_checksum;

// -- projection

/// `..._key` columns are hashes of what is looked for (`lookup_key`): an index
/// of eight bytes per entry touches a tenth of the pages that one of file names
/// or SHA-256 does. Names are stored as they are, not as numbers: a row stays
/// readable by itself, and no table of names has to be kept and cleaned. This
/// is version 1; a new file goes through the upgrades, too.
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
  blob_key INTEGER NOT NULL) STRICT;
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

/// What version 5 brought: what users have spent.
inline constexpr std::string_view cost_schema = R"(
ALTER TABLE meta ADD COLUMN ring_costs INTEGER NOT NULL DEFAULT 0;
ALTER TABLE meta ADD COLUMN ring_costs_sum INTEGER NOT NULL DEFAULT 0;
CREATE TABLE ring_costs (
  queue TEXT NOT NULL, user TEXT NOT NULL, spent INTEGER NOT NULL,
  floor INTEGER NOT NULL, since INTEGER NOT NULL, checksum INTEGER NOT NULL,
  PRIMARY KEY (queue, user)) STRICT, WITHOUT ROWID)";

/// What version 6 brought: what was sent, where it is in no blob.
inline constexpr std::string_view contents_schema = R"(
CREATE TABLE contents (
  id INTEGER PRIMARY KEY, contents TEXT NOT NULL,
  checksum INTEGER NOT NULL) STRICT)";

/// What version 7 brought: many items in one row. `item_lanes` is an index of
/// what is in them.
inline constexpr std::string_view page_schema = R"(
CREATE TABLE item_pages (
  id INTEGER PRIMARY KEY, last INTEGER NOT NULL, count INTEGER NOT NULL,
  items TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE item_gaps (
  page INTEGER PRIMARY KEY, gone TEXT NOT NULL,
  checksum INTEGER NOT NULL) STRICT;
CREATE TABLE item_lanes (
  queue TEXT NOT NULL, priority INTEGER NOT NULL, page INTEGER NOT NULL,
  PRIMARY KEY (queue, priority, page)) STRICT, WITHOUT ROWID)";

/// What version 8 brought: by what deposits that come again are known.
inline constexpr std::string_view digest_schema =
  "ALTER TABLE submissions ADD COLUMN digest INTEGER NOT NULL DEFAULT 0";

/// What brings a projection of version 1 to 2, and so on.
inline constexpr std::array<std::string_view, 7> projection_upgrades{
  "ALTER TABLE submissions ADD COLUMN trace TEXT NOT NULL DEFAULT ''",
  work_schema,
  record_schema,
  cost_schema,
  contents_schema,
  page_schema,
  digest_schema};

/// To be followed by a condition.
template <class Row>
constexpr std::string select_from(const fields& what = with_checksum<Row>()) {
  return joined(
    {"SELECT ", listed(what), " FROM ", rows::table_name<Row>, " "});
}

/// The fields, then the id of the row.
template <class Row>
constexpr std::string update(const fields& what) {
  return joined({"UPDATE ", rows::table_name<Row>, " SET ",
                 listed(what, "{} = ?"), " WHERE id = ?"});
}

// -- meta

/// To follow the schema: the row of `meta` of a projection that has reached
/// nothing, with its checksum.
inline std::string first_meta(std::uint64_t checksum) {
  return "; INSERT INTO meta VALUES (1, 0, 0, 0, 0, 0, 0, 0, 0, "
         + std::to_string(static_cast<std::int64_t>(checksum)) + ")";
}

inline constexpr auto meta =
  constant([] { return select_from<rows::watermarks>() + "WHERE id = 1"; });
inline constexpr auto move_meta = constant(
  [] { return update<rows::watermarks>(with_checksum<rows::watermarks>()); });

/// Live items.
struct items {
  static constexpr auto put = constant(
    [] { return rows::insert("items", with_checksum<item_row>(), '?'); });
  static constexpr auto change = constant([] {
    return update<item_row>(fields_of<item_row>(is::changing)
                            + fields{{"checksum"}});
  });
  static constexpr auto move =
    constant([] { return update<item_row>(fields_of<item_row>(is::seldom)); });
  static constexpr std::string_view place =
    "SELECT body_group, body_offset, body_length, checksum FROM items "
    "WHERE id = ?";
  static constexpr std::string_view drop = "DELETE FROM items WHERE id = ?";
  static constexpr auto all =
    constant([] { return select_from<item_row>() + "ORDER BY id"; });
  static constexpr auto of_id =
    constant([] { return select_from<item_row>() + "WHERE id = ?"; });
  static constexpr auto of_queue = constant([] {
    return select_from<item_row>()
           + "WHERE queue = ? ORDER BY priority, id LIMIT ?";
  });
  static constexpr auto of_queue_and_users = constant([] {
    return select_from<item_row>()
           + "WHERE queue = ? AND user IN (SELECT value FROM json_each(?)) "
             "ORDER BY priority, id LIMIT ?";
  });
  static constexpr std::string_view received =
    "SELECT id, queue, user FROM items WHERE received_us BETWEEN ?1 AND ?2 "
    "AND state BETWEEN ?3 AND ?4 AND state <> ?5 "
    "AND (?6 = '' OR queue = ?6) AND id > ?7 ORDER BY id LIMIT ?8";
  static constexpr std::string_view placed =
    "SELECT id, queue, user FROM items WHERE body_group BETWEEN ? AND ? "
    "AND body_length > 0 ORDER BY id LIMIT ?";
};

/// The fields of a page, and its gaps, if there are any. To be followed by a
/// condition.
constexpr std::string select_pages() {
  return joined({"SELECT ", listed(fields_of<rows::item_page>()),
                 ", item_pages.checksum, gone, item_gaps.checksum "
                 "FROM item_pages LEFT JOIN item_gaps ON page = id "});
}

/// Live items, many in a row.
struct item_pages {
  using row = rows::item_page;
  static constexpr auto put = constant(
    [] { return rows::insert("item_pages", with_checksum<row>(), '?'); });
  static constexpr std::string_view drop =
    "DELETE FROM item_pages WHERE id = ?";
  static constexpr std::string_view last =
    "SELECT last FROM item_pages ORDER BY id DESC LIMIT 1";
  /// The last that begins there or earlier.
  static constexpr auto until = constant([] {
    return select_pages() + "WHERE id <= ? ORDER BY id DESC LIMIT 1";
  });
  /// The first that begins later.
  static constexpr auto behind = constant(
    [] { return select_pages() + "WHERE id > ? ORDER BY id LIMIT 1"; });
  static constexpr std::string_view put_gaps =
    "INSERT OR REPLACE INTO item_gaps VALUES (?, ?, ?)";
  static constexpr std::string_view drop_gaps =
    "DELETE FROM item_gaps WHERE page = ?";
  static constexpr std::string_view put_lane =
    "INSERT INTO item_lanes VALUES (?, ?, ?)";
  static constexpr std::string_view drop_lane =
    "DELETE FROM item_lanes WHERE (queue, priority, page) = (?, ?, ?)";
  static constexpr std::string_view next_lane =
    "SELECT priority, page FROM item_lanes WHERE queue = ? "
    "AND (priority, page) > (?, ?) ORDER BY priority, page LIMIT 1";
};

/// Rows that are found by a key, and replaced.
template <class Row>
struct keyed {
  static constexpr auto put = constant([] {
    const auto text =
      rows::insert(rows::table_name<Row>, with_checksum<Row>(), '?');
    return joined({"INSERT OR REPLACE", std::string_view{text}.substr(6)});
  });
  static constexpr auto checksum = constant([] {
    const auto key = fields_of<Row>(is::key);
    return select_from<Row>({{"checksum"}})
           + joined({"WHERE (", listed(key), ") = (",
                     rows::parameters('?', key.size()), ")"});
  });
  static constexpr auto drop = constant([] {
    const auto key = fields_of<Row>(is::key);
    return joined({"DELETE FROM ", rows::table_name<Row>, " WHERE (",
                   listed(key), ") = (", rows::parameters('?', key.size()),
                   ") RETURNING checksum"});
  });
  static constexpr auto all = constant([] {
    return joined(
      {select_from<Row>(), "ORDER BY ", listed(fields_of<Row>(is::key))});
  });
};

// -- submissions

/// Whether it has a document stands behind a submission's columns.
constexpr fields checked_submission() {
  return fields_of<submission_row>() + fields{{"documented"}, {"checksum"}};
}

inline constexpr auto put_submission = constant([] {
  const fields keys{{"file_key"}, {"batch_key"}, {"blob_key"}};
  return rows::insert("submissions", checked_submission() + keys, '?');
});
inline constexpr auto change_submission = constant([] {
  return update<submission_row>(
    fields_of<submission_row>(is::changing)
    + fields{{"documented"}, {"checksum"}, {"batch_key"}});
});
inline constexpr auto submission = constant([] {
  return select_from<submission_row>(checked_submission()) + "WHERE id = ?";
});
inline constexpr std::string_view put_document =
  "INSERT OR REPLACE INTO documents VALUES (?, ?, ?)";
inline constexpr std::string_view document =
  "SELECT document, checksum FROM documents WHERE id = ?";
inline constexpr std::string_view put_contents =
  "INSERT INTO contents VALUES (?, ?, ?)";
inline constexpr std::string_view contents =
  "SELECT contents, checksum FROM contents WHERE id = ?";
inline constexpr std::string_view received_submissions =
  "SELECT id, user, file_name, size, digest, received_us FROM submissions "
  "WHERE source = ? AND received_us >= ? AND id > ? ORDER BY id LIMIT ?";
inline constexpr std::string_view forget_submissions =
  "DELETE FROM submissions WHERE id IN (SELECT id FROM submissions "
  "WHERE finished_us > 0 AND finished_us < ? ORDER BY finished_us LIMIT ?) "
  "RETURNING id";
inline constexpr std::string_view forget_these_submissions =
  "DELETE FROM submissions WHERE id IN (SELECT value FROM json_each(?)) "
  "AND finished_us > 0 RETURNING id";
inline constexpr std::string_view delete_document =
  "DELETE FROM documents WHERE id = ?";
inline constexpr std::string_view delete_contents =
  "DELETE FROM contents WHERE id = ?";

/// The submissions that the query asks for. Parameters: id, user, queue,
/// file_name, batch_id, status, count, file_key, batch_key, ids (a JSON array),
/// after, always in this order. Numbers are sorted by themselves first: rows
/// are wide.
inline std::string submissions(const submission_query& query) {
  std::string where = "1";
  const auto add = [&](bool asked, const char* condition) {
    where += asked ? condition : "";
  };
  add(query.id != 0, " AND id = ?1");
  add(!query.user.empty(), " AND user = ?2");
  add(!query.queue.empty(), " AND queue = ?3");
  add(!query.file_name.empty(), " AND file_name = ?4");
  add(!query.batch_id.empty(), " AND batch_id = ?5");
  add(query.has_status, " AND status = ?6");
  add(!query.user.empty() && !query.file_name.empty(), " AND file_key = ?8");
  add(!query.user.empty() && !query.batch_id.empty(),
      " AND batch_key <> 0 AND batch_key = ?9");
  add(!query.ids.empty(), " AND id IN (SELECT value FROM json_each(?10))");
  add(!query.after.empty(),
      query.newest_first ? " AND id < ?11" : " AND id > ?11");
  const std::string order = query.newest_first ? " DESC" : "";
  return select_from<submission_row>(checked_submission())
         + "WHERE id IN (SELECT id FROM submissions "
           "WHERE ?8 = ?8 AND ?9 = ?9 AND ?10 = ?10 AND ?11 = ?11 AND "
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

/// What brings a registry of version 1 to 2.
inline constexpr std::array<std::string_view, 1> registry_upgrades{
  "ALTER TABLE dois ADD COLUMN citations TEXT NOT NULL DEFAULT ''"};

inline constexpr std::string_view results_of_submission =
  "SELECT results, checksum FROM submissions_done WHERE id = ?";
inline constexpr std::string_view submission_max =
  "SELECT coalesce(max(id), 0) FROM submissions_done WHERE id <= ?";
inline constexpr std::string_view put_results =
  "INSERT INTO submissions_done VALUES (?, ?, ?)";
inline constexpr auto put_doi = constant([] {
  return rows::insert("dois", rows::doi_fields(), '?')
         + rows::or_replace_dois();
});

/// The DOIs under a key of the index (the only parameter), or all.
inline std::string dois(rows::doi_index by) {
  return rows::dois(by, "?1", "{} = ?1");
}

} // namespace depositd::sqlite::statements
