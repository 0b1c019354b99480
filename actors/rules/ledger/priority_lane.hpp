#pragma once

// The ready items of one priority and size class of a ledger, by id. However
// many they are, only the ends, where items come and are claimed, stand ready:
// what waits between them without a body in memory is packed (decision 0059).

#include "actors/rules/ledger/packed_items.hpp"
#include "actors/rules/ledger/stored_item.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace depositd::rules {

/// Adding the newest and taking the oldest cost no search.
class priority_lane {
public:
  bool empty() const noexcept {
    return size_ == 0;
  }

  std::size_t size() const noexcept {
    return size_;
  }

  /// The item must not be in the lane already.
  void add(stored_item&& x);

  /// The item with the lowest id; the lane must not be empty.
  const stored_item& front() const;

  std::optional<stored_item> take(item_id id);

  /// Null if the item is not here. Valid until the lane is asked again.
  const stored_item* find(item_id id) const;

  /// What changes neither where the item stands nor whether. False if it is not
  /// here.
  template <class Change>
  bool change(item_id id, Change how) {
    const auto where = locate(id);
    if (where.item == nullptr)
      return false;
    const auto had_body = where.item->body != nullptr;
    how(*where.item);
    changed(where, had_body);
    return true;
  }

  /// How many of the items are packed. O(items / 128), for tests.
  std::size_t packed() const;

  /// How many items have a lower id.
  std::size_t older_than(item_id id) const;

  /// Visits every item, by id.
  template <class Visitor>
  void for_each(Visitor visit) const {
    const auto always = [&](const stored_item& x) {
      visit(x);
      return true;
    };
    first_.visit(always);
    for (const auto& [begin, x] : later_)
      x.visit(always);
  }

  /// Visits items up to this id, by id, while the visitor says true.
  template <class Visitor>
  void visit_up_to(item_id id_last, Visitor visit) const {
    const auto wanted = [&](const stored_item& x) {
      return x.id <= id_last && visit(x);
    };
    if (first_.visit(wanted))
      for (const auto& [begin, x] : later_)
        if (begin > id_last || !x.visit(wanted))
          break;
  }

private:
  /// Items that follow each other.
  struct run {
    std::vector<stored_item> items; ///< those before `gone` have been taken
    std::size_t gone = 0;
    std::size_t bodies = 0; ///< that are in memory
    packed_items packed;    ///< if it is not empty, nothing else is there

    std::size_t size() const noexcept {
      return items.size() - gone + packed.size();
    }

    void unpack() {
      if (packed.empty())
        return;
      items = packed.unpacked();
      packed = {};
    }

    void forget_gone() {
      items.erase(items.begin(),
                  items.begin() + static_cast<std::ptrdiff_t>(gone));
      gone = 0;
    }

    /// False if the visitor said so.
    template <class Visitor>
    bool visit(Visitor visit) const {
      if (packed.empty())
        return visit_all(items.begin() + static_cast<std::ptrdiff_t>(gone),
                         items.end(), visit);
      const auto all = packed.unpacked();
      return visit_all(all.begin(), all.end(), visit);
    }

    template <class Iterator, class Visitor>
    static bool visit_all(Iterator at, Iterator end, Visitor& visit) {
      for (; at != end; ++at)
        if (!visit(*at))
          return false;
      return true;
    }
  };

  /// By an id that is not above that of the first item, and above that of the
  /// last item of the run before.
  using runs = std::map<item_id, run>;

  /// A run of `later_`; its end: the first run.
  using spot = runs::iterator;

  struct found_item {
    spot in;
    stored_item* item = nullptr; ///< null: not here
  };

  run& at(spot x) {
    return x == later_.end() ? first_ : x->second;
  }

  const run& run_of(item_id id) const;
  spot spot_of(item_id id);
  spot last();
  found_item locate(item_id id);
  bool open_if_in(spot x, item_id id);
  void open(spot x, std::vector<stored_item> items);
  void pack(spot x);
  void split(spot x);
  void remove(spot x);
  void changed(const found_item& where, bool had_body);

  run first_; ///< empty if the lane is
  runs later_;
  std::size_t size_ = 0;
  /// The run between the ends that was opened last, packed when another is. The
  /// first and the last are always open.
  item_id opened_ = 0;
  /// Of a packed run, what was looked at last.
  mutable stored_item looked_at_;
};

} // namespace depositd::rules
