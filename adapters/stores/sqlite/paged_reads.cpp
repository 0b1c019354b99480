// What is read of items in pages and in rows: both, in one order.

#include "adapters/stores/sqlite/paged_items.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace depositd::sqlite {

using rows::described;
using open_page = page_table::open_page;

namespace {

bool is_earlier(const item_row& x, const item_row& y) {
  return std::pair{x.priority, x.id} < std::pair{y.priority, y.id};
}

bool has_lower_id(const projection_store::range_item& x,
                  const projection_store::range_item& y) {
  return x.id < y.id;
}

/// Both, in order, and not too many of them.
template <class Row, class Less>
std::vector<Row> merged(std::vector<Row> x, std::vector<Row> y,
                        std::size_t count_max, const Less& less) {
  if (x.empty() || y.empty())
    return x.empty() ? std::move(y) : std::move(x);
  std::vector<Row> out;
  std::merge(std::make_move_iterator(x.begin()),
             std::make_move_iterator(x.end()),
             std::make_move_iterator(y.begin()),
             std::make_move_iterator(y.end()), std::back_inserter(out), less);
  if (out.size() > count_max)
    out.resize(count_max);
  return out;
}

std::unordered_set<std::string_view>
set_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

} // namespace

template <class Show>
caf::error paged_items::each_from(item_id from, const Show& show) {
  open_page page;
  auto found = pages_.open_next(from, page);
  for (; found && *found; found = pages_.open_behind(page))
    for (std::size_t i = 0; i < page.items.size(); ++i)
      if (page.items[i].id >= from && !page.gaps.has(i)
          && !show(page.items[i]))
        return {};
  return found ? caf::error{} : found.error();
}

caf::error
paged_items::load(const table_sum& sum,
                  const std::function<void(const item_row&)>& show) {
  table_sum found;
  open_page page;
  std::size_t at = 0;
  auto is_first = true;
  auto is_last = false;
  // Rows and pages, each in order, become one order.
  const auto show_until = [&](item_id id) -> caf::error {
    for (;;) {
      for (; at < page.items.size(); ++at) {
        if (page.items[at].id >= id)
          return {};
        if (!page.gaps.has(at))
          show(page.items[at]);
      }
      if (is_last)
        return {};
      const auto is_there =
        is_first ? pages_.open_next(0, page) : pages_.open_behind(page);
      if (!is_there)
        return is_there.error();
      is_last = !*is_there;
      if (is_last)
        page.items.clear();
      else
        found.put(page.checksum);
      if (!is_last && page.had_gaps)
        found.put(page.gaps_checksum);
      is_first = false;
      at = 0;
    }
  };
  rows::checked_rows<item_row> checked;
  item_row x;
  auto failed = in_.load(statements::items::all, [&](const auto& from) {
    const auto checksum = checked.read(from, x);
    if (!checksum)
      return checksum.error();
    found.put(*checksum);
    if (auto error = show_until(x.id))
      return error;
    if (at < page.items.size() && page.items[at].id == x.id
        && !page.gaps.has(at))
      return from.damaged(described(x) + " is there twice");
    show(x);
    return caf::error{};
  });
  if (!failed)
    failed = show_until(std::numeric_limits<item_id>::max());
  return failed ? failed : rows::check_sum<item_row>(in_, found, sum);
}

caf::expected<std::vector<item_row>> paged_items::of_id(item_id id) {
  open_page page;
  const auto found = pages_.open_next(id, page);
  if (!found)
    return found.error();
  if (!*found || !page.spans(id))
    return single_.of_id(id);
  const auto at = page.find(id);
  if (at == page.items.size())
    return single_.of_id(id);
  return std::vector{page.items[at]};
}

caf::expected<std::vector<item_row>>
paged_items::of_queue(const std::string& queue, std::uint32_t count_max,
                      const std::vector<std::string>& users) {
  auto rows = single_.of_queue(queue, count_max, users);
  if (!rows)
    return rows;
  const auto wanted = set_of(users);
  std::vector<item_row> out;
  open_page page;
  std::uint64_t priority = 0;
  item_id id = 0;
  for (auto more = true; more && out.size() < count_max;) {
    more = false;
    auto failed = in_.each(
      statements::item_pages::next_lane,
      [&](const auto& from) {
        more = true;
        from.take(priority, id);
        return caf::error{};
      },
      queue, priority, id);
    if (failed)
      return failed;
    if (!more)
      break;
    const auto found = pages_.open_next(id, page);
    if (!found || !*found || page.row.id != id)
      return found ? in_.damaged("a page of items is missing") : found.error();
    for (std::size_t i = 0; i < page.items.size(); ++i) {
      const auto& x = page.items[i];
      if (out.size() < count_max && x.priority == priority && x.queue == queue
          && !page.gaps.has(i)
          && (wanted.empty() || wanted.contains(x.user)))
        out.push_back(x);
    }
  }
  return merged(std::move(*rows), std::move(out), count_max, is_earlier);
}

caf::expected<std::vector<paged_items::range_item>>
paged_items::received(const projection_store::range& where) {
  auto rows = single_.received(where);
  if (!rows || where.parked)
    return rows;
  const auto users = set_of(where.users);
  std::vector<range_item> out;
  auto failed = each_from(where.after + 1, [&](const item_row& x) {
    if (where.from_us <= x.received_us && x.received_us <= where.to_us
        && (where.queue.empty() || x.queue == where.queue)
        && (users.empty() || users.contains(x.user)))
      out.push_back({x.id, x.queue, x.user});
    return out.size() < where.count_max;
  });
  if (failed)
    return failed;
  return merged(std::move(*rows), std::move(out), where.count_max,
                has_lower_id);
}

caf::expected<std::vector<paged_items::range_item>>
paged_items::placed(std::uint64_t group_first, std::uint64_t group_last,
                    std::uint32_t count_max) {
  auto rows = single_.placed(group_first, group_last, count_max);
  if (!rows)
    return rows;
  std::vector<range_item> out;
  auto failed = each_from(0, [&](const item_row& x) {
    if (x.place.length > 0 && group_first <= x.place.group
        && x.place.group <= group_last)
      out.push_back({x.id, x.queue, x.user});
    return out.size() < count_max;
  });
  if (failed)
    return failed;
  return merged(std::move(*rows), std::move(out), count_max, has_lower_id);
}

} // namespace depositd::sqlite
