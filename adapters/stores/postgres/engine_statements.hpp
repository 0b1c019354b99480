#pragma once

// SQL of the engines that share a database: who they are, and until when they
// count as alive. All times are the server's.

#include <string_view>

namespace depositd::postgres::statements {

/// Name, address, protocol. An engine of this name that still runs is fenced
/// by it.
inline constexpr std::string_view join_engines =
  "INSERT INTO engines (name, instance, address, alive_until, protocol) "
  "VALUES ($1, 1, $2, clock_timestamp(), $3) "
  "ON CONFLICT (name) DO UPDATE SET instance = engines.instance + 1, "
  "address = excluded.address, protocol = excluded.protocol "
  "RETURNING instance";
/// Name, protocol: an engine that was alive a moment ago and speaks another.
inline constexpr std::string_view engine_of_another_protocol =
  "SELECT name, address, protocol FROM engines WHERE name <> $1 "
  "AND protocol <> $2 AND alive_until > clock_timestamp() ORDER BY name "
  "LIMIT 1";
/// Name, address: where another engine of this name was alive a moment ago.
inline constexpr std::string_view engine_elsewhere =
  "SELECT address FROM engines WHERE name = $1 AND address <> $2 "
  "AND alive_until > clock_timestamp()";
/// Name, instance, lease in ms, whether it reaches the logs of records,
/// protocol, known version of the schema. Nothing for one that others have gone
/// past while it stood still.
inline constexpr std::string_view stay_alive =
  "UPDATE engines SET alive_until = clock_timestamp() "
  "+ $3 * interval '1 millisecond', reaches_logs = ($4 <> 0) "
  "WHERE name = $1 AND instance = $2 "
  "AND $6 >= (SELECT max(version) FROM schema_versions) "
  "AND NOT EXISTS (SELECT FROM engines AS o WHERE o.name <> $1 "
  "AND o.protocol <> $5 AND o.alive_until > clock_timestamp())";
inline constexpr std::string_view leave_engines =
  "DELETE FROM engines WHERE name = $1 AND instance = $2";

} // namespace depositd::postgres::statements
