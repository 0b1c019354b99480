#pragma once

// SQL of leases. All times are the server's; `clock_timestamp()` where a
// statement may have waited.

#include <string_view>

namespace depositd::postgres::statements {

/// In microseconds.
inline constexpr std::string_view server_time =
  "SELECT (1000000 * extract(epoch FROM clock_timestamp()))::bigint";
inline constexpr std::string_view put_shard_count =
  "INSERT INTO shard_counts (count) VALUES ($1) ON CONFLICT DO NOTHING";
inline constexpr std::string_view shard_count =
  "SELECT count FROM shard_counts";
inline constexpr std::string_view lock_facts =
  "LOCK TABLE store_facts IN EXCLUSIVE MODE";
inline constexpr std::string_view facts =
  "SELECT name, value FROM store_facts WHERE name <> 'work.folder'";
inline constexpr std::string_view forget_facts =
  "DELETE FROM store_facts WHERE name <> 'work.folder'";
inline constexpr std::string_view put_fact =
  "INSERT INTO store_facts VALUES ($1, $2)";
/// Name of ours: others that were alive a moment ago.
inline constexpr std::string_view other_engines =
  "SELECT 1 FROM engines WHERE name <> $1 "
  "AND alive_until > clock_timestamp()";
inline constexpr std::string_view put_leases =
  "INSERT INTO shard_leases SELECT n, 0, '', 0, '-infinity' "
  "FROM generate_series(0, $1 - 1) AS n ON CONFLICT DO NOTHING";

/// Shard, name, instance: whether it may be taken. Does not wait for another
/// engine that is taking it.
inline constexpr std::string_view lock_free_lease =
  "SELECT 1 FROM shard_leases WHERE shard = $1 AND (ends_at <= "
  "clock_timestamp() OR (engine = $2 AND instance <= $3)) "
  "FOR UPDATE SKIP LOCKED";
/// Shard, epoch, name, instance, lease in ms.
inline constexpr std::string_view put_lease =
  "UPDATE shard_leases SET epoch = $2, engine = $3, instance = $4, "
  "ends_at = clock_timestamp() + $5 * interval '1 millisecond' "
  "WHERE shard = $1";
/// Name, instance, lease in ms.
inline constexpr std::string_view renew_leases =
  "UPDATE shard_leases SET ends_at = clock_timestamp() "
  "+ $3 * interval '1 millisecond' WHERE engine = $1 AND instance = $2 "
  "AND ends_at > clock_timestamp() RETURNING shard";
/// Shard, name, instance.
inline constexpr std::string_view release_lease =
  "UPDATE shard_leases SET engine = '', ends_at = '-infinity' "
  "WHERE shard = $1 AND engine = $2 AND instance = $3";
inline constexpr std::string_view release_leases =
  "UPDATE shard_leases SET engine = '', ends_at = '-infinity' "
  "WHERE engine = $1 AND instance = $2";

inline constexpr std::string_view list_leases =
  "SELECT l.shard, l.epoch, CASE WHEN l.ends_at > clock_timestamp() "
  "THEN l.engine ELSE '' END, coalesce(e.address, ''), "
  "CASE WHEN l.ends_at > clock_timestamp() THEN (1000 * extract(epoch FROM "
  "l.ends_at - clock_timestamp()))::bigint ELSE 0 END "
  "FROM shard_leases l LEFT JOIN engines e ON e.name = l.engine "
  "ORDER BY l.shard";
inline constexpr std::string_view list_engines =
  "SELECT name, address, (1000 * extract(epoch FROM alive_until "
  "- clock_timestamp()))::bigint, reaches_logs::int FROM engines "
  "WHERE alive_until > clock_timestamp() ORDER BY name";

} // namespace depositd::postgres::statements
