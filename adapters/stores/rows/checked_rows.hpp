#pragma once

// Rows with their checksums, whatever store they are in.

#include "adapters/stores/rows/row_columns.hpp"
#include "messages/values/errors.hpp"

#include <functional>

namespace depositd::rows {

/// Sums and reads the rows of one table; keeps its memory for the next row.
///
/// What a store keeps of a row besides its columns (`more`) stands behind them
/// and counts in the checksum, which comes last. Columns that came with a later
/// version count up to the last that says something, so that the rows of before
/// keep their checksum.
template <class Row>
class checked_rows {
public:
  template <class... More>
  std::uint64_t checksum_of(const Row& row, const More&... more) {
    bytes_.of(table_name<Row>);
    with_values_that<0, is::added>(
      row, [&](const auto&... values) { bytes_.all(values..., more...); });
    with_values_that<is::added>(row, [&](const auto&... values) {
      [[maybe_unused]] auto at = 0;
      [[maybe_unused]] auto end = 0;
      ((++at, end = says_nothing(values) ? end : at), ...);
      at = 0;
      ((at++ < end ? void(bytes_.add(values)) : void()), ...);
    });
    return bytes_.value();
  }

  /// Takes the row that `from` stands on; returns its checksum.
  /// `ec::store_damaged` if that is not what it should be.
  template <class Source, class... More>
  caf::expected<std::uint64_t> read(const Source& from, Row& row,
                                    More&... more) {
    auto at = 0;
    with_values(row, [&](auto&... values) {
      (from.read(at++, values), ...);
      (from.read(at++, more), ...);
    });
    const auto stored = from.number(at);
    if (stored != checksum_of(row, more...))
      return from.damaged(described(row) + " does not match its checksum");
    return stored;
  }

private:
  template <class T>
  static bool says_nothing(const T& value) {
    return value == T{};
  }

  row_checksum bytes_;
};

/// `ec::store_damaged` if the rows of a table that were found are not those
/// that `sum` says.
template <class Row, class Database>
caf::error check_sum(const Database& in, const table_sum& found,
                     const table_sum& sum) {
  if (found == sum)
    return {};
  return in.damaged("table " + std::string{Database::template table<Row>}
                    + " has " + std::to_string(found.rows)
                    + " rows that are not the " + std::to_string(sum.rows)
                    + " last written");
}

/// Shows every row that the statement gives. `ec::store_damaged` after the last
/// one if they are not what `sum` says.
template <class Database, class Row>
caf::error load_rows(Database& in, std::string_view sql,
                     checked_rows<Row>& checked, const table_sum& sum,
                     const std::function<void(const Row&)>& show) {
  table_sum found;
  Row x;
  auto failed = in.load(sql, [&](const auto& from) {
    const auto checksum = checked.read(from, x);
    if (!checksum)
      return checksum.error();
    found.put(*checksum);
    show(x);
    return caf::error{};
  });
  return failed ? failed : check_sum<Row>(in, found, sum);
}

/// Checksum of the document of a submission; uses the memory of `by`.
inline std::uint64_t document_sum_of(const submission_row& x,
                                     row_checksum& by) {
  return by.of("documents").all(x.id, x.document).value();
}

/// `ec::store_damaged` if the document is not what was written.
template <class Source>
caf::error check_document(const Source& from, const submission_row& x,
                          bool is_whole) {
  return is_whole ? caf::error{}
                  : from.damaged("the document of " + described(x)
                                 + " does not match its checksum");
}

/// Checksum of what was sent with a submission; uses the memory of `by`.
inline std::uint64_t contents_sum_of(const submission_row& x,
                                     row_checksum& by) {
  return by.of("contents").all(x.id, x.contents).value();
}

/// `ec::store_damaged` if it is not what was written.
template <class Source>
caf::error check_contents(const Source& from, const submission_row& x,
                          bool is_whole) {
  return is_whole ? caf::error{}
                  : from.damaged("the contents of " + described(x)
                                 + " do not match their checksum");
}

} // namespace depositd::rows
