#pragma once

// SQL of the projection. The first parameter is the shard. Lists of columns are
// made of what adapters/stores/rows/row_columns.hpp says.

#include "adapters/stores/postgres/array_statements.hpp"
#include "adapters/stores/rows/row_columns.hpp"
#include "adapters/stores/rows/sql_text.hpp"

#include <string>
#include <string_view>

namespace depositd::postgres::statements {

using rows::constant;
using rows::fields;
using rows::fields_of;
using rows::is;
using rows::joined;
using rows::kind;
using rows::listed;
using rows::with_checksum;

template <class Row>
inline constexpr std::string_view table_of = {};
template <>
inline constexpr std::string_view table_of<item_row> = "item_rows";
template <>
inline constexpr std::string_view table_of<ring_row> = "ring_rows";
template <>
inline constexpr std::string_view table_of<rows::paid_row> = "ring_cost_rows";
template <>
inline constexpr std::string_view table_of<control_row> = "control_rows";
template <>
inline constexpr std::string_view table_of<submission_row> = "submission_rows";
template <>
inline constexpr std::string_view table_of<batch_row> = "batch_rows";
template <>
inline constexpr std::string_view table_of<job_row> = "job_rows";
template <>
inline constexpr std::string_view table_of<record_row> = "record_rows";
template <>
inline constexpr std::string_view table_of<record_totals> = "record_total_rows";
template <>
inline constexpr std::string_view table_of<rows::watermarks> =
  "projection_marks";

/// Puts rows of these fields.
template <class Row>
constexpr std::string insert(const fields& all) {
  return joined({"INSERT INTO ", table_of<Row>, " (shard, ", listed(all),
                 ") SELECT $1, x.* FROM ", arrays(all)});
}

/// Sets the fields of rows by their id, which follows. `more` comes with them,
/// for what else is set.
template <class Row>
constexpr std::string update(const fields& set, const fields& more = {},
                             std::string_view else_set = {}) {
  return joined({"UPDATE ", table_of<Row>, " AS r SET ",
                 listed(set, "{} = x.{}"), else_set, " FROM ",
                 arrays(set + fields{{"id"}} + more),
                 " WHERE r.shard = $1 AND r.id = x.id"});
}

/// To be followed by a condition that begins with AND, or an order.
template <class Row>
constexpr std::string select_from(const fields& what = with_checksum<Row>()) {
  return joined(
    {"SELECT ", listed(what), " FROM ", table_of<Row>, " WHERE shard = $1 "});
}

// -- marks

inline constexpr auto marks =
  constant([] { return select_from<rows::watermarks>(); });
/// Whether the server's history is not its first: it begins another one when a
/// copy takes over, or when it was brought back to a point in time; or whether
/// the shard was ever on another server, or brought in from a dump.
inline constexpr std::string_view took_over =
  "SELECT (left(pg_walfile_name(pg_current_wal_lsn()), 8) <> '00000001' "
  "OR EXISTS (SELECT FROM shard_owners WHERE shard = $1 AND copied))::int";
/// Waits for a transaction that is under way.
inline constexpr std::string_view marks_settled =
  "SELECT reached, checksum FROM projection_marks WHERE shard = $1 FOR UPDATE";
/// Nothing if tables are there without their marks.
inline constexpr std::string_view first_marks =
  "INSERT INTO projection_marks SELECT $1, 0, 0, 0, 0, 0, 0, 0, 0, $2 "
  "WHERE NOT EXISTS (SELECT FROM item_rows WHERE shard = $1) "
  "AND NOT EXISTS (SELECT FROM control_rows WHERE shard = $1) "
  "ON CONFLICT DO NOTHING";
/// Unless somebody else has moved them.
inline constexpr auto move_watermarks = constant([] {
  const auto all = with_checksum<rows::watermarks>();
  return joined({"UPDATE projection_marks SET (", listed(all), ") = ROW(",
                 rows::parameters('$', all.size(), 3),
                 ") WHERE shard = $1 AND reached = $2"});
});

/// Live items.
struct items {
  static constexpr auto put =
    constant([] { return insert<item_row>(with_checksum<item_row>()); });
  static constexpr auto change = constant([] {
    return update<item_row>(fields_of<item_row>(is::changing)
                            + fields{{"checksum"}});
  });
  static constexpr auto move =
    constant([] { return update<item_row>(fields_of<item_row>(is::seldom)); });
  static constexpr std::string_view place = {}; // told by the next
  static constexpr std::string_view drop =
    "DELETE FROM item_rows WHERE shard = $1 AND id = ANY($2::bigint[]) "
    "RETURNING body_group, body_offset, body_length, checksum";
  static constexpr auto all =
    constant([] { return select_from<item_row>() + "ORDER BY id"; });
  static constexpr auto of_id = constant(
    [] { return select_from<item_row>() + "AND id = ANY($2::bigint[])"; });
  static constexpr auto of_queue = constant([] {
    return select_from<item_row>()
           + "AND queue = $2 ORDER BY priority, id LIMIT $3";
  });
  static constexpr auto of_queue_and_users = constant([] {
    return select_from<item_row>()
           + "AND queue = $2 AND \"user\" = ANY($3) "
             "ORDER BY priority, id LIMIT $4";
  });
  static constexpr std::string_view received =
    "SELECT id, queue, \"user\" FROM item_rows WHERE shard = $1 "
    "AND received_us BETWEEN $2 AND $3 AND state BETWEEN $4 AND $5 "
    "AND state <> $6 AND ($7::text = '' OR queue = $7) "
    "AND id > $8 ORDER BY id LIMIT $9";
  static constexpr std::string_view placed =
    "SELECT id, queue, \"user\" FROM item_rows WHERE shard = $1 AND "
    "body_group BETWEEN $2 AND $3 AND body_length > 0 ORDER BY id LIMIT $4";
};

/// Rows that are found by a key, and replaced.
template <class Row>
struct keyed {
  static constexpr auto put = constant([] {
    const auto set = fields_of<Row>(is::changing) + fields{{"checksum"}};
    return joined({insert<Row>(with_checksum<Row>()), " ON CONFLICT (shard, ",
                   listed(fields_of<Row>(is::key)), ") DO UPDATE SET ",
                   listed(set, "{} = excluded.{}")});
  });
  static constexpr auto checksum = constant([] {
    const auto key = fields_of<Row>(is::key);
    return joined({"SELECT r.checksum FROM ", table_of<Row>, " AS r, ",
                   arrays(key), " WHERE r.shard = $1 AND (",
                   listed(key, "r.{}"), ") = (", listed(key, "x.{}"), ")"});
  });
  static constexpr auto drop = constant([] {
    const auto key = fields_of<Row>(is::key);
    return joined({"DELETE FROM ", table_of<Row>, " AS r USING ", arrays(key),
                   " WHERE r.shard = $1 AND (", listed(key, "r.{}"), ") = (",
                   listed(key, "x.{}"), ") RETURNING r.checksum"});
  });
  static constexpr auto all = constant([] {
    return joined(
      {select_from<Row>(), "ORDER BY ", listed(fields_of<Row>(is::key))});
  });
};

// -- submissions

/// The checksum of the document stands behind a submission's columns; 0: none.
constexpr fields checked_submission() {
  return fields_of<submission_row>() + fields{{"document_sum"}, {"checksum"}};
}

constexpr fields put_submission() {
  return checked_submission() + fields{{"document", kind::text}};
}

/// Where the document then is.
inline constexpr int document_column =
  static_cast<int>(put_submission().size()) - 1;

/// What is set of a submission that changes, but for its document.
constexpr fields submission_changes() {
  return fields_of<submission_row>(is::changing)
         + fields{{"document_sum"}, {"checksum"}};
}

/// Of those that were not finished now, the document stays.
constexpr fields finished_submission() {
  return {{"finished"}, {"document", kind::text}};
}

inline constexpr auto put_submissions =
  constant([] { return insert<submission_row>(put_submission()); });
inline constexpr auto change_submissions = constant([] {
  return update<submission_row>(
    submission_changes(), finished_submission(),
    ", document = CASE WHEN x.finished = 1 THEN x.document "
    "ELSE r.document END");
});
inline constexpr auto submissions_of_ids = constant([] {
  return select_from<submission_row>(checked_submission())
         + "AND id = ANY($2::bigint[])";
});
/// In pages: those with an id above $4, at most $5 of them.
inline constexpr std::string_view received_submissions =
  "SELECT id, \"user\", file_name, size, digest, received_us "
  "FROM submission_rows "
  "WHERE shard = $1 AND source = $2 AND received_us >= $3 AND id > $4 "
  "ORDER BY id LIMIT $5";

/// Removes submissions of these ids, with their contents.
constexpr std::string forget(std::string_view ids) {
  return joined({"WITH gone AS (SELECT id FROM submission_rows WHERE ", ids,
                 "), emptied AS (DELETE FROM content_rows WHERE shard = $1 "
                 "AND id IN (SELECT id FROM gone)) "
                 "DELETE FROM submission_rows WHERE shard = $1 "
                 "AND id IN (SELECT id FROM gone)"});
}

inline constexpr auto forget_submissions = constant([] {
  return forget("shard = $1 AND finished_us > 0 AND finished_us < $2 "
                "ORDER BY finished_us, id LIMIT $3");
});
inline constexpr auto forget_these_submissions = constant([] {
  return forget("shard = $1 AND id = ANY($2) AND finished_us > 0");
});

constexpr fields put_contents_fields() {
  return {{"id"}, {"contents", kind::bytes}, {"checksum"}};
}

inline constexpr auto put_contents = constant([] {
  const auto all = put_contents_fields();
  return joined({"INSERT INTO content_rows (shard, ", listed(all),
                 ") SELECT $1, x.* FROM ", arrays(all)});
});
inline constexpr std::string_view contents_of =
  "SELECT contents, checksum FROM content_rows WHERE shard = $1 AND id = $2";

/// The submissions that the query asks for. Parameters: shard, id, user, queue,
/// file_name, batch_id, status, count, ids, after; always all of them.
inline std::string submissions(const submission_query& query) {
  std::string where = "shard = $1 AND $2 = $2 AND $3 = $3 AND $4 = $4 "
                      "AND $5 = $5 AND $6 = $6 AND $7 = $7 AND $9 = $9 "
                      "AND $10 = $10";
  if (query.id != 0)
    where += " AND id = $2";
  if (!query.user.empty())
    where += " AND \"user\" = $3";
  if (!query.queue.empty())
    where += " AND queue = $4";
  if (!query.file_name.empty())
    where += " AND md5(file_name) = md5($5) AND file_name = $5";
  if (!query.batch_id.empty())
    where += " AND batch_id <> '' AND md5(batch_id) = md5($6) "
             "AND batch_id = $6";
  if (query.has_status)
    where += " AND status = $7";
  if (!query.ids.empty())
    where += " AND id = ANY($9)";
  if (!query.after.empty())
    where += query.newest_first ? " AND id < $10" : " AND id > $10";
  const std::string order = query.newest_first ? " DESC" : "";
  // A poll must not walk all submissions by id in hope of an early match.
  const auto exact =
    !query.file_name.empty() || !query.batch_id.empty() || !query.ids.empty();
  const auto from =
    exact ? "WITH found AS MATERIALIZED (SELECT id FROM submission_rows "
            "WHERE "
              + where + ") SELECT id FROM found"
          : "SELECT id FROM submission_rows WHERE " + where;
  return select_from<submission_row>(
           query.with_documents ? put_submission() : checked_submission())
         + "AND id IN (" + from + " ORDER BY id" + order
         + " LIMIT $8) ORDER BY id" + order;
}

} // namespace depositd::postgres::statements
