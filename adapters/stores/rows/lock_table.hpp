#pragma once

// Who works on which object: the same SQL in every store.

#include "adapters/stores/rows/catalogue_rows.hpp"
#include "messages/ports/inventory.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace depositd::rows {

/// On one connection, as the catalogue has it. Each function is one statement,
/// so that of many who want a lock one gets it.
template <class Database>
class lock_table {
public:
  explicit lock_table(Database& in) : in_(in) {
    // nop
  }

  /// False: somebody else has it. `ec::invalid_argument`: it has no name or no
  /// holder.
  caf::expected<bool> lock(const object_lock& x, micros now) {
    if (x.name.empty() || x.holder.empty()
        || x.name.size() > inventory_name_bytes_max + 128)
      return caf::make_error(ec::invalid_argument,
                             "a lock needs a name and a holder");
    return has_row("INSERT INTO inventory_locks (name, holder, token, "
                   "until_us) VALUES ($1, $2, $3, $4) ON CONFLICT (name) "
                   "DO UPDATE SET holder = excluded.holder, "
                   "token = excluded.token, until_us = excluded.until_us "
                   "WHERE CASE WHEN inventory_locks.holder = excluded.holder "
                   "THEN inventory_locks.token <= excluded.token "
                   "ELSE inventory_locks.until_us <= $5 END RETURNING name",
                   x.name, x.holder, x.token, x.until_us, now);
  }

  caf::expected<bool> holds(const object_lock& x, micros now) {
    return has_row("SELECT 1 FROM inventory_locks WHERE name = $1 "
                   "AND holder = $2 AND token = $3 AND until_us > $4",
                   x.name, x.holder, x.token, now);
  }

  caf::error unlock_all(const std::string& holder, std::uint64_t token) {
    return in_.run("DELETE FROM inventory_locks WHERE holder = $1 "
                   "AND token <= $2",
                   holder, std::min(token, any_token));
  }

  caf::expected<std::uint64_t> newest_token(const std::string& holder) {
    std::uint64_t out = 0;
    auto failed = in_.each(
      "SELECT token FROM inventory_locks WHERE holder = $1 "
      "ORDER BY token DESC LIMIT 1",
      [&](const auto& row) {
        row.take(out);
        return caf::error{};
      },
      holder);
    if (failed)
      return failed;
    return out;
  }

private:
  template <class... Values>
  caf::expected<bool> has_row(std::string_view sql, const Values&... values) {
    auto found = false;
    auto failed = in_.each(
      sql,
      [&](const auto&) {
        found = true;
        return caf::error{};
      },
      values...);
    if (failed)
      return failed;
    return found;
  }

  Database& in_;
};

} // namespace depositd::rows
