#pragma once

// The tables of the inventory: the same SQL in every store, whatever runs it.
// Parameters are numbered in the order in which they first appear, which is how
// SQLite counts them, too.

#include "adapters/stores/rows/catalogue_rows.hpp"
#include "adapters/stores/rows/copies_table.hpp"
#include "messages/ports/inventory.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::rows {

/// On one connection. `Database` has `each(sql, show, values...)` and
/// `run(sql, values...)`, `list(texts)`, which makes one value of many, and
/// `among(column, sign)`, which compares with them; what writes more than one
/// row is called inside a transaction, one writer at a time.
template <class Database>
class catalogue {
public:
  explicit catalogue(Database& in) : in_(in) {
    // nop
  }

  caf::error record(const inventory_entry& x);
  caf::expected<std::vector<inventory_object>> find(const inventory_search& x);
  caf::expected<std::vector<stored_file>> files(const std::string& identifier,
                                                std::uint32_t version);
  caf::expected<std::optional<std::string>>
  of_local_id(const std::string& owner, const std::string& local_id);
  caf::error bind(const std::string& owner, const std::string& local_id,
                  const std::string& identifier);
  caf::expected<std::vector<collection_use>> use(micros since_us);
  caf::expected<std::vector<recorded_use>> recorded(const recorded_query& what);

private:
  /// The text in the first column; nothing if there is no row.
  template <class... Values>
  caf::expected<std::optional<std::string>> text(std::string_view sql,
                                                 const Values&... values) {
    std::optional<std::string> out;
    auto failed = in_.each(
      sql,
      [&](const auto& row) {
        row.take(out.emplace());
        return caf::error{};
      },
      values...);
    if (failed)
      return failed;
    return out;
  }

  caf::error put_object(const inventory_entry& x);
  caf::error put_version(const inventory_entry& x, std::uint32_t number);
  caf::expected<std::vector<known_version>>
  versions_beside(const inventory_entry& x);
  caf::expected<std::vector<std::string>>
  identifiers(const inventory_search& x);
  caf::expected<inventory_object> object(const std::string& identifier);
  caf::error take_versions(inventory_object& to);

  Database& in_;
};

template <class Database>
caf::error catalogue<Database>::record(const inventory_entry& x) {
  if (auto fault = fault_of(x))
    return fault;
  const auto before = text("SELECT identifier FROM inventory_versions "
                           "WHERE job = $1",
                           x.version.job);
  if (!before)
    return before.error();
  if (*before && **before != x.identifier)
    return caf::make_error(ec::already_exists, "job " + x.version.job
                                                 + " has recorded " + **before
                                                 + " before");
  if (*before)
    return {};
  if (auto failed = put_object(x))
    return failed;
  for (const auto& one : x.local_ids)
    if (auto failed = bind(x.owner, one, x.identifier))
      return failed;
  const auto known = versions_beside(x);
  if (!known)
    return known.error();
  const auto [number, is_known] =
    number_for(*known, x.version.number, x.files);
  copies_table copies{in_};
  if (is_known)
    return copies.add(x.identifier, number, x.storage);
  if (auto failed = put_version(x, number))
    return failed;
  return copies.put(x.identifier, number, x.storage);
}

/// Of what the object has, all that `number_for` asks; without files where
/// none are compared.
template <class Database>
caf::expected<std::vector<known_version>>
catalogue<Database>::versions_beside(const inventory_entry& x) {
  std::vector<known_version> out;
  auto is_taken = false;
  auto failed = in_.each(
    "SELECT number FROM inventory_versions WHERE identifier = $1 "
    "AND (number = $2 OR number = (SELECT max(v.number) "
    "FROM inventory_versions v WHERE v.identifier = $1))",
    [&](const auto& from) {
      from.take(out.emplace_back().number);
      is_taken = is_taken || out.back().number == x.version.number;
      return caf::error{};
    },
    x.identifier, x.version.number);
  if (failed)
    return failed;
  if (is_taken)
    for (auto& one : out) {
      auto its_files = files(x.identifier, one.number);
      if (!its_files)
        return std::move(its_files.error());
      one.files = std::move(*its_files);
    }
  return out;
}

template <class Database>
caf::error catalogue<Database>::put_object(const inventory_entry& x) {
  stored_object row{x.identifier, x.collection, x.owner, {}};
  auto known = false;
  auto failed = in_.each(
    "SELECT identifier, collection, owner, storage, checksum "
    "FROM inventory_objects WHERE identifier = $1",
    [&](const auto& from) {
      known = true;
      return take_row(from, row);
    },
    x.identifier);
  if (failed)
    return failed;
  row.storage = with_targets(row.storage, x.storage);
  if (known)
    return in_.run("UPDATE inventory_objects SET storage = $1, checksum = $2 "
                   "WHERE identifier = $3",
                   row.storage, checksum_of(row), row.identifier);
  return in_.run("INSERT INTO inventory_objects (identifier, collection, "
                 "owner, storage, checksum) VALUES ($1, $2, $3, $4, $5)",
                 row.identifier, row.collection, row.owner, row.storage,
                 checksum_of(row));
}

template <class Database>
caf::error catalogue<Database>::put_version(const inventory_entry& x,
                                            std::uint32_t number) {
  auto v = x.version;
  v.number = number;
  if (auto failed = in_.run(
        "INSERT INTO inventory_versions (identifier, number, job, batch, "
        "\"user\", title, creator, \"date\", bytes, files, recorded_us, "
        "checksum, title_key) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, "
        "$11, $12, $13)",
        x.identifier, v.number, v.job, v.batch, v.user, v.title, v.creator,
        v.date, v.bytes, v.files, v.recorded_us, checksum_of(x.identifier, v),
        search_key(v.title)))
    return failed;
  std::uint64_t place = 0;
  for (const auto& file : x.files)
    if (auto failed = in_.run(
          "INSERT INTO inventory_files (identifier, version, place, path, "
          "bytes, sha512, checksum, path_key) "
          "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
          x.identifier, v.number, ++place, file.path, file.bytes, file.sha512,
          checksum_of(x.identifier, v.number, file), search_key(file.path)))
      return failed;
  return {};
}

template <class Database>
caf::expected<std::vector<std::string>>
catalogue<Database>::identifiers(const inventory_search& x) {
  std::vector<std::string> out;
  auto failed = in_.each(
    search_text(x, one_of<Database>("o.owner", "$8", x.owners),
                one_of<Database>("o.collection", "$9", x.collections)),
    [&](const auto& row) {
      row.take(out.emplace_back());
      return caf::error{};
    },
    x.identifier, x.owner, x.collection, x.after, x.local_id,
    pattern_of(x.title), pattern_of(x.file_name), Database::list(x.owners),
    Database::list(x.collections), std::min(x.count_max, inventory_answer_max));
  if (failed)
    return failed;
  return out;
}

template <class Database>
caf::expected<std::vector<inventory_object>>
catalogue<Database>::find(const inventory_search& x) {
  const auto names = identifiers(x);
  if (!names)
    return names.error();
  std::vector<inventory_object> out;
  for (const auto& name : *names) {
    auto one = object(name);
    if (!one)
      return std::move(one.error());
    out.push_back(std::move(*one));
  }
  return out;
}

template <class Database>
caf::expected<inventory_object>
catalogue<Database>::object(const std::string& identifier) {
  inventory_object out;
  auto failed = in_.each(
    "SELECT identifier, collection, owner, storage, checksum "
    "FROM inventory_objects WHERE identifier = $1",
    [&](const auto& from) {
      stored_object row;
      auto damaged = take_row(from, row);
      out = object_of(row);
      return damaged;
    },
    identifier);
  if (!failed)
    failed = in_.each(
      "SELECT local_id FROM inventory_local_ids WHERE identifier = $1 "
      "ORDER BY id",
      [&](const auto& from) {
        from.take(out.local_ids.emplace_back());
        return caf::error{};
      },
      identifier);
  if (!failed)
    failed = take_versions(out);
  if (failed)
    return failed;
  return out;
}

template <class Database>
caf::error catalogue<Database>::take_versions(inventory_object& to) {
  return in_.each(
    "SELECT number, job, batch, \"user\", title, creator, \"date\", bytes, "
    "files, recorded_us, checksum FROM inventory_versions "
    "WHERE identifier = $1 ORDER BY number",
    [&](const auto& from) {
      return take_row(from, to.identifier, to.versions.emplace_back());
    },
    to.identifier);
}

template <class Database>
caf::expected<std::vector<stored_file>>
catalogue<Database>::files(const std::string& identifier,
                           std::uint32_t version) {
  // The last one has the largest number.
  auto known = false;
  auto failed = in_.each(
    version == 0 ? "SELECT number FROM inventory_versions "
                   "WHERE identifier = $1 AND $2 = 0 ORDER BY number DESC "
                   "LIMIT 1"
                 : "SELECT number FROM inventory_versions "
                   "WHERE identifier = $1 AND number = $2",
    [&](const auto& from) {
      known = true;
      from.take(version);
      return caf::error{};
    },
    identifier, version);
  if (failed)
    return failed;
  if (!known)
    return caf::make_error(ec::not_found, identifier + " has no such version");
  std::vector<stored_file> out;
  failed = in_.each(
    "SELECT path, bytes, sha512, checksum FROM inventory_files "
    "WHERE identifier = $1 AND version = $2 ORDER BY place",
    [&](const auto& from) {
      return take_row(from, identifier, version, out.emplace_back());
    },
    identifier, version);
  if (failed)
    return failed;
  return out;
}

template <class Database>
caf::expected<std::optional<std::string>>
catalogue<Database>::of_local_id(const std::string& owner,
                                 const std::string& local_id) {
  return text("SELECT identifier FROM inventory_local_ids "
              "WHERE owner = $1 AND local_id = $2",
              owner, local_id);
}

template <class Database>
caf::error catalogue<Database>::bind(const std::string& owner,
                                     const std::string& local_id,
                                     const std::string& identifier) {
  if (local_id.empty() || local_id.size() > inventory_name_bytes_max)
    return caf::make_error(ec::invalid_argument,
                           "a local identifier has 1 to "
                             + std::to_string(inventory_name_bytes_max)
                             + " bytes");
  const auto bound = of_local_id(owner, local_id);
  if (!bound)
    return bound.error();
  if (*bound && **bound != identifier)
    return caf::make_error(ec::already_exists, "local identifier " + local_id
                                                 + " is " + **bound + "'s");
  if (*bound)
    return {};
  return in_.run("INSERT INTO inventory_local_ids (owner, local_id, "
                 "identifier) VALUES ($1, $2, $3)",
                 owner, local_id, identifier);
}

template <class Database>
caf::expected<std::vector<collection_use>>
catalogue<Database>::use(micros since_us) {
  std::vector<collection_use> out;
  auto failed = in_.each(
    "SELECT o.collection, count(DISTINCT v.identifier), count(*), "
    "CAST(sum(v.files) AS bigint), CAST(sum(v.bytes) AS bigint), "
    "CAST(sum(CASE WHEN v.recorded_us >= $1 THEN v.bytes ELSE 0 END) "
    "AS bigint) FROM inventory_versions v JOIN inventory_objects o "
    "ON o.identifier = v.identifier GROUP BY o.collection "
    "ORDER BY o.collection",
    [&](const auto& from) {
      auto& x = out.emplace_back();
      from.take(x.collection, x.objects, x.versions, x.files, x.bytes,
                x.bytes_since);
      return caf::error{};
    },
    since_us);
  if (failed)
    return failed;
  return out;
}

template <class Database>
caf::expected<std::vector<recorded_use>>
catalogue<Database>::recorded(const recorded_query& what) {
  std::vector<recorded_use> out;
  auto failed = in_.each(
    "SELECT o.collection, v.\"user\", count(DISTINCT v.identifier), count(*), "
    "CAST(sum(v.files) AS bigint), CAST(sum(v.bytes) AS bigint) "
    "FROM inventory_versions v JOIN inventory_objects o "
    "ON o.identifier = v.identifier "
    "WHERE v.recorded_us >= $1 AND v.recorded_us < $2 "
    "AND ($3 = '' OR v.\"user\" = $3) AND ($4 = '' OR o.collection = $4) "
    "GROUP BY o.collection, v.\"user\" ORDER BY o.collection, v.\"user\" "
    "LIMIT $5",
    [&](const auto& from) {
      auto& x = out.emplace_back();
      from.take(x.collection, x.user, x.objects, x.versions, x.files, x.bytes);
      return caf::error{};
    },
    what.from_us, what.until_us, what.user, what.collection,
    std::min(what.count_max, inventory_answer_max + 1));
  if (failed)
    return failed;
  return out;
}

} // namespace depositd::rows
