#include "actors/rules/ledger/priority_lane.hpp"

#include "messages/values/test_points.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace depositd::rules {

namespace {

/// Of a run. Packing one and opening it again costs some microseconds; what is
/// not packed, 72 bytes an item.
constexpr std::size_t run_items = smaller_in_tests(128u, 4u);

/// The first item from `begin` on that is not older.
template <class Items>
auto first_from(Items& items, std::size_t begin, item_id id) {
  return std::lower_bound(
    items.begin() + static_cast<std::ptrdiff_t>(begin), items.end(), id,
    [](const stored_item& x, item_id sought) { return x.id < sought; });
}

std::size_t bodies_in(const std::vector<stored_item>& items) {
  return static_cast<std::size_t>(
    std::count_if(items.begin(), items.end(),
                  [](const auto& x) { return x.body != nullptr; }));
}

} // namespace

void priority_lane::add(stored_item&& x) {
  const auto id = x.id;
  auto in = last();
  if (size_++ == 0 || id > at(in).items.back().id) {
    if (at(in).size() >= run_items) {
      const auto full = in;
      in = later_.emplace_hint(later_.end(), id, run{});
      in->second.items.reserve(run_items);
      pack(full);
    }
    auto& last = at(in);
    last.bodies += x.body != nullptr;
    last.items.push_back(std::move(x));
    return;
  }
  in = spot_of(id);
  if (!at(in).packed.empty())
    open(in, at(in).packed.unpacked());
  auto& [items, gone, bodies, packed] = at(in);
  const auto next = first_from(items, gone, id);
  bodies += x.body != nullptr;
  if (gone > 0 && next == items.begin() + static_cast<std::ptrdiff_t>(gone))
    items[--gone] = std::move(x);
  else
    items.insert(next, std::move(x));
  if (at(in).size() > 2 * run_items)
    split(in);
}

const stored_item& priority_lane::front() const {
  assert(!empty());
  return first_.items[first_.gone];
}

std::optional<stored_item> priority_lane::take(item_id id) {
  const auto where = locate(id);
  if (where.item == nullptr)
    return std::nullopt;
  std::optional<stored_item> out{std::move(*where.item)};
  auto& from = at(where.in);
  auto& [items, gone, bodies, packed] = from;
  bodies -= out->body != nullptr;
  --size_;
  const auto index = where.item - items.data();
  if (static_cast<std::size_t>(index) == gone)
    ++gone;
  else
    items.erase(items.begin() + index);
  if (from.size() == 0)
    remove(where.in);
  else if (gone >= run_items && gone * 2 >= items.size())
    from.forget_gone();
  return out;
}

const stored_item* priority_lane::find(item_id id) const {
  if (empty() || id < front().id)
    return nullptr;
  const auto& [items, gone, bodies, packed] = run_of(id);
  if (packed.empty()) {
    const auto item = first_from(items, gone, id);
    return item != items.end() && item->id == id ? &*item : nullptr;
  }
  auto all = packed.unpacked();
  const auto item = first_from(all, 0, id);
  if (item == all.end() || item->id != id)
    return nullptr;
  looked_at_ = std::move(*item);
  return &looked_at_;
}

std::size_t priority_lane::packed() const {
  std::size_t out = 0;
  for (const auto& [begin, x] : later_)
    out += x.packed.size();
  return out;
}

std::size_t priority_lane::older_than(item_id id) const {
  const auto& last = run_of(id);
  std::size_t out = 0;
  last.visit([&](const stored_item& x) {
    out += x.id < id;
    return x.id < id;
  });
  if (&last == &first_)
    return out;
  out += first_.size();
  for (auto x = later_.begin(); &x->second != &last; ++x)
    out += x->second.size();
  return out;
}

/// Where an item with this id is, if it is here, and where it belongs.
const priority_lane::run& priority_lane::run_of(item_id id) const {
  const auto next = later_.upper_bound(id);
  return next == later_.begin() ? first_ : std::prev(next)->second;
}

priority_lane::spot priority_lane::spot_of(item_id id) {
  const auto next = later_.upper_bound(id);
  return next == later_.begin() ? later_.end() : std::prev(next);
}

priority_lane::spot priority_lane::last() {
  return later_.empty() ? later_.end() : std::prev(later_.end());
}

priority_lane::found_item priority_lane::locate(item_id id) {
  const found_item nowhere{later_.end()};
  if (empty() || id < front().id)
    return nowhere;
  // That is where claims look.
  if (id == front().id)
    return {later_.end(), &first_.items[first_.gone]};
  const auto in = spot_of(id);
  if (!open_if_in(in, id))
    return nowhere;
  auto& [items, gone, bodies, packed] = at(in);
  const auto item = first_from(items, gone, id);
  if (item == items.end() || item->id != id)
    return nowhere;
  return {in, &*item};
}

/// False if the run is packed and has no such item: it stays so, as another
/// would be packed for nothing.
bool priority_lane::open_if_in(spot x, item_id id) {
  const auto& packed = at(x).packed;
  if (packed.empty())
    return true;
  auto items = packed.unpacked();
  const auto item = first_from(items, 0, id);
  if (item == items.end() || item->id != id)
    return false;
  open(x, std::move(items));
  return true;
}

void priority_lane::open(spot x, std::vector<stored_item> items) {
  x->second.items = std::move(items);
  x->second.packed = {};
  const auto before = later_.find(opened_);
  opened_ = x->first;
  if (before != later_.end())
    pack(before);
}

/// If it can be.
void priority_lane::pack(spot x) {
  if (x == later_.end() || x == last() || x->first == opened_)
    return;
  auto& [items, gone, bodies, packed] = x->second;
  if (bodies > 0 || !packed.empty())
    return;
  x->second.forget_gone();
  packed = packed_items{items};
  items = std::vector<stored_item>{}; // its room goes, too
}

void priority_lane::split(spot x) {
  auto& all = at(x);
  const auto middle = all.items.begin()
                      + static_cast<std::ptrdiff_t>(all.gone + all.size() / 2);
  run half;
  half.items.assign(std::make_move_iterator(middle),
                    std::make_move_iterator(all.items.end()));
  half.bodies = bodies_in(half.items);
  all.items.erase(middle, all.items.end());
  all.bodies -= half.bodies;
  const auto begin = half.items.front().id;
  const auto fresh = later_.emplace(begin, std::move(half)).first;
  pack(x);
  pack(fresh);
}

/// The run is empty.
void priority_lane::remove(spot x) {
  if (x != later_.end()) {
    if (x->first == opened_)
      opened_ = 0;
    later_.erase(x);
    at(last()).unpack();
  } else if (later_.empty()) {
    first_ = {};
  } else {
    const auto next = later_.begin();
    next->second.unpack();
    first_ = std::move(next->second);
    remove(next);
  }
}

/// Its body came into memory, or went.
void priority_lane::changed(const found_item& where, bool had_body) {
  auto& bodies = at(where.in).bodies;
  const auto has_body = where.item->body != nullptr;
  if (has_body == had_body)
    return;
  bodies = bodies + has_body - had_body;
  pack(where.in);
}

} // namespace depositd::rules
