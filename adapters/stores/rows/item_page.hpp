#pragma once

// Many items in one row: a backlog is written, kept and read at a start for
// some bytes an item. Pure.

#include "adapters/stores/rows/row_columns.hpp"
#include "messages/values/errors.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace depositd::rows {

/// Items that came one after the other and waited when they were written. A
/// page never changes: what happens to one of its items ends it there, which
/// its `item_gaps` say.
struct item_page {
  item_id id = 0;   ///< of the first
  item_id last = 0; ///< of the last
  std::uint32_t count = 0;
  std::string items; ///< as `paged` puts them together
};

template <>
inline constexpr std::string_view table_name<item_page> = "item_pages";

template <>
inline constexpr auto columns<item_page> = std::tuple{
  column{"id", is::key, &item_page::id},
  column{"last", is::plain, &item_page::last},
  column{"count", is::plain, &item_page::count},
  column{"items", is::plain | is::bytes, &item_page::items},
};

inline std::string described(const item_page& x) {
  return "the page of items from " + std::to_string(x.id);
}

/// Which items of a page are no longer there. Apart from it, for they change
/// often, and a page is many times as long.
struct item_gaps {
  item_id page = 0; ///< its first item
  std::string gone; ///< a bit for each item, the lowest of a byte first

  /// None of so many.
  void clear(std::uint32_t count) {
    gone.assign((count + 7) / 8, '\0');
  }

  bool has(std::size_t at) const {
    return (static_cast<unsigned char>(gone[at / 8]) >> (at % 8) & 1) != 0;
  }

  void add(std::size_t at) {
    gone[at / 8] = static_cast<char>(gone[at / 8] | 1 << (at % 8));
  }
};

template <>
inline constexpr std::string_view table_name<item_gaps> = "item_gaps";

template <>
inline constexpr auto columns<item_gaps> = std::tuple{
  column{"page", is::key, &item_gaps::page},
  column{"gone", is::changing | is::bytes, &item_gaps::gone},
};

inline std::string described(const item_gaps& x) {
  return "what is gone of the page of items from " + std::to_string(x.page);
}

/// Items in a page at most: more are damage.
inline constexpr std::uint32_t page_items_max = 10'000;

/// Whether it waits as it came: nobody has touched it.
bool is_untouched(const item_row& x);

/// Queues and priorities that are in a page, each once.
using page_lanes = std::vector<std::pair<std::string, std::uint8_t>>;

/// Where the item's is among them, or how many there are.
std::size_t number_of(const page_lanes& lanes, const item_row& x);

/// Untouched items with rising ids, at least one and `page_items_max` at most;
/// `lanes` become theirs.
item_page paged(const std::vector<const item_row*>& items, page_lanes& lanes);

/// All items that were put in the page, in place of what is in `out`, which
/// nobody else has written to. `ec::store_damaged` if the bytes are no
/// page.
caf::error unpack(const item_page& x, std::vector<item_row>& out);

/// The same, but only `id` and `place` of each mean something: who ends items
/// needs no more, and names are what takes longest.
caf::error unpack_places(const item_page& x, std::vector<item_row>& out);

} // namespace depositd::rows
