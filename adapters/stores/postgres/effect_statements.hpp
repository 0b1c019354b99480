#pragma once

// SQL of blobs, of the registry of DOIs and of the working folder.

#include "adapters/stores/postgres/array_statements.hpp"
#include "adapters/stores/rows/doi_recording.hpp"

#include <string>
#include <string_view>

namespace depositd::postgres::statements {

// -- blobs

/// As good as new: whoever looks for old ones must not take it. One that has
/// rotted is written again.
inline constexpr std::string_view keep_blob =
  "UPDATE blobs SET put_at = clock_timestamp() WHERE sha256 = $1 "
  "AND encode(sha256(bytes), 'hex') = $1";
inline constexpr std::string_view put_blob =
  "INSERT INTO blobs VALUES ($1, clock_timestamp(), $2) "
  "ON CONFLICT (sha256) DO UPDATE SET put_at = excluded.put_at, "
  "bytes = excluded.bytes";
inline constexpr std::string_view blob =
  "SELECT bytes FROM blobs WHERE sha256 = $1";

// -- registry of DOIs

/// One writer at a time; readers go on. The commit waits for no flush: see
/// `doi_registry::flush`. A plan that is made while the tables are small stays
/// when they are not: it must use the index from the beginning.
inline constexpr const char* begin_recording =
  "SET LOCAL synchronous_commit = off;"
  "SET LOCAL enable_seqscan = off;"
  "LOCK TABLE dois IN SHARE ROW EXCLUSIVE MODE";
inline constexpr std::string_view results_of_submissions =
  "SELECT id, results, checksum FROM submissions_done "
  "WHERE id = ANY($1::bigint[])";
inline constexpr std::string_view submission_max =
  "SELECT coalesce(max(id), 0) FROM submissions_done WHERE id <= $1";
constexpr rows::fields results_fields() {
  return {{"id"}, {"results", rows::kind::text}, {"checksum"}};
}
inline constexpr auto put_results = rows::constant([] {
  return "INSERT INTO submissions_done SELECT x.* FROM "
         + arrays(results_fields(), 1);
});
inline constexpr auto put_dois = rows::constant([] {
  return rows::joined({"INSERT INTO dois (", rows::listed(rows::doi_fields()),
                       ") SELECT x.* FROM ", arrays(rows::doi_fields(), 1)})
         + rows::or_replace_dois();
});

/// The DOIs under a key of the index (the only parameter), or all.
inline std::string dois(rows::doi_index by) {
  return rows::dois(by, "$1", "md5({}) = md5($1) AND {} = $1");
}

/// The DOIs of these keys.
inline std::string dois_of_keys() {
  return rows::dois(rows::doi_index::doi, "ANY($1::text[])", {});
}

// -- the working folder

/// What the working folder is known by, which is nobody's setting.
inline constexpr std::string_view put_work_id =
  "INSERT INTO store_facts VALUES ('work.folder', $1)";
inline constexpr std::string_view work_id =
  "SELECT value FROM store_facts WHERE name = 'work.folder'";

} // namespace depositd::postgres::statements
