#pragma once

// The ready items of one priority and size class of a ledger, in order of
// arrival.

#include "actors/rules/ledger/ledger.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>

namespace depositd::rules {

/// An item as a ledger keeps it: what a pending item costs in memory.
struct stored_item {
  item_id id = 0;
  micros received_us = 0;
  std::uint64_t size = 0;
  std::uint64_t digest = 0;
  body_location place;
  body_bytes body;
  std::uint32_t attempt = 0; ///< hand-outs that count
  std::uint8_t priority = 0;
  size_class cls = 0;
  body_kind kind = body_kind::inline_bytes;
  bool live = true; ///< false: a gap that its lane steps over
};

static_assert(sizeof(stored_item) == 72, "a million of them are kept");

/// First in, first out by item id, with removal anywhere. Adding the newest
/// and taking the oldest cost no search and no allocation of their own.
class priority_lane {
public:
  bool empty() const noexcept {
    return size() == 0;
  }

  std::size_t size() const noexcept {
    return fresh_.size() - gaps_ + returned_.size();
  }

  /// The item must not be in the lane already.
  void add(stored_item&& x);

  /// The item with the lowest id; the lane must not be empty.
  const stored_item& front() const;

  std::optional<stored_item> take(item_id id);

  /// Null if the item is not here.
  stored_item* find(item_id id);

  /// How many items have a lower id.
  std::size_t older_than(item_id id) const;

  /// Visits every item: first those that came in order, then the others.
  template <class Visitor>
  void for_each(Visitor visit) const {
    for (const auto& x : fresh_)
      if (x.live)
        visit(x);
    for (const auto& [id, x] : returned_)
      visit(x);
  }

  /// Visits items up to this id, in their order, while the visitor says true.
  template <class Visitor>
  void visit_up_to(item_id id_last, Visitor visit) const {
    for (const auto& x : fresh_)
      if (x.id > id_last || (x.live && !visit(x)))
        break;
    for (const auto& [id, x] : returned_)
      if (id > id_last || !visit(x))
        break;
  }

private:
  std::deque<stored_item>::iterator locate(item_id id);
  void close_gaps();

  /// Rising ids; neither the first nor, in the long run, most are gaps.
  std::deque<stored_item> fresh_;
  /// Items that came back from a claim, a delay or being set aside.
  std::map<item_id, stored_item> returned_;
  std::size_t gaps_ = 0;
};

} // namespace depositd::rules
