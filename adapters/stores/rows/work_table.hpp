#pragma once

// The table of batches or of jobs, whatever database it is in. Rows stay after
// their item has left; those whose item lives, which recovery loads, have their
// sum.

#include "adapters/stores/rows/changes.hpp"
#include "adapters/stores/rows/checked_rows.hpp"
#include "messages/ports/projection_store.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <vector>

namespace depositd::rows {

/// Rows in tables of `Database`, asked with the statements of `Sql`, which says
/// what it keeps of a row besides its columns, for its indexes: `keys_of`, and
/// of what seldom changes `seldom_keys_of`. Each writer, which runs inside a
/// transaction, keeps the sum of those whose items live.
template <class Database, class Row, class Sql>
class work_table {
  static bool lives(const Row& x) {
    return !x.queue.empty();
  }

  static bool changes_seldom(const batch_change&) {
    return false;
  }

  static bool changes_seldom(const job_change& x) {
    return x.has_facts;
  }

  auto seldom_writer() {
    return in_.writer(Sql::change_seldom, fields_of<Row>(is::seldom)
                                            + Sql::seldom_keys()
                                            + fields{{"id"}});
  }

  static caf::error add_seldom(auto& to, const Row& x) {
    return std::apply(
      [&](const auto&... keys) { return to.add_seldom(x, keys..., x.id); },
      Sql::seldom_keys_of(x));
  }

public:
  explicit work_table(Database& in) : in_(in) {
    // nop
  }

  caf::error put(const std::vector<Row>& all, table_sum& live) {
    auto to = in_.writer(Sql::put, with_checksum<Row>() + Sql::keys());
    for (const auto& x : all) {
      const auto checksum = checked_.checksum_of(x);
      auto error = std::apply(
        [&](const auto&... keys) { return to.add_row(x, checksum, keys...); },
        Sql::keys_of(x));
      if (error)
        return error;
      if (lives(x))
        live.put(checksum);
    }
    return to.finish();
  }

  template <class Change>
  caf::error change(const std::vector<Change>& changes, table_sum& live) {
    const changes_by_id by_id{changes};
    auto to = in_.writer(Sql::change, fields_of<Row>(is::changing)
                                        + fields{{"checksum"}, {"id"}});
    std::optional<decltype(seldom_writer())> apart;
    Row x;
    std::size_t count = 0;
    auto failed = in_.each_of(Sql::of_id, by_id.ids(), [&](const auto& from) {
      const auto before = checked_.read(from, x);
      if (!before)
        return before.error();
      if (lives(x))
        live.drop(*before);
      auto seldom = false;
      by_id.each(x.id, [&](const Change& change) {
        apply_change(x, change);
        seldom = seldom || changes_seldom(change);
      });
      const auto after = checked_.checksum_of(x);
      if (lives(x))
        live.put(after);
      ++count;
      auto error = to.add_changing(x, after, x.id);
      if (error || !seldom)
        return error;
      if (!apart)
        apart.emplace(seldom_writer());
      return add_seldom(*apart, x);
    });
    if (!failed && count != by_id.ids().size())
      failed = in_.damaged("one of the " + std::string{table_name<Row>}
                           + " that is to change is missing");
    if (!failed)
      failed = to.finish();
    return failed || !apart ? failed : apart->finish();
  }

  /// Removes the rows of these batches, if they are there.
  caf::error drop(std::vector<item_id> batches, table_sum& live) {
    std::sort(batches.begin(), batches.end());
    auto failed = in_.each_of(Sql::live, batches, [&](const auto& from) {
      live.drop(from.number(0));
      return caf::error{};
    });
    if (failed)
      return failed;
    return in_.each_of(Sql::drop, batches,
                       [](const auto&) { return caf::error{}; });
  }

  /// Shows every row whose item lives, by id. `ec::store_damaged` after the
  /// last one if they are not what `live` says.
  caf::error load(const table_sum& live,
                  const std::function<void(const Row&)>& show) {
    return load_rows(in_, Sql::all_live, checked_, live, show);
  }

  template <class Query>
  caf::expected<std::vector<Row>> find(const Query& query) {
    std::vector<Row> out;
    auto failed = Sql::find(in_, query, [&](const auto& from) {
      const auto checksum = checked_.read(from, out.emplace_back());
      return checksum ? caf::error{} : checksum.error();
    });
    if (failed)
      return failed;
    return out;
  }

private:
  Database& in_;
  checked_rows<Row> checked_;
};

} // namespace depositd::rows
