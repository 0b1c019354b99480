#pragma once

// SQL of records of sources.

#include "adapters/stores/rows/record_table.hpp"
#include "adapters/stores/sqlite/statements.hpp"

#include <string>
#include <string_view>

namespace depositd::sqlite::statements {

/// The row that has the key.
constexpr std::string of_record_key() {
  const auto key = fields_of<record_row>(is::key);
  return joined(
    {"WHERE (", listed(key), ") = (", rows::parameters('?', key.size()), ")"});
}

/// For `rows::record_table`.
struct records {
  static constexpr auto put = constant([] {
    const auto text = rows::insert("records", rows::record_fields(), '?');
    return joined({"INSERT OR REPLACE", std::string_view{text}.substr(6)});
  });
  static constexpr auto checksum = constant(
    [] { return select_from<record_row>({{"checksum"}}) + of_record_key(); });
  static constexpr auto of_key = constant([] {
    return select_from<record_row>(rows::bare_record_fields())
           + of_record_key();
  });
  static constexpr auto change = constant([] {
    return joined({"UPDATE records SET ",
                   listed(rows::record_end_fields(), "{} = ?"),
                   " WHERE source = ? AND made_us = ? AND \"key\" = ? "
                   "AND refused = 0"});
  });
  static constexpr auto drop_one =
    constant([] { return "DELETE FROM records " + of_record_key(); });
  static constexpr std::string_view drop_refused =
    "DELETE FROM records WHERE source = ?1 AND made_us = ?2 "
    "AND refused IN (SELECT value FROM json_each(?3)) AND refused <> 0 "
    "RETURNING checksum";
  static constexpr std::string_view drop_source =
    "DELETE FROM records WHERE source = ?1 AND made_us <= ?2 "
    "RETURNING checksum";
  static constexpr auto all = constant([] {
    return select_from<record_row>(rows::bare_record_fields())
           + "ORDER BY place";
  });
  static constexpr auto failed = constant([] {
    return select_from<record_row>(rows::record_fields())
           + "WHERE source = ?1 AND made_us = ?2 AND place > ?3 AND state = 5 "
             "ORDER BY place LIMIT ?4";
  });
};

} // namespace depositd::sqlite::statements
