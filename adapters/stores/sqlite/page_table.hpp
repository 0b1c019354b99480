#pragma once

// Pages of items, and what is gone of each.

#include "adapters/stores/rows/checked_rows.hpp"
#include "adapters/stores/rows/item_page.hpp"
#include "adapters/stores/sqlite/database.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace depositd::sqlite {

/// Pages do not overlap, and their ids rise. Each counts as a row in the sum of
/// the table of items, and so do its gaps.
class page_table {
public:
  /// A page, and what is in it.
  struct open_page {
    rows::item_page row;
    std::uint64_t checksum = 0;
    rows::item_gaps gaps;
    std::uint64_t gaps_checksum = 0;
    bool had_gaps = false; ///< as it was read
    std::vector<item_row> items;
    bool is_whole = false;   ///< else only ids and places of `items` are known
    bool is_changed = false; ///< somebody added to `gaps`

    bool spans(item_id id) const {
      return row.id <= id && id <= row.last;
    }

    /// Where the item is; behind the last if it is not in it, or no longer.
    std::size_t find(item_id id) const;

    /// How many items are not gone.
    std::size_t left() const;
  };

  explicit page_table(database& in) : in_(in) {
    // nop
  }

  /// The first page that ends at `from` or later; false if there is none.
  caf::expected<bool> open_next(item_id from, open_page& out,
                                bool whole = true);

  /// The page behind `x` in its place; false if there is none.
  caf::expected<bool> open_behind(open_page& x);

  /// The last id of the last page; 0 if there is none.
  caf::expected<item_id> last();

  /// Writes a page of these, which are behind all others.
  caf::error put(const std::vector<const item_row*>& items, table_sum& sum);

  /// Writes the gaps, if they were changed. A page of which little is left is
  /// taken apart, so that no few items keep the room of many: adds what is left
  /// of it to `rest`.
  caf::error write(open_page& page, table_sum& sum,
                   std::vector<item_row>& rest);

private:
  caf::expected<bool> read(std::string_view sql, item_id id, open_page& out,
                           bool whole);
  caf::error read_gaps(const statement& from, open_page& out);
  caf::error take_apart(open_page& page, table_sum& sum,
                        std::vector<item_row>& rest);

  database& in_;
  rows::checked_rows<rows::item_page> checked_;
  rows::checked_rows<rows::item_gaps> checked_gaps_;
};

} // namespace depositd::sqlite
