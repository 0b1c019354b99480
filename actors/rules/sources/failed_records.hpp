#pragma once

// Failed records as a table that people edit and feed again.

#include "messages/values/errors.hpp"
#include "messages/values/sources.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace depositd::rules {

/// A record that failed, or that was bad.
struct failed_record {
  std::string key;
  std::string user;
  std::string error;
  std::string body;

  friend bool operator==(const failed_record&, const failed_record&) = default;
};

/// Header `key,user,error,body` and a row each (RFC 4180). A cell that a
/// spreadsheet would take for a formula gets an apostrophe, which reading takes
/// away again.
std::string write_failed(const std::vector<failed_record>& records);

/// Reads such a table after somebody edited it: columns by their names in any
/// order, `error` may be missing, further ones are passed over. `ec::malformed`
/// names the row; `ec::too_large` for more than `records_max` rows.
caf::expected<std::vector<failed_record>> read_failed(std::string_view csv,
                                                      std::size_t records_max);

} // namespace depositd::rules
