#pragma once

// Where to go on behind the rows of an answer, by the values of its cursor
// column. Values may repeat: nobody knows whether the query says `>` or `>=`.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace depositd::sources::sql {

struct read_positions {
  /// By row. A row in the middle of those that share a value has the position
  /// before them, so that the rest of them is not skipped.
  std::vector<std::string_view> behind;
  /// Of the whole answer.
  std::string_view end;
  /// False: the answer ends amid rows of one value and would go on where it
  /// began; more of them must be read at once.
  bool enough = true;
  /// Values repeat, in this answer or as was said of earlier ones.
  bool repeats = false;
};

/// `values`: of the cursor column, in the answer's order; a row without one
/// goes with those before it. `from`: where it began. `full`: there may be rows
/// behind those. `repeats`: values did in an earlier answer. Views as they were
/// given.
///
/// If the answer is full, rows of its last value may be missing: where values
/// repeat, and where the last value is `from`. As long as nothing has ever
/// repeated, the last row of a full answer is taken for the only one.
read_positions
positions_of(const std::vector<std::optional<std::string_view>>& values,
             std::string_view from, bool full, bool repeats);

/// The first row whose value, an integer, is less than one before it; nothing
/// if they ascend. Values that are no integers are passed over: only the
/// database knows their order. `from` may be no integer.
std::optional<std::size_t>
descending_at(const std::vector<std::optional<std::string_view>>& values,
              std::string_view from);

} // namespace depositd::sources::sql
