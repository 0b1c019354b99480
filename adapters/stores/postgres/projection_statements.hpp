#pragma once

// SQL of the projection. The first parameter is the shard; the order of columns
// is that of the rows in messages/.

#include "messages/values/rows.hpp"

#include <string>
#include <string_view>

namespace depositd::postgres::statements {

inline constexpr std::string_view marks =
  "SELECT reached, id_max, items, items_sum, rings, rings_sum, controls, "
  "controls_sum, checksum FROM projection_marks WHERE shard = $1";
/// Waits for a transaction that is under way.
inline constexpr std::string_view marks_settled =
  "SELECT reached, checksum FROM projection_marks WHERE shard = $1 FOR UPDATE";
/// Nothing if tables are there without their marks.
inline constexpr std::string_view first_marks =
  "INSERT INTO projection_marks SELECT $1, 0, 0, 0, 0, 0, 0, 0, 0, $2 "
  "WHERE NOT EXISTS (SELECT FROM item_rows WHERE shard = $1) "
  "AND NOT EXISTS (SELECT FROM control_rows WHERE shard = $1) "
  "ON CONFLICT DO NOTHING";
inline constexpr std::string_view move_watermarks =
  "UPDATE projection_marks SET reached = $3, id_max = $4, items = $5, "
  "items_sum = $6, rings = $7, rings_sum = $8, controls = $9, "
  "controls_sum = $10, checksum = $11 WHERE shard = $1 AND reached = $2";

// -- items

inline constexpr std::string_view item_columns =
  "id, queue, \"user\", priority, size, received_us, digest, kind, body_group, "
  "body_offset, body_length, state, attempt, available_us, token, "
  "deadline_us, local, processor, checksum";
inline constexpr std::string_view put_items =
  "INSERT INTO item_rows SELECT $1, x.* FROM unnest($2::bigint[], $3::text[], "
  "$4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], "
  "$9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], "
  "$14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[], "
  "$18::bigint[], $19::text[], $20::bigint[]) AS x";
inline constexpr std::string_view change_items =
  "UPDATE item_rows AS r SET queue = x.queue, body_group = x.body_group, "
  "body_offset = x.body_offset, body_length = x.body_length, "
  "state = x.state, attempt = x.attempt, available_us = x.available_us, "
  "token = x.token, deadline_us = x.deadline_us, local = x.local, "
  "processor = x.processor, checksum = x.checksum "
  "FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], "
  "$6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], "
  "$11::bigint[], $12::bigint[], $13::text[], $14::bigint[]) AS "
  "x(id, queue, body_group, body_offset, body_length, state, attempt, "
  "available_us, token, deadline_us, local, processor, checksum) "
  "WHERE r.shard = $1 AND r.id = x.id";
inline constexpr std::string_view delete_items =
  "DELETE FROM item_rows WHERE shard = $1 AND id = ANY($2::bigint[]) "
  "RETURNING body_group, body_offset, body_length, checksum";

inline std::string items_where(std::string_view condition) {
  return "SELECT " + std::string{item_columns}
         + " FROM item_rows WHERE shard = $1" + std::string{condition};
}

inline constexpr std::string_view items_received =
  "SELECT id, queue, \"user\" FROM item_rows WHERE shard = $1 "
  "AND received_us BETWEEN $2 AND $3 AND state BETWEEN $4 AND $5 "
  "AND state <> $6 AND ($7::text = '' OR queue = $7) "
  "AND (cardinality($8::text[]) = 0 OR \"user\" = ANY($8)) AND id > $9 "
  "ORDER BY id LIMIT $10";
inline constexpr std::string_view items_placed =
  "SELECT id, queue, \"user\" FROM item_rows WHERE shard = $1 "
  "AND body_group BETWEEN $2 AND $3 AND body_length > 0 ORDER BY id LIMIT $4";

// -- rings and control

inline constexpr std::string_view ring_checksums =
  "SELECT r.checksum FROM ring_rows AS r, unnest($2::text[], $3::text[]) "
  "AS x(queue, \"user\") WHERE r.shard = $1 AND r.queue = x.queue "
  "AND r.\"user\" = x.\"user\"";
inline constexpr std::string_view put_rings =
  "INSERT INTO ring_rows SELECT $1, x.* FROM unnest($2::text[], $3::text[], "
  "$4::bigint[], $5::bigint[], $6::bigint[]) AS x "
  "ON CONFLICT (shard, queue, \"user\") DO UPDATE SET stamp = excluded.stamp, "
  "credit = excluded.credit, checksum = excluded.checksum";
inline constexpr std::string_view rings =
  "SELECT queue, \"user\", stamp, credit, checksum FROM ring_rows "
  "WHERE shard = $1 ORDER BY queue, \"user\"";

inline constexpr std::string_view control_checksums =
  "SELECT r.checksum FROM control_rows AS r, unnest($2::bigint[], $3::text[]) "
  "AS x(kind, key) WHERE r.shard = $1 AND r.kind = x.kind AND r.key = x.key";
inline constexpr std::string_view put_controls =
  "INSERT INTO control_rows SELECT $1, x.* FROM unnest($2::bigint[], "
  "$3::text[], $4::bytea[], $5::bigint[]) AS x ON CONFLICT (shard, kind, key) "
  "DO UPDATE SET value = excluded.value, checksum = excluded.checksum";
inline constexpr std::string_view controls =
  "SELECT kind, key, value, checksum FROM control_rows WHERE shard = $1 "
  "ORDER BY kind, key";

// -- submissions

inline constexpr std::string_view submission_columns =
  "id, \"user\", queue, file_name, operation, login, source, blob, size, "
  "status, failed, parked, batch_id, processor, reason, received_us, "
  "started_us, finished_us, attempt, document_sum, checksum, trace";
inline constexpr std::string_view put_submissions =
  "INSERT INTO submission_rows SELECT $1, x.* FROM unnest($2::bigint[], "
  "$3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], "
  "$9::text[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], "
  "$14::text[], $15::text[], $16::text[], $17::bigint[], $18::bigint[], "
  "$19::bigint[], $20::bigint[], $21::bigint[], $22::bigint[], "
  "$23::text[], $24::text[]) AS x";
/// Of those that were not finished now, the document stays.
inline constexpr std::string_view change_submissions =
  "UPDATE submission_rows AS r SET status = x.status, failed = x.failed, "
  "parked = x.parked, batch_id = x.batch_id, processor = x.processor, "
  "reason = x.reason, started_us = x.started_us, "
  "finished_us = x.finished_us, attempt = x.attempt, "
  "document_sum = x.document_sum, checksum = x.checksum, "
  "document = CASE WHEN x.finished = 1 THEN x.document ELSE r.document END "
  "FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], "
  "$6::text[], $7::text[], $8::text[], $9::bigint[], $10::bigint[], "
  "$11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], "
  "$15::text[]) AS x(id, status, failed, parked, batch_id, processor, reason, "
  "started_us, finished_us, attempt, document_sum, checksum, finished, "
  "document) WHERE r.shard = $1 AND r.id = x.id";
/// In pages: those with an id above $4, at most $5 of them.
inline constexpr std::string_view received_submissions =
  "SELECT id, \"user\", file_name, size, received_us FROM submission_rows "
  "WHERE shard = $1 AND source = $2 AND received_us >= $3 AND id > $4 "
  "ORDER BY id LIMIT $5";
inline constexpr std::string_view forget_submissions =
  "DELETE FROM submission_rows WHERE shard = $1 AND id IN (SELECT id "
  "FROM submission_rows WHERE shard = $1 AND finished_us > 0 "
  "AND finished_us < $2 ORDER BY finished_us, id LIMIT $3)";
/// Of any shard: blobs belong to all of them.
inline constexpr std::string_view blob_in_use =
  "SELECT 1 FROM submission_rows WHERE blob <> '' AND blob = $1 LIMIT 1";

inline std::string submissions_by_id() {
  return "SELECT " + std::string{submission_columns}
         + " FROM submission_rows WHERE shard = $1 AND id = ANY($2::bigint[])";
}

/// The submissions that the query asks for. Parameters: shard, id, user, queue,
/// file_name, batch_id, status, count, ids; always all of them.
inline std::string submissions(const submission_query& query) {
  std::string where = "shard = $1 AND $2 = $2 AND $3 = $3 AND $4 = $4 "
                      "AND $5 = $5 AND $6 = $6 AND $7 = $7 AND $9 = $9";
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
  const std::string order = query.newest_first ? " DESC" : "";
  // A poll must not walk all submissions by id in hope of an early match.
  const auto exact = !query.file_name.empty() || !query.batch_id.empty()
                     || !query.ids.empty();
  const auto from
    = exact ? "WITH found AS MATERIALIZED (SELECT id FROM submission_rows "
              "WHERE "
                + where + ") SELECT id FROM found"
            : "SELECT id FROM submission_rows WHERE " + where;
  return "SELECT " + std::string{submission_columns}
         + (query.with_documents ? ", document" : "")
         + " FROM submission_rows WHERE shard = $1 AND id IN (" + from
         + " ORDER BY id" + order + " LIMIT $8) ORDER BY id" + order;
}

} // namespace depositd::postgres::statements
