#pragma once

// The table of live items, row by row. Each writer keeps the table's sum.

#include "adapters/stores/files/row_checksum.hpp"
#include "adapters/stores/sqlite/database.hpp"
#include "messages/values/rows.hpp"

#include <functional>
#include <vector>

namespace depositd::sqlite {

class item_rows {
public:
  explicit item_rows(database& file);

  // -- inside a transaction

  caf::error put(const std::vector<item_row>& rows, table_sum& sum);

  /// Adds the places that bodies moved away from to `freed`.
  caf::error change(const std::vector<item_change>& changes, table_sum& sum,
                    std::vector<body_location>& freed);

  /// Adds the places of the bodies to `freed`.
  caf::error drop(const std::vector<item_id>& ids, table_sum& sum,
                  std::vector<body_location>& freed);

  // -- reads

  /// Shows every row, by user and id; `ec::store_damaged` without showing any
  /// if they are not what `sum` says.
  caf::error load(const table_sum& sum,
                  const std::function<void(const item_row&)>& show);

  caf::expected<item_row> one(item_id id);

  caf::expected<std::vector<item_row>> of_queue(const std::string& queue,
                                                std::uint32_t count_max);

private:
  std::uint64_t checksum_of(const item_row& row);

  /// Takes the row that the statement stands on.
  caf::error read(const statement& from, item_row& out);

  caf::error missing(item_id id) const;

  database& file_;
  row_checksum checksum_;
  std::uint64_t stored_ = 0; ///< checksum of the row read last
};

} // namespace depositd::sqlite
