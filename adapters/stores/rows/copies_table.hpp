#pragma once

// Which targets were given which version, beside the tables of catalogue.hpp
// and as they are. A version without a row was recorded before there were any.

#include "messages/ports/storage_target.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace depositd::rows {

/// On one connection; `Database` as for `catalogue`. What writes is called
/// inside a transaction.
template <class Database>
class copies_table {
public:
  explicit copies_table(Database& in) : in_(in) {
    // nop
  }

  /// Of a version that is new.
  caf::error put(const std::string& object, std::uint32_t version,
                 const std::vector<std::string>& targets);
  /// Of a version that is there. Where nobody wrote down who was given it,
  /// naming some would say that there were no others.
  caf::error add(const std::string& object, std::uint32_t version,
                 const std::vector<std::string>& targets);
  /// All targets that were given the file in any version; nothing if there is
  /// no such file, or a version with it of which that is not known.
  caf::expected<std::optional<std::vector<std::string>>>
  targets_of(const std::string& object, const stored_file& file);

private:
  Database& in_;
};

template <class Database>
caf::error
copies_table<Database>::put(const std::string& object, std::uint32_t version,
                            const std::vector<std::string>& targets) {
  for (const auto& target : targets)
    if (auto failed = in_.run(
          "INSERT INTO inventory_copies (identifier, version, target) "
          "VALUES ($1, $2, $3) "
          "ON CONFLICT (identifier, version, target) DO NOTHING",
          object, version, target))
      return failed;
  return {};
}

template <class Database>
caf::error
copies_table<Database>::add(const std::string& object, std::uint32_t version,
                            const std::vector<std::string>& targets) {
  auto known = false;
  auto failed = in_.each(
    "SELECT target FROM inventory_copies "
    "WHERE identifier = $1 AND version = $2 LIMIT 1",
    [&](const auto&) {
      known = true;
      return caf::error{};
    },
    object, version);
  return failed || !known ? failed : put(object, version, targets);
}

template <class Database>
caf::expected<std::optional<std::vector<std::string>>>
copies_table<Database>::targets_of(const std::string& object,
                                   const stored_file& file) {
  std::set<std::string> all;
  auto failed = in_.each(
    "SELECT coalesce(c.target, '') FROM inventory_files f "
    "LEFT JOIN inventory_copies c ON c.identifier = f.identifier "
    "AND c.version = f.version "
    "WHERE f.identifier = $1 AND f.path = $2 AND f.sha512 = $3",
    [&](const auto& row) {
      std::string target;
      row.take(target);
      all.insert(std::move(target));
      return caf::error{};
    },
    object, file.path, file.sha512);
  if (failed)
    return failed;
  std::optional<std::vector<std::string>> out;
  if (!all.empty() && !all.contains(std::string{}))
    out.emplace(all.begin(), all.end());
  return out;
}

} // namespace depositd::rows
