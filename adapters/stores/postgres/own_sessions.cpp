#include "adapters/stores/postgres/own_sessions.hpp"

namespace depositd::postgres {

// Nothing here is prepared: such a pooler would not find it again.

caf::error check_apart(connection& one, connection& other) {
  const auto* set = "SELECT set_config('depositd.session', '";
  if (auto error = one.script(std::string{set} + "one', false)"))
    return error;
  if (auto error = other.script(std::string{set} + "other', false)"))
    return error;
  // A script cannot be read, but divides by nothing where it is not ours.
  auto failed = one.script("SELECT 1 / (coalesce(current_setting("
                           "'depositd.session', true), '') = 'one')::int");
  if (!failed || one.state() != "22012")
    return failed;
  return caf::make_error(
    ec::store_failed,
    std::string{"postgres: two connections were given one session: a pooler "
                "that lends sessions out by transaction or statement may not "
                "stand in between (pgbouncer: pool_mode = session)"});
}

caf::error check_own_sessions(const connection_options& options) {
  auto one = connection::open(options);
  if (!one)
    return std::move(one.error());
  auto other = connection::open(options);
  if (!other)
    return std::move(other.error());
  return check_apart(**one, **other);
}

} // namespace depositd::postgres
