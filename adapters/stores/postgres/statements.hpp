#pragma once

// SQL of the schema's version and of the journal. Names are not qualified: the
// search path of the connection says where everything is.

#include <cstdint>
#include <string>
#include <string_view>

namespace depositd::postgres::statements {

// -- schema

/// One migration at a time per schema.
inline constexpr std::string_view lock_schema =
  "SELECT pg_advisory_xact_lock("
  "hashtextextended('depositd schema ' || current_schema(), 0))";
inline constexpr std::string_view encoding =
  "SELECT current_setting('server_encoding')";
inline constexpr std::string_view version_table =
  "CREATE TABLE IF NOT EXISTS schema_versions (version bigint PRIMARY KEY, "
  "applied_at timestamptz NOT NULL DEFAULT now())";
inline constexpr std::string_view version =
  "SELECT coalesce(max(version), 0) FROM schema_versions";
inline constexpr std::string_view put_version =
  "INSERT INTO schema_versions VALUES ($1)";

/// Who shares the shards, in a schema of this version or a later one.
inline constexpr std::uint64_t engines_since = 4;
inline constexpr std::string_view engines_alive =
  "SELECT name, address FROM engines WHERE alive_until > clock_timestamp() "
  "ORDER BY name LIMIT 1";
/// Until the transaction ends.
inline constexpr std::string_view lock_only_shard =
  "SELECT pg_advisory_xact_lock("
  "hashtextextended('depositd shard ' || current_schema(), 0))";

// -- ownership

/// Held as long as the session lives.
inline constexpr std::string_view lock_shard =
  "SELECT pg_advisory_lock("
  "hashtextextended('depositd shard ' || current_schema(), $1))";
inline constexpr std::string_view try_lock_shard =
  "SELECT pg_try_advisory_lock("
  "hashtextextended('depositd shard ' || current_schema(), $1))";
/// Nothing but a sign of life.
inline constexpr std::string_view alive = "SELECT 1";
/// Where the shards are: the server, which of its histories, and the table,
/// which is another one where a dump was brought in.
inline constexpr std::string_view server =
  "SELECT system_identifier || '/' || left(pg_walfile_name("
  "pg_current_wal_lsn()), 8) || '/' || 'shard_owners'::regclass::oid "
  "FROM pg_control_system()";
/// Shard, an epoch that was there, server (empty: not known), how many epochs
/// another server may not have heard of. Waits for appends under the epoch
/// before, and lets no later one through.
inline constexpr std::string_view take_shard =
  "INSERT INTO shard_owners (shard, epoch, session, server) "
  "VALUES ($1, 1 + $2, 1, $3) ON CONFLICT (shard) DO UPDATE "
  "SET epoch = greatest(shard_owners.epoch, $2) + CASE WHEN $3 <> '' "
  "AND shard_owners.server NOT IN ('', $3) THEN $4 ELSE 1 END, "
  "copied = shard_owners.copied OR ($3 <> '' "
  "AND shard_owners.server NOT IN ('', $3)), "
  "server = CASE WHEN $3 = '' THEN shard_owners.server ELSE $3 END, "
  "session = shard_owners.session + 1, owned_since = clock_timestamp() "
  "RETURNING epoch, session";
/// Waits for an append of an earlier session, and lets no later one through.
inline constexpr std::string_view renew_session =
  "UPDATE shard_owners SET session = session + 1 WHERE shard = $1 "
  "AND epoch = $2 RETURNING session";
inline constexpr std::string_view owner =
  "SELECT epoch FROM shard_owners WHERE shard = $1";
inline constexpr std::string_view hold_session =
  "SELECT epoch FROM shard_owners WHERE shard = $1 AND epoch = $2 "
  "AND session = $3 FOR SHARE";
inline constexpr std::string_view hold_epoch =
  "SELECT epoch FROM shard_owners WHERE shard = $1 AND epoch = $2 FOR SHARE";

// -- segments

inline constexpr std::string_view segments =
  "SELECT number, first_seq, coalesce(last_seq, 0), coalesce(bytes, 0), "
  "last_seq IS NULL FROM journal_extents WHERE shard = $1 ORDER BY number";
inline constexpr std::string_view close_segment =
  "UPDATE journal_extents SET last_seq = $3, bytes = $4 WHERE shard = $1 "
  "AND number = $2 AND last_seq IS NULL";
inline constexpr std::string_view begin_segment =
  "INSERT INTO journal_extents VALUES ($1, $2, $3)";
inline constexpr std::string_view delete_segment =
  "DELETE FROM journal_extents WHERE shard = $1 AND number = $2";
inline constexpr std::string_view disk_bytes =
  "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class "
  "WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace "
  "AND starts_with(relname, $1)";

inline constexpr std::string_view watermarks =
  "SELECT partition, position FROM journal_watermarks WHERE shard = $1 "
  "ORDER BY partition";
inline constexpr std::string_view delete_watermarks =
  "DELETE FROM journal_watermarks WHERE shard = $1";
inline constexpr std::string_view put_watermarks =
  "INSERT INTO journal_watermarks SELECT $1, m.* "
  "FROM unnest($2::text[], $3::bigint[]) AS m";

// -- groups, in the table of a segment

inline std::string tables_of(std::uint32_t shard) {
  return "journal_" + std::to_string(shard) + "_";
}

inline std::string table(std::uint32_t shard, std::uint64_t segment) {
  return tables_of(shard) + std::to_string(segment);
}

/// Nothing is ever updated there and the table goes as a whole: no vacuum.
inline std::string create_table(const std::string& name) {
  return "CREATE TABLE " + name
         + " (LIKE journal_groups INCLUDING CONSTRAINTS INCLUDING INDEXES "
           "INCLUDING STORAGE) WITH (autovacuum_enabled = off, "
           "toast.autovacuum_enabled = off)";
}

inline std::string drop_table(const std::string& name) {
  // A dump that reads the table must not hold up the projector.
  return "SET LOCAL lock_timeout = '1s'; DROP TABLE IF EXISTS " + name;
}

/// Parameters: shard, epoch, session, first_seq, last_seq, length, checksum,
/// watermarks as bytes, bytes, partitions, positions. One statement: checking
/// the epoch in a transaction of four costs half of the rate.
inline std::string append_group(const std::string& name) {
  return "WITH owner AS (SELECT 1 FROM shard_owners WHERE shard = $1 "
         "AND epoch = $2 AND session = $3 FOR SHARE) INSERT INTO "
         + name + " SELECT $4, $5, $2, $6, $7, $8, $9 FROM owner";
}

inline std::string append_group_with_watermarks(const std::string& name) {
  return "WITH owner AS (SELECT 1 FROM shard_owners WHERE shard = $1 "
         "AND epoch = $2 AND session = $3 FOR SHARE), marks AS (INSERT INTO "
         "journal_watermarks SELECT $1, m.* FROM owner, "
         "unnest($10::text[], $11::bigint[]) AS m ON CONFLICT "
         "(shard, partition) DO UPDATE SET position = excluded.position) "
         "INSERT INTO "
         + name + " SELECT $4, $5, $2, $6, $7, $8, $9 FROM owner";
}

inline std::string group(const std::string& name) {
  return "SELECT last_seq, epoch, checksum FROM " + name
         + " WHERE first_seq = $1";
}

inline std::string delete_group(const std::string& name) {
  return "DELETE FROM " + name + " WHERE first_seq = $1 AND epoch = $2";
}

/// How many groups, the last sequence, the number of sequences, the bytes.
inline std::string contents(const std::string& name) {
  return "SELECT count(*), coalesce(max(last_seq), 0), "
         "coalesce(sum(last_seq - first_seq + 1), 0)::bigint, "
         "coalesce(sum(length), 0)::bigint FROM "
         + name;
}

/// From the group that contains $1 until $2, but no more than begin within the
/// first $3 bytes of it.
inline std::string groups_from(const std::string& name) {
  return "SELECT first_seq, last_seq, epoch, checksum, watermarks, bytes FROM "
         "(SELECT *, sum(length) OVER (ORDER BY first_seq) - length AS before "
         "FROM (SELECT * FROM "
         + name + " WHERE first_seq >= (SELECT max(first_seq) FROM " + name
         + " WHERE first_seq <= $1) AND first_seq <= $2 ORDER BY first_seq "
           "LIMIT 1024) AS part) AS counted WHERE before < $3 "
           "ORDER BY first_seq";
}

inline std::string body(const std::string& name) {
  return "SELECT length, substring(bytes FROM $2::integer + 1 "
         "FOR $3::integer) FROM "
         + name + " WHERE first_seq = $1";
}

} // namespace depositd::postgres::statements
