#pragma once

// The tables of the projection of one shard. Each writer keeps the sum of its
// table where recovery needs one.

#include "adapters/stores/files/row_checksum.hpp"
#include "adapters/stores/postgres/connection.hpp"
#include "messages/ports/projection_store.hpp"
#include "messages/values/rows.hpp"

#include <functional>
#include <string>
#include <vector>

namespace depositd::postgres {

/// `ec::store_damaged`; says that it is in PostgreSQL.
caf::error damaged_table(const std::string& what);

/// `ec::store_damaged` if what was found is not what was written.
caf::error compare(const char* table, const table_sum& found,
                   const table_sum& written);

/// Runs a statement that inserts; a key that is there already is damage.
caf::error insert(connection& to, std::string_view sql, const parameters& x,
                  const char* table);

/// Live items.
class item_table {
public:
  explicit item_table(std::uint32_t shard) : shard_(shard) {
    // nop
  }

  // -- inside a transaction

  caf::error put(connection& to, const std::vector<item_row>& rows,
                 table_sum& sum);

  /// Adds the places that bodies moved away from to `freed`.
  caf::error change(connection& to, const std::vector<item_change>& changes,
                    table_sum& sum, std::vector<body_location>& freed);

  /// Adds the places of the bodies to `freed`.
  caf::error drop(connection& to, const std::vector<item_id>& ids,
                  table_sum& sum, std::vector<body_location>& freed);

  // -- reads

  /// Shows every row, by user and id. `ec::store_damaged` after the last one if
  /// they are not what `sum` says.
  caf::error load(connection& from, const table_sum& sum,
                  const std::function<void(const item_row&)>& show);

  /// Rows that the condition chooses; parameters begin with the shard.
  caf::expected<std::vector<item_row>>
  find(connection& from, std::string_view condition, const parameters& x);

private:
  std::uint64_t checksum_of(const item_row& row);
  caf::error read(const result& rows, int row, item_row& out);

  std::uint32_t shard_;
  row_checksum checksum_;
};

/// Where users stand in rings, and what operators set.
class keyed_tables {
public:
  explicit keyed_tables(std::uint32_t shard) : shard_(shard) {
    // nop
  }

  caf::error put(connection& to, const std::vector<ring_row>& rows,
                 table_sum& sum);
  caf::error put(connection& to, const std::vector<control_row>& rows,
                 table_sum& sum);

  /// Shows every row. `ec::store_damaged` after the last one if they are not
  /// what `sum` says.
  caf::error load(connection& from, const table_sum& sum,
                  const std::function<void(const ring_row&)>& show);
  caf::error load(connection& from, const table_sum& sum,
                  const std::function<void(const control_row&)>& show);

private:
  std::uint64_t checksum_of(const ring_row& row);
  std::uint64_t checksum_of(const control_row& row);

  std::uint32_t shard_;
  row_checksum checksum_;
};

/// Submissions with what pollers get; checked row by row.
class submission_table {
public:
  explicit submission_table(std::uint32_t shard) : shard_(shard) {
    // nop
  }

  caf::error put(connection& to, const std::vector<submission_row>& rows);

  /// Changes of submissions that are forgotten already do nothing.
  caf::error change(connection& to,
                    const std::vector<submission_change>& changes);

  caf::expected<std::vector<submission_row>>
  find(connection& from, const submission_query& query);

  /// Shows a page of what came from the source since a time, behind `last`,
  /// which becomes the last one shown. Returns whether there may be more.
  caf::expected<bool> show_received(
    connection& from, const std::string& source, micros since_us,
    projection_store::received_row& last,
    const std::function<void(const projection_store::received_row&)>& show);

private:
  std::uint64_t checksum_of(const submission_row& row,
                            std::uint64_t document_sum);
  std::uint64_t document_sum_of(const submission_row& row);

  /// Takes a row without its document; gives the checksum that has.
  caf::expected<std::uint64_t> read(const result& rows, int row,
                                    submission_row& out);

  std::uint32_t shard_;
  row_checksum checksum_;
};

/// Columns of parameters that grow row by row.
template <class... Values>
void add_row(std::vector<column>& to, const Values&... values) {
  std::size_t at = 0;
  (to[at++].add(values), ...);
}

/// Columns by letter: n numbers, t texts, b bytes.
std::vector<column> columns(std::string_view kinds);

/// The shard, then the columns.
parameters with_columns(std::uint32_t shard, const std::vector<column>& all);

} // namespace depositd::postgres
