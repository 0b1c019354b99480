#include "adapters/stores/sqlite/page_table.hpp"

#include "adapters/stores/sqlite/statements.hpp"

#include <algorithm>
#include <utility>

namespace depositd::sqlite {

using rows::described;
using rows::with_checksum;

std::size_t page_table::open_page::find(item_id id) const {
  const auto at = std::lower_bound(
    items.begin(), items.end(), id,
    [](const item_row& x, item_id wanted) { return x.id < wanted; });
  const auto index = static_cast<std::size_t>(at - items.begin());
  return at != items.end() && at->id == id && !gaps.has(index)
           ? index
           : items.size();
}

std::size_t page_table::open_page::left() const {
  std::size_t out = 0;
  for (std::size_t i = 0; i < items.size(); ++i)
    out += gaps.has(i) ? 0 : 1;
  return out;
}

caf::expected<bool> page_table::read(std::string_view sql, item_id id,
                                     open_page& out, bool whole) {
  auto is_there = false;
  auto failed = in_.each(
    sql,
    [&](const auto& from) {
      is_there = true;
      out.is_changed = false;
      const auto checksum = checked_.read(from, out.row);
      if (!checksum)
        return checksum.error();
      out.checksum = *checksum;
      if (auto error = read_gaps(from, out))
        return error;
      out.is_whole = whole;
      return whole ? unpack(out.row, out.items)
                   : unpack_places(out.row, out.items);
    },
    id);
  if (failed)
    return failed;
  return is_there;
}

/// They stand behind the page and its checksum; nothing is there if there are
/// none.
caf::error page_table::read_gaps(const statement& from, open_page& out) {
  static const auto column =
    static_cast<int>(with_checksum<rows::item_page>().size());
  auto& gaps = out.gaps;
  gaps.page = out.row.id;
  from.read(column, gaps.gone);
  from.read(column + 1, out.gaps_checksum);
  out.had_gaps = !gaps.gone.empty();
  if (!out.had_gaps) {
    gaps.clear(out.row.count);
    return {};
  }
  return gaps.gone.size() == (out.row.count + 7) / 8
             && out.gaps_checksum == checked_gaps_.checksum_of(gaps)
           ? caf::error{}
           : from.damaged(described(gaps) + " does not match its checksum");
}

caf::expected<bool> page_table::open_next(item_id from, open_page& out,
                                          bool whole) {
  auto found = read(statements::item_pages::until, from, out, whole);
  if (!found || (*found && out.row.last >= from))
    return found;
  return read(statements::item_pages::behind, from, out, whole);
}

caf::expected<bool> page_table::open_behind(open_page& x) {
  return read(statements::item_pages::behind, x.row.id, x, true);
}

caf::expected<item_id> page_table::last() {
  item_id out = 0;
  auto failed = in_.each(statements::item_pages::last, [&](const auto& from) {
    out = from.number(0);
    return caf::error{};
  });
  if (failed)
    return failed;
  return out;
}

caf::error page_table::put(const std::vector<const item_row*>& items,
                           table_sum& sum) {
  rows::page_lanes lanes;
  const auto page = rows::paged(items, lanes);
  const auto checksum = checked_.checksum_of(page);
  sum.put(checksum);
  auto to = in_.writer(statements::item_pages::put);
  if (auto error = to.add_row(page, checksum))
    return error;
  auto to_lanes = in_.writer(statements::item_pages::put_lane);
  for (const auto& [queue, priority] : lanes)
    if (auto error = to_lanes.add(queue, priority, page.id))
      return error;
  return {};
}

caf::error page_table::write(open_page& page, table_sum& sum,
                             std::vector<item_row>& rest) {
  if (!std::exchange(page.is_changed, false))
    return {};
  if (page.had_gaps)
    sum.drop(page.gaps_checksum);
  if (page.left() <= page.items.size() / 8)
    return take_apart(page, sum, rest);
  page.had_gaps = true;
  page.gaps_checksum = checked_gaps_.checksum_of(page.gaps);
  sum.put(page.gaps_checksum);
  return in_.writer(statements::item_pages::put_gaps)
    .add_row(page.gaps, page.gaps_checksum);
}

caf::error page_table::take_apart(open_page& page, table_sum& sum,
                                  std::vector<item_row>& rest) {
  if (!page.is_whole)
    if (auto error = unpack(page.row, page.items))
      return error;
  sum.drop(page.checksum);
  if (auto error = in_.run(statements::item_pages::drop, page.row.id))
    return error;
  if (page.had_gaps)
    if (auto error = in_.run(statements::item_pages::drop_gaps, page.row.id))
      return error;
  rows::page_lanes lanes;
  auto to_lanes = in_.writer(statements::item_pages::drop_lane);
  for (std::size_t i = 0; i < page.items.size(); ++i) {
    const auto& x = page.items[i];
    if (!page.gaps.has(i))
      rest.push_back(x);
    if (rows::number_of(lanes, x) < lanes.size())
      continue;
    lanes.emplace_back(x.queue, x.priority);
    if (auto error = to_lanes.add(x.queue, x.priority, page.row.id))
      return error;
  }
  return {};
}

} // namespace depositd::sqlite
