#include "adapters/stores/postgres/migrations.hpp"

#include "adapters/stores/postgres/statements.hpp"
#include "messages/values/claimed_version.hpp"
// Compiled again for programs that tests reach into.
#include "messages/values/test_points.hpp"

#include <string>

namespace depositd::postgres {

namespace {

caf::error apply_missing(connection& to, std::uint64_t version) {
  const auto& steps = migrations();
  for (auto next = version; next < schema_known(); ++next) {
    // A version that is only claimed has no steps of its own.
    if (next < steps.size())
      if (auto error = to.script(std::string{steps[next]}))
        return error;
    if (auto error = to.execute(statements::put_version, parameters{next + 1}))
      return error;
  }
  return {};
}

caf::error in_use(std::uint64_t version, const std::string& who) {
  return caf::make_error(
    ec::store_failed,
    "postgres: " + who + " on this schema of version "
      + std::to_string(version) + ", which this depositd brings to "
      + std::to_string(schema_known())
      + ": stop all engines of this database first");
}

/// Engines that share shards say that they are alive.
caf::error nobody_shares(connection& to, std::uint64_t version) {
  if (version < statements::engines_since)
    return {};
  const auto found = to.run(statements::engines_alive);
  if (!found)
    return found.error();
  if (found->rows() == 0)
    return {};
  std::string name;
  std::string address;
  found->read(0, 0, name);
  found->read(0, 1, address);
  return in_use(version, "engine " + name + " at " + address
                           + " was alive a moment ago");
}

/// An engine that is alone holds the lock of its shard; one that was killed
/// does for as long as the server takes to notice.
caf::error nobody_is_alone(connection& to, std::uint64_t version) {
  if (auto error = to.script("SET LOCAL lock_timeout = '5s'"))
    return error;
  if (auto error = to.execute(statements::lock_only_shard))
    return to.state() == "55P03" ? in_use(version, "another engine runs")
                                 : error;
  return to.script("SET LOCAL lock_timeout = 0");
}

/// A name that a table cannot take would stop the projection for good, however
/// long it has worked without one, and no database ever gets another encoding.
/// A copy of it does, and loses nothing.
caf::error check_encoding(connection& to) {
  const auto found = to.run(statements::encoding);
  if (!found)
    return found.error();
  const auto name = found->raw(0, 0);
  // The second one takes bytes as they are.
  if (name == "UTF8" || name == "SQL_ASCII")
    return {};
  return caf::make_error(ec::bad_setting,
                         "store.url: the database keeps texts in "
                           + std::string{name}
                           + ", which has not every letter: make one with "
                             "ENCODING 'UTF8', and if this one has been used, "
                             "copy it there with pg_dump");
}

} // namespace

std::uint64_t schema_known() {
  return std::stoull(
    claimed("DEPOSITD_CLAIM_SCHEMA", std::to_string(migrations().size())));
}

caf::error migrate(connection& to) {
  return to.transact([&]() -> caf::error {
    if (auto error = check_encoding(to))
      return error;
    if (auto error = to.execute(statements::lock_schema))
      return error;
    if (auto error = to.script(std::string{statements::version_table}))
      return error;
    const auto found = to.run(statements::version);
    if (!found)
      return found.error();
    const auto version = found->number(0, 0);
    if (version > schema_known())
      return caf::make_error(
        ec::store_failed,
        "postgres: the schema has version " + std::to_string(version)
          + ", this depositd knows " + std::to_string(schema_known())
          + ": a later depositd has used this database");
    if (version > 0 && version < schema_known()) {
      if (auto error = nobody_shares(to, version))
        return error;
      if (auto error = nobody_is_alone(to, version))
        return error;
    }
    return apply_missing(to, version);
  });
}

} // namespace depositd::postgres
