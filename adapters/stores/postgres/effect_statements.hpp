#pragma once

// SQL of blobs and of the registry of DOIs.

#include <string>
#include <string_view>

namespace depositd::postgres::statements {

// -- blobs

/// As good as new: `collect` must not take it before somebody refers to it.
inline constexpr std::string_view keep_blob =
  "UPDATE blobs SET put_at = clock_timestamp() WHERE sha256 = $1 "
  "AND octet_length(bytes) = $2";
inline constexpr std::string_view put_blob =
  "INSERT INTO blobs VALUES ($1, clock_timestamp(), $2) "
  "ON CONFLICT (sha256) DO UPDATE SET put_at = excluded.put_at, "
  "bytes = excluded.bytes";
inline constexpr std::string_view blob =
  "SELECT bytes FROM blobs WHERE sha256 = $1";
inline constexpr std::string_view old_blobs =
  "SELECT sha256 FROM blobs "
  "WHERE put_at <= clock_timestamp() - $1 * interval '1 second'";
inline constexpr std::string_view delete_old_blob =
  "DELETE FROM blobs WHERE sha256 = $1 "
  "AND put_at <= clock_timestamp() - $2 * interval '1 second'";

// -- registry of DOIs

/// One writer at a time; readers go on.
inline constexpr const char* lock_dois =
  "LOCK TABLE dois IN SHARE ROW EXCLUSIVE MODE";
inline constexpr std::string_view results_of_submission =
  "SELECT results, checksum FROM submissions_done WHERE id = $1";
inline constexpr std::string_view submission_max =
  "SELECT coalesce(max(id), 0) FROM submissions_done WHERE id <= $1";
inline constexpr std::string_view put_results =
  "INSERT INTO submissions_done VALUES ($1, $2, $3)";
inline constexpr std::string_view put_doi =
  "INSERT INTO dois (doi_key, issn_key, journal_key, author_key, doi, "
  "resource, issn, isbn, journal_title, title, first_author, volume, issue, "
  "first_page, year, owner, \"timestamp\", submission, checksum) VALUES ($1, "
  "$2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, "
  "$18, $19) ON CONFLICT (doi_key) DO UPDATE SET "
  "issn_key = excluded.issn_key, journal_key = excluded.journal_key, "
  "author_key = excluded.author_key, doi = excluded.doi, "
  "resource = excluded.resource, issn = excluded.issn, isbn = excluded.isbn, "
  "journal_title = excluded.journal_title, title = excluded.title, "
  "first_author = excluded.first_author, volume = excluded.volume, "
  "issue = excluded.issue, first_page = excluded.first_page, "
  "year = excluded.year, owner = excluded.owner, "
  "\"timestamp\" = excluded.\"timestamp\", "
  "submission = excluded.submission, checksum = excluded.checksum";

/// Which index serves a query; what else it asks is compared row by row.
enum class doi_index { doi, author, issn, journal, none };

/// The DOIs under one key of an index (the only parameter), or all.
inline std::string dois(doi_index by) {
  const std::string select =
    "SELECT doi, resource, issn, isbn, journal_title, title, first_author, "
    "volume, issue, first_page, year, owner, \"timestamp\", submission, "
    "checksum FROM dois ";
  const auto under = [&](const std::string& key) {
    return select + "WHERE " + key + " <> '' AND md5(" + key
           + ") = md5($1) AND " + key + " = $1 ORDER BY id";
  };
  switch (by) {
    case doi_index::doi:
      return select + "WHERE doi_key = $1";
    case doi_index::author:
      return under("author_key");
    case doi_index::issn:
      return under("issn_key");
    case doi_index::journal:
      return under("journal_key");
    case doi_index::none:
      break;
  }
  return select + "WHERE $1 = $1 ORDER BY id";
}

} // namespace depositd::postgres::statements
