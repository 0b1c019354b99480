#pragma once

// Rows as JSON objects.

#include "adapters/sources/sql/session.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace depositd::sources::sql {

/// Writes rows of one answer, which must outlive it.
class row_writer {
public:
  explicit row_writer(const answer& rows);

  /// The columns in their order. Of several of one name the first counts, the
  /// others are left out. Numbers that JSON does not know (NaN, infinite ones)
  /// are texts; text that is no UTF-8 is copied as it is.
  std::string object(std::size_t row) const;

private:
  struct member {
    std::size_t column = 0;
    std::string name; ///< as JSON, with the colon
  };

  const answer& rows_;
  std::vector<member> members_;
};

/// Whether JSON takes the text for a number.
bool is_json_number(std::string_view text);

} // namespace depositd::sources::sql
