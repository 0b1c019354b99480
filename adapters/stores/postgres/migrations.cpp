#include "adapters/stores/postgres/migrations.hpp"

#include "adapters/stores/postgres/statements.hpp"

namespace depositd::postgres {

namespace {

caf::error apply_missing(connection& to, std::uint64_t version) {
  const auto& steps = migrations();
  for (auto next = version; next < steps.size(); ++next) {
    if (auto error = to.script(std::string{steps[next]}))
      return error;
    if (auto error = to.execute(statements::put_version, parameters{next + 1}))
      return error;
  }
  return {};
}

} // namespace

caf::error migrate(connection& to) {
  return to.transact([&]() -> caf::error {
    if (auto error = to.execute(statements::lock_schema))
      return error;
    if (auto error = to.script(std::string{statements::version_table}))
      return error;
    const auto found = to.run(statements::version);
    if (!found)
      return found.error();
    const auto version = found->number(0, 0);
    if (version > migrations().size())
      return caf::make_error(
        ec::store_failed,
        "postgres: the schema has version " + std::to_string(version)
          + ", this depositd knows " + std::to_string(migrations().size())
          + ": a later depositd has used this database");
    return apply_missing(to, version);
  });
}

} // namespace depositd::postgres
