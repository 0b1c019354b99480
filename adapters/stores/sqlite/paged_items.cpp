#include "adapters/stores/sqlite/paged_items.hpp"

#include "messages/values/test_points.hpp"

#include <algorithm>
#include <utility>

namespace depositd::sqlite {

using rows::is_untouched;
using open_page = page_table::open_page;

template <class InPage, class Single>
caf::error paged_items::sort_out(const std::vector<item_id>& ids, bool whole,
                                 table_sum& sum, const InPage& in_page,
                                 const Single& single) {
  open_page page;
  auto is_open = false;
  auto is_last = false; // no page ends at what is asked for, or later
  const auto leave = [&]() -> caf::error {
    std::vector<item_row> rest;
    auto failed = pages_.write(page, sum, rest);
    return failed ? failed : single_.put(rest, sum);
  };
  for (const auto id : ids) {
    if (!is_last && (!is_open || page.row.last < id)) {
      if (auto error = leave())
        return error;
      const auto found = pages_.open_next(id, page, whole);
      if (!found)
        return found.error();
      is_open = *found;
      is_last = !*found;
    }
    const auto at = is_open && page.spans(id) ? page.find(id) : std::size_t{0};
    if (is_open && page.spans(id) && at < page.items.size())
      in_page(page, at);
    else
      single(id);
  }
  return leave();
}

/// What is behind all pages and untouched may be in a page.
caf::error paged_items::put(const std::vector<item_row>& items,
                            table_sum& sum) {
  const auto last = pages_.last();
  if (!last)
    return last.error();
  std::vector<const item_row*> waiting;
  std::vector<item_id> between;
  for (const auto& x : items)
    if (x.id <= *last)
      between.push_back(x.id);
    else if (is_untouched(x))
      waiting.push_back(&x);
  if (auto error = none_is_paged(std::move(between), sum))
    return error;
  if (waiting.size() < sizes_.items_min)
    return single_.put(items, sum);
  std::vector<item_row> others;
  for (const auto& x : items)
    if (x.id <= *last || !is_untouched(x))
      others.push_back(x);
  std::sort(waiting.begin(), waiting.end(),
            [](const auto* x, const auto* y) { return x->id < y->id; });
  if (auto error = put_paged(waiting, others, sum))
    return error;
  return single_.put(others, sum);
}

/// Ids of another shard are between those of pages.
caf::error paged_items::none_is_paged(std::vector<item_id> ids,
                                      table_sum& sum) {
  if (ids.empty())
    return {};
  std::sort(ids.begin(), ids.end());
  item_id twice = 0;
  auto failed = sort_out(
    ids, false, sum,
    [&](const open_page& page, std::size_t at) { twice = page.items[at].id; },
    [](item_id) {});
  if (failed || twice == 0)
    return failed;
  return in_.damaged("there is an item " + std::to_string(twice) + " already");
}

caf::error paged_items::put_paged(const std::vector<const item_row*>& items,
                                  std::vector<item_row>& others,
                                  table_sum& sum) {
  std::vector<const item_row*> page;
  rows::page_lanes lanes;
  const auto finish = [&]() -> caf::error {
    caf::error error;
    if (page.size() >= sizes_.items_min)
      error = pages_.put(page, sum);
    else
      for (const auto* x : page)
        others.push_back(*x);
    page.clear();
    lanes.clear();
    return error;
  };
  for (const auto* x : items) {
    const auto is_new = rows::number_of(lanes, *x) == lanes.size();
    if (page.size() == sizes_.items_max
        || (is_new && lanes.size() == sizes_.lanes_max))
      if (auto error = finish())
        return error;
    if (is_new || lanes.empty())
      lanes.emplace_back(x->queue, x->priority);
    page.push_back(x);
  }
  return finish();
}

caf::error paged_items::change(const std::vector<item_change>& changes,
                               table_sum& sum,
                               std::vector<body_location>& freed) {
  if (changes.empty())
    return {};
  const rows::changes_by_id by_id{changes};
  std::vector<item_row> changed;
  std::vector<item_change> others;
  auto failed = sort_out(
    by_id.ids(), true, sum,
    [&](open_page& page, std::size_t at) {
      auto& x = changed.emplace_back(page.items[at]);
      by_id.each(x.id, [&](const item_change& change) {
        const auto place = x.place;
        apply_change(x, change);
        if (place.length > 0 && place != x.place)
          freed.push_back(place);
      });
      page.gaps.add(at);
      page.is_changed = true;
    },
    [&](item_id id) {
      by_id.each(id, [&](const item_change& x) { others.push_back(x); });
    });
  if (failed)
    return failed;
  if (changed.empty())
    return single_.change(changes, sum, freed);
  if (auto error = single_.put(changed, sum))
    return error;
  return single_.change(others, sum, freed);
}

caf::error paged_items::drop(std::vector<item_id> ids, table_sum& sum,
                             std::vector<body_location>& freed) {
  if (ids.empty())
    return {};
  std::sort(ids.begin(), ids.end());
  std::vector<item_id> others;
  auto failed = sort_out(
    ids, false, sum,
    [&](open_page& page, std::size_t at) {
      if (page.items[at].place.length > 0)
        freed.push_back(page.items[at].place);
      if (!seeded_bug("page_keeps_what_ended"))
        page.gaps.add(at);
      page.is_changed = true;
    },
    [&](item_id id) { others.push_back(id); });
  return failed ? failed : single_.drop(std::move(others), sum, freed);
}

} // namespace depositd::sqlite
