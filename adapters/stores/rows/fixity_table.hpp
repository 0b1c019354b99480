#pragma once

// The tables of fixity checks, beside those of catalogue.hpp and as they are.
//
// `fixity_files` has a row for each file of the last version of each object,
// so that what is due is found by an index. Rows of an object come when
// somebody first asks what is due after its version was recorded.

#include "adapters/stores/rows/catalogue_rows.hpp"
#include "adapters/stores/rows/premis_table.hpp"
#include "messages/ports/fixity_book.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::rows {

/// Rows that are read at once, and how often before an answer is given with
/// what there is.
inline constexpr std::uint32_t fixity_page_rows = 5'000;
inline constexpr std::uint32_t fixity_pages_max = 200;

/// Whether everything that has the object (joined by line breaks) is cold.
bool is_only_in(std::string_view storage, const std::vector<std::string>& cold);

/// On one connection; `Database` as for `catalogue`. Everything but the last
/// check is called inside a transaction.
template <class Database>
class fixity_table {
public:
  explicit fixity_table(Database& in) : in_(in) {
    // nop
  }

  /// Makes rows of what was recorded since the last time; of all objects, if
  /// none is named.
  caf::error enrol_new(const std::string& object);
  caf::expected<std::vector<checked_file>> due(const fixity_query& x);
  caf::expected<std::optional<checked_file>>
  last_check(const std::string& object, const std::string& path);
  caf::error checked(const std::string& object, const std::string& path,
                     const premis_event& x);
  caf::expected<std::vector<spot_candidate>>
  spot_candidates(micros not_since_us, const std::vector<std::string>& cold,
                  std::uint32_t count_max);
  caf::error forget(const std::string& object,
                    const std::vector<premis_event>& events);

private:
  struct version_at {
    std::string object;
    std::uint32_t number = 0;
    micros recorded_us = never;
  };

  /// Objects, or this one, whose last version is not in the table yet.
  caf::expected<std::vector<version_at>>
  new_versions(const std::string& object);
  caf::error enrol(const version_at& x);

  struct file_row {
    checked_file file;
    std::string storage; ///< joined by line breaks
  };
  caf::expected<std::vector<file_row>> rows_behind(const checked_file& last,
                                                   const fixity_query& x);

  Database& in_;
};

template <class Database>
caf::expected<std::vector<typename fixity_table<Database>::version_at>>
fixity_table<Database>::new_versions(const std::string& object) {
  static constexpr const char* all =
    "SELECT v.identifier, v.number, v.recorded_us "
    "FROM inventory_versions v LEFT JOIN fixity_objects e "
    "ON e.identifier = v.identifier "
    "WHERE (e.version IS NULL OR e.version < v.number) AND NOT EXISTS ("
    "SELECT 1 FROM inventory_versions n WHERE n.identifier = v.identifier "
    "AND n.number > v.number)";
  std::vector<version_at> out;
  const auto take = [&](const auto& from) {
    auto& x = out.emplace_back();
    from.take(x.object, x.number, x.recorded_us);
    return caf::error{};
  };
  auto failed =
    object.empty()
      ? in_.each(all, take)
      : in_.each(std::string{all} + " AND v.identifier = $1", take, object);
  if (failed)
    return failed;
  return out;
}

template <class Database>
caf::error fixity_table<Database>::enrol_new(const std::string& object) {
  const auto fresh = new_versions(object);
  if (!fresh)
    return fresh.error();
  for (const auto& one : *fresh)
    if (auto failed = enrol(one))
      return failed;
  return {};
}

/// A file that stays as it was keeps the time of its check.
template <class Database>
caf::error fixity_table<Database>::enrol(const version_at& x) {
  if (auto failed = in_.run(
        "DELETE FROM fixity_files WHERE identifier = $1 AND NOT EXISTS ("
        "SELECT 1 FROM inventory_files f WHERE f.identifier = $1 "
        "AND f.version = $2 AND f.path = fixity_files.path "
        "AND f.sha512 = fixity_files.sha512)",
        x.object, x.number))
    return failed;
  if (auto failed = in_.run(
        "INSERT INTO fixity_files (identifier, path, sha512, checked_us) "
        "SELECT identifier, path, sha512, CAST($1 AS bigint) "
        "FROM inventory_files WHERE identifier = $2 AND version = $3 "
        "ON CONFLICT (identifier, path) DO NOTHING",
        x.recorded_us, x.object, x.number))
    return failed;
  return in_.run("INSERT INTO fixity_objects (identifier, version) "
                 "VALUES ($1, $2) ON CONFLICT (identifier) DO UPDATE SET "
                 "version = excluded.version",
                 x.object, x.number);
}

/// In the order in which they are due.
template <class Database>
caf::expected<std::vector<typename fixity_table<Database>::file_row>>
fixity_table<Database>::rows_behind(const checked_file& last,
                                    const fixity_query& x) {
  std::vector<file_row> out;
  auto failed = in_.each(
    std::string{"SELECT c.identifier, c.path, o.owner, o.collection, "
                "c.checked_us, o.storage FROM fixity_files c "
                "JOIN inventory_objects o ON o.identifier = c.identifier "
                "WHERE c.checked_us < $1 AND "
                "(c.checked_us, c.identifier, c.path) > ($2, $3, $4) AND "}
      + one_of<Database>("o.owner", "$5", x.owners) + " AND "
      + one_of<Database>("o.collection", "$6", x.collections)
      + " ORDER BY c.checked_us, c.identifier, c.path LIMIT $7",
    [&](const auto& row) {
      auto& y = out.emplace_back();
      row.take(y.file.object, y.file.path, y.file.owner, y.file.collection,
               y.file.checked_us, y.storage);
      return caf::error{};
    },
    x.checked_before_us, last.checked_us, last.object, last.path,
    Database::list(x.owners), Database::list(x.collections), fixity_page_rows);
  if (failed)
    return failed;
  return out;
}

template <class Database>
caf::expected<std::vector<checked_file>>
fixity_table<Database>::due(const fixity_query& x) {
  if (auto failed = enrol_new({}))
    return failed;
  const std::set<std::string> others(x.collections_but.begin(),
                                     x.collections_but.end());
  std::vector<checked_file> out;
  auto last = x.after;
  for (std::uint32_t page = 0; page < fixity_pages_max; ++page) {
    auto rows = rows_behind(last, x);
    if (!rows)
      return std::move(rows.error());
    for (auto& row : *rows) {
      last = row.file;
      if (others.contains(row.file.collection)
          || is_only_in(row.storage, x.cold))
        continue;
      if (out.size() >= x.count_max)
        return out;
      out.push_back(std::move(row.file));
    }
    if (rows->size() < fixity_page_rows)
      break;
  }
  return out;
}

template <class Database>
caf::expected<std::optional<checked_file>>
fixity_table<Database>::last_check(const std::string& object,
                                   const std::string& path) {
  std::optional<checked_file> out;
  // What a later version has replaced is not known any more.
  auto failed = in_.each(
    "SELECT c.identifier, c.path, o.owner, o.collection, c.checked_us, "
    "c.sha512 FROM fixity_files c JOIN inventory_objects o "
    "ON o.identifier = c.identifier JOIN fixity_objects e "
    "ON e.identifier = c.identifier WHERE c.identifier = $1 AND c.path = $2 "
    "AND e.version = (SELECT max(v.number) FROM inventory_versions v "
    "WHERE v.identifier = c.identifier)",
    [&](const auto& row) {
      auto& x = out.emplace();
      row.take(x.object, x.path, x.owner, x.collection, x.checked_us, x.sha512);
      return caf::error{};
    },
    object, path);
  if (failed)
    return failed;
  return out;
}

template <class Database>
caf::error fixity_table<Database>::checked(const std::string& object,
                                           const std::string& path,
                                           const premis_event& x) {
  // Whoever never asked what is due has no row of it yet.
  if (auto failed = enrol_new(object))
    return failed;
  if (auto failed = premis_table<Database>{in_}.record({x}))
    return failed;
  return in_.run("UPDATE fixity_files SET checked_us = $1 "
                 "WHERE identifier = $2 AND path = $3 AND checked_us < $1",
                 x.at_us, object, path);
}

template <class Database>
caf::expected<std::vector<spot_candidate>>
fixity_table<Database>::spot_candidates(micros not_since_us,
                                        const std::vector<std::string>& cold,
                                        std::uint32_t count_max) {
  std::vector<spot_candidate> out;
  auto failed = in_.each(
    "SELECT o.identifier, o.owner, o.collection, v.bytes, o.storage "
    "FROM inventory_objects o JOIN inventory_versions v "
    "ON v.identifier = o.identifier WHERE NOT EXISTS ("
    "SELECT 1 FROM inventory_versions n WHERE n.identifier = v.identifier "
    "AND n.number > v.number) AND NOT EXISTS ("
    "SELECT 1 FROM premis_events e WHERE e.object = o.identifier "
    "AND e.type = $1 AND e.at_us >= $2) "
    "ORDER BY o.owner, v.bytes, o.identifier",
    [&](const auto& row) {
      spot_candidate x;
      std::string storage;
      row.take(x.object, x.owner, x.collection, x.bytes, storage);
      const bool is_first = out.empty() || out.back().owner != x.owner;
      if (is_first && out.size() < count_max && !is_only_in(storage, cold))
        out.push_back(std::move(x));
      return caf::error{};
    },
    std::string{premis_types::dissemination}, not_since_us);
  if (failed)
    return failed;
  return out;
}

template <class Database>
caf::error
fixity_table<Database>::forget(const std::string& object,
                               const std::vector<premis_event>& events) {
  for (const auto* sql :
       {"DELETE FROM fixity_files WHERE identifier = $1",
        "DELETE FROM fixity_objects WHERE identifier = $1",
        "DELETE FROM inventory_copies WHERE identifier = $1",
        "DELETE FROM inventory_files WHERE identifier = $1",
        "DELETE FROM inventory_versions WHERE identifier = $1",
        "DELETE FROM inventory_local_ids WHERE identifier = $1",
        "DELETE FROM inventory_objects WHERE identifier = $1"})
    if (auto failed = in_.run(sql, object))
      return failed;
  return premis_table<Database>{in_}.record(events);
}

} // namespace depositd::rows
