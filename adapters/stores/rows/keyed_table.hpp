#pragma once

// A table of rows that are found by a key and replaced: rings, control rows.

#include "adapters/stores/rows/checked_rows.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace depositd::rows {

template <class Database, class Row, class Sql>
class keyed_table {
public:
  explicit keyed_table(Database& in) : in_(in) {
    // nop
  }

  /// Puts or replaces rows, or removes those that are gone, inside a
  /// transaction, and keeps the table's sum.
  caf::error put(const std::vector<Row>& rows, table_sum& sum) {
    auto last = last_of_each(rows);
    const auto going = std::stable_partition(
      last.begin(), last.end(), [](const auto* x) { return !x->gone; });
    const std::vector<const Row*> gone(going, last.end());
    last.erase(going, last.end());
    const auto forget = [&](const auto& old) {
      sum.drop(old.number(0));
      return caf::error{};
    };
    if (auto failed = in_.each_of(Sql::checksum, last, forget))
      return failed;
    if (auto failed = in_.each_of(Sql::drop, gone, forget))
      return failed;
    auto to = in_.writer(Sql::put, with_checksum<Row>());
    for (const auto* x : last) {
      const auto checksum = checked_.checksum_of(*x);
      if (auto error = to.add_row(*x, checksum))
        return error;
      sum.put(checksum);
    }
    return to.finish();
  }

  /// Shows every row. `ec::store_damaged` after the last one if they are not
  /// what `sum` says.
  caf::error load(const table_sum& sum,
                  const std::function<void(const Row&)>& show) {
    return load_rows(in_, Sql::all, checked_, sum, show);
  }

private:
  /// By key. Of several under one key the last counts.
  static std::vector<const Row*> last_of_each(const std::vector<Row>& rows) {
    std::vector<const Row*> out;
    for (auto x = rows.rbegin(); x != rows.rend(); ++x)
      out.push_back(&*x);
    std::stable_sort(out.begin(), out.end(), [](const auto* x, const auto* y) {
      return key_of(*x) < key_of(*y);
    });
    const auto end =
      std::unique(out.begin(), out.end(), [](const auto* x, const auto* y) {
        return key_of(*x) == key_of(*y);
      });
    out.erase(end, out.end());
    return out;
  }

  Database& in_;
  checked_rows<Row> checked_;
};

} // namespace depositd::rows
