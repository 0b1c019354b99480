#pragma once

// Live items of a projection in SQLite: one by one, or many in a page.

#include "adapters/stores/rows/item_table.hpp"
#include "adapters/stores/sqlite/database.hpp"
#include "adapters/stores/sqlite/page_table.hpp"
#include "adapters/stores/sqlite/sqlite_projection_store.hpp"
#include "adapters/stores/sqlite/statements.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace depositd::sqlite {

/// As `rows::item_table`, which has the items that something happened to and
/// those that came a few at a time. All others that wait are in pages: what one
/// of many costs to keep and to load is a fifth (decision 0060).
class paged_items {
public:
  using range_item = projection_store::range_item;

  explicit paged_items(database& in) : in_(in), single_(in), pages_(in) {
    // nop
  }

  /// Before any other call.
  void set_sizes(const page_sizes& sizes) {
    sizes_ = sizes;
  }

  caf::error put(const std::vector<item_row>& items, table_sum& sum);
  caf::error change(const std::vector<item_change>& changes,
                    table_sum& sum, std::vector<body_location>& freed);
  caf::error drop(std::vector<item_id> ids, table_sum& sum,
                  std::vector<body_location>& freed);
  caf::error load(const table_sum& sum,
                  const std::function<void(const item_row&)>& show);
  caf::expected<std::vector<item_row>> of_id(item_id id);
  caf::expected<std::vector<item_row>>
  of_queue(const std::string& queue, std::uint32_t count_max,
           const std::vector<std::string>& users);
  caf::expected<std::vector<range_item>>
  received(const projection_store::range& where);
  caf::expected<std::vector<range_item>> placed(std::uint64_t group_first,
                                                std::uint64_t group_last,
                                                std::uint32_t count_max);

private:
  /// Gives `in_page` every id (they rise) that a page has, and its place there,
  /// to `single` the others. Pages that were changed are written. Without
  /// `whole`, ids and places are all that is known of items.
  template <class InPage, class Single>
  caf::error sort_out(const std::vector<item_id>& ids, bool whole,
                      table_sum& sum, const InPage& in_page,
                      const Single& single);

  caf::error none_is_paged(std::vector<item_id> ids, table_sum& sum);

  /// Adds what is too little for a page to `others`.
  caf::error put_paged(const std::vector<const item_row*>& items,
                       std::vector<item_row>& others, table_sum& sum);

  /// Shows what is left in pages from `from` on in the order of ids, until
  /// `show` says that it is enough.
  template <class Show>
  caf::error each_from(item_id from, const Show& show);

  database& in_;
  rows::item_table<database, statements::items> single_;
  page_table pages_;
  page_sizes sizes_;
};

} // namespace depositd::sqlite
