#pragma once

// The tables of submissions and of what pollers get. They are the archive, so
// they are checked row by row when they are read, not as a whole at start.

#include "adapters/stores/files/row_checksum.hpp"
#include "adapters/stores/sqlite/database.hpp"
#include "messages/values/rows.hpp"

#include <vector>

namespace depositd::sqlite {

class submission_rows {
public:
  explicit submission_rows(database& file);

  // -- inside a transaction

  caf::error put(const std::vector<submission_row>& rows);

  /// Changes of submissions that are forgotten already do nothing.
  caf::error change(const std::vector<submission_change>& changes);

  /// Removes finished ones, oldest first; returns how many.
  caf::expected<std::uint64_t> forget(micros finished_before_us,
                                      std::uint32_t count_max);

  // -- reads

  caf::expected<std::vector<submission_row>>
  find(const submission_query& query);

  caf::expected<bool> names_blob(const std::string& sha256);

private:
  std::uint64_t checksum_of(const submission_row& row, bool documented);

  /// Takes the row that the statement stands on, without its document. Returns
  /// whether it has one.
  caf::expected<bool> read(const statement& from, submission_row& out);

  caf::error put_document(const submission_row& row);
  caf::error read_document(submission_row& row);

  database& file_;
  row_checksum checksum_;
};

} // namespace depositd::sqlite
