#pragma once

// SQL of records of sources. The first parameter is the shard.

#include "adapters/stores/postgres/projection_statements.hpp"
#include "adapters/stores/rows/record_table.hpp"

#include <string>
#include <string_view>

namespace depositd::postgres::statements {

/// The rows called r that have the keys called x. Keys may be longer than an
/// entry of an index, which therefore has their digests.
constexpr std::string have_record_keys(std::string_view refused) {
  return joined({"WHERE r.shard = $1 AND "
                 "(r.source, r.made_us, md5(r.\"key\"), r.refused) = "
                 "(x.source, x.made_us, md5(x.\"key\"), ",
                 refused, ") AND r.\"key\" = x.\"key\""});
}

/// Of the rows of the keys that are given.
constexpr std::string select_records(const fields& what) {
  return joined({"SELECT ", listed(what, "r.{}"), " FROM record_rows AS r, ",
                 arrays(fields_of<record_row>(is::key)), " ",
                 have_record_keys("x.refused")});
}

/// For `rows::record_table`.
struct records {
  static constexpr auto put = constant([] {
    const auto set =
      fields{{"queue"}, {"user"}, {"id"}} + rows::record_end_fields();
    return joined({insert<record_row>(rows::record_fields()),
                   " ON CONFLICT (shard, source, made_us, (md5(\"key\")), "
                   "refused) DO UPDATE SET ",
                   listed(set, "{} = excluded.{}")});
  });
  static constexpr auto checksum =
    constant([] { return select_records({{"checksum"}}); });
  static constexpr auto of_key =
    constant([] { return select_records(rows::bare_record_fields()); });
  static constexpr auto change = constant([] {
    const auto set = rows::record_end_fields();
    return joined({"UPDATE record_rows AS r SET ", listed(set, "{} = x.{}"),
                   " FROM ", arrays(set + rows::record_key_fields()), " ",
                   have_record_keys("0")});
  });
  /// Tells the checksums, too.
  static constexpr auto drop_one = constant([] {
    return joined({"DELETE FROM record_rows AS r USING ",
                   arrays(fields_of<record_row>(is::key)), " ",
                   have_record_keys("x.refused"), " RETURNING r.checksum"});
  });
  static constexpr std::string_view drop_refused =
    "DELETE FROM record_rows WHERE shard = $1 AND source = $2 "
    "AND made_us = $3 AND refused = ANY($4::bigint[]) AND refused <> 0 "
    "RETURNING checksum";
  static constexpr std::string_view drop_source =
    "DELETE FROM record_rows WHERE shard = $1 AND source = $2 "
    "AND made_us <= $3 RETURNING checksum";
  static constexpr auto all = constant([] {
    return select_from<record_row>(rows::bare_record_fields())
           + "ORDER BY place";
  });
  static constexpr auto failed = constant([] {
    return select_from<record_row>(rows::record_fields())
           + "AND source = $2 AND made_us = $3 AND place > $4 AND state = 5 "
             "ORDER BY place LIMIT $5";
  });
};

} // namespace depositd::postgres::statements
