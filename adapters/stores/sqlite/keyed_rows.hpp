#pragma once

// The small tables that recovery loads: rings and control rows. Each writer
// keeps the table's sum.

#include "adapters/stores/files/row_checksum.hpp"
#include "adapters/stores/sqlite/database.hpp"
#include "messages/values/rows.hpp"

#include <functional>
#include <vector>

namespace depositd::sqlite {

/// `ec::store_damaged` if what was found is not what was written.
caf::error compare(const database& file, const char* table,
                   const table_sum& found, const table_sum& written);

/// Where users stand in rings.
class ring_rows {
public:
  explicit ring_rows(database& file);

  /// Puts or replaces rows, inside a transaction.
  caf::error put(const std::vector<ring_row>& rows, table_sum& sum);

  /// Shows every row. `ec::store_damaged` after the last one if they are not
  /// what `sum` says.
  caf::error load(const table_sum& sum,
                  const std::function<void(const ring_row&)>& show);

private:
  std::uint64_t checksum_of(const ring_row& row);

  database& file_;
  row_checksum checksum_;
};

/// What operators set.
class control_rows {
public:
  explicit control_rows(database& file);

  /// Puts or replaces rows, inside a transaction.
  caf::error put(const std::vector<control_row>& rows, table_sum& sum);

  /// Shows every row. `ec::store_damaged` after the last one if they are not
  /// what `sum` says.
  caf::error load(const table_sum& sum,
                  const std::function<void(const control_row&)>& show);

private:
  std::uint64_t checksum_of(const control_row& row);

  database& file_;
  row_checksum checksum_;
};

} // namespace depositd::sqlite
