#pragma once

// Lists of numbers whose links live elsewhere: a chain, and a lane, which keeps
// an order of its own.

#include "actors/rules/ring/far_lists.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

namespace depositd::rules {

/// No member, cell or slot.
inline constexpr std::uint32_t nobody = 0xffff'ffff;
/// In `prev`: not in the list at all.
inline constexpr std::uint32_t unlinked = nobody - 1;

/// A doubly linked list of numbers; `Links` finds the links of a number.
struct chain {
  std::uint32_t head = nobody;
  std::uint32_t tail = nobody;
  std::uint32_t size = 0;

  template <class Links>
  void push_back(Links links, std::uint32_t id) {
    links.prev(id) = tail;
    links.next(id) = nobody;
    (tail == nobody ? head : links.next(tail)) = id;
    tail = id;
    ++size;
  }

  template <class Links>
  void push_front(Links links, std::uint32_t id) {
    links.prev(id) = nobody;
    links.next(id) = head;
    (head == nobody ? tail : links.prev(head)) = id;
    head = id;
    ++size;
  }

  template <class Links>
  void erase(Links links, std::uint32_t id) {
    const auto prev = links.prev(id);
    const auto next = links.next(id);
    (prev == nobody ? head : links.next(prev)) = next;
    (next == nobody ? tail : links.prev(next)) = prev;
    links.prev(id) = unlinked;
    --size;
  }
};

/// A list in the order of tags, first in, first out among equal ones. As long
/// as all tags are equal it is one chain. Tags only rise: what comes with a
/// lower one than the last head's stands with that one. Every call is O(1) over
/// time, however many there are.
class lane {
public:
  std::uint32_t size() const noexcept {
    return size_;
  }

  /// `stamp` is another one for each call on any lane whose numbers have their
  /// links in the same place.
  template <class Links>
  void push_back(Links links, std::uint32_t id, std::uint64_t tag,
                 std::uint32_t stamp) {
    ++size_;
    if (tag <= last_)
      near_.push_back(links, id);
    else
      far_for(links, id, stamp).push_back({tag, id, stamp}, last_);
  }

  template <class Links>
  void push_front(Links links, std::uint32_t id, std::uint64_t tag,
                  std::uint32_t stamp) {
    ++size_;
    if (tag <= last_)
      near_.push_front(links, id);
    else
      far_for(links, id, stamp).push_front({tag, id, stamp}, last_);
  }

  template <class Links>
  void erase(Links links, std::uint32_t id) {
    --size_;
    if (links.prev(id) == is_far)
      links.prev(id) = unlinked; // its entry does not hold any more
    else
      near_.erase(links, id);
  }

  /// Whoever has the lowest tag; `nobody` if it is empty. `soon` is told of
  /// those who may be the head soon.
  template <class Links, class Soon>
  std::uint32_t head(Links links, Soon soon) {
    while (near_.head == nobody && size_ > 0)
      bring_near(links, soon);
    return near_.head;
  }

  /// The first of those that fit. O(those before it), and more if there are
  /// many tags.
  template <class Links, class Fits>
  std::uint32_t first(Links links, Fits fits) const {
    for (auto id = near_.head; id != nobody; id = links.next(id))
      if (fits(id))
        return id;
    auto out = nobody;
    each_far_list([&](const entries& some) {
      const entry* best = nullptr;
      for (const auto& x : some)
        if ((best == nullptr || x.tag < best->tag) && holds(links, x)
            && fits(x.id))
          best = &x;
      if (best != nullptr)
        out = best->id;
      return best == nullptr;
    });
    return out;
  }

  /// The first so many, in their order. O(all of them), and no more is sorted
  /// than is asked for. For people.
  template <class Links>
  std::vector<std::uint32_t> first_of(Links links,
                                      std::size_t count_max) const {
    std::vector<std::uint32_t> out;
    for (auto id = near_.head; id != nobody && out.size() < count_max;
         id = links.next(id))
      out.push_back(id);
    std::vector<std::tuple<std::uint64_t, std::size_t, std::uint32_t>> order;
    each_far_list([&](const entries& some) {
      if (out.size() >= count_max)
        return false;
      order.clear();
      for (const auto& x : some)
        if (holds(links, x))
          order.emplace_back(x.tag, order.size(), x.id);
      const auto sorted = std::min(order.size(), count_max - out.size());
      const auto end = order.begin() + static_cast<std::ptrdiff_t>(sorted);
      std::partial_sort(order.begin(), end, order.end());
      for (auto at = order.begin(); at != end; ++at)
        out.push_back(std::get<2>(*at));
      return true;
    });
    return out;
  }

  /// All of them, in their order. For people and changes of settings.
  template <class Links>
  std::vector<std::uint32_t> all(Links links) const {
    return first_of(links, size_);
  }

  /// Entries that are kept for those that are not near, also such that do not
  /// hold any more.
  std::size_t kept() const noexcept {
    return far_ ? far_->size() : 0;
  }

private:
  using entry = far_lists::entry;
  using entries = std::vector<entry>;

  /// In `prev`: not near; `next` is the stamp of the entry that holds.
  static constexpr std::uint32_t is_far = nobody - 2;
  /// Entries that do not hold, beyond as many as there are that do.
  static constexpr std::size_t loose_max = 1'024;
  /// Lists that are so short are looked at closely: their turn comes soon.
  static constexpr std::size_t close_max = 1'024;

  template <class Links>
  static bool holds(Links links, const entry& x) {
    return links.next(x.id) == x.stamp && links.prev(x.id) == is_far;
  }

  template <class Links>
  far_lists& far_for(Links links, std::uint32_t id, std::uint32_t stamp) {
    if (!far_)
      far_ = std::make_unique<far_lists>();
    else if (far_->size() > 2 * std::size_t{size_} + loose_max)
      tidy(links);
    links.prev(id) = is_far;
    links.next(id) = stamp;
    return *far_;
  }

  template <class Links>
  void tidy(Links links) {
    for (const auto& x : far_->take_all())
      if (holds(links, x))
        far_->push_back(x, last_);
  }

  template <class F>
  void each_far_list(F f) const {
    if (far_)
      far_->each_list(f);
  }

  template <class Links, class Soon>
  void bring_near(Links links, Soon soon) {
    const auto& some = far_->take_lowest();
    last_ = some.front().tag;
    for (const auto& x : some)
      last_ = std::min(last_, x.tag);
    const bool close = some.size() <= close_max;
    // Which user is where in memory has nothing to do with their order.
    constexpr std::size_t ahead = 8;
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (close && i + ahead < some.size())
        __builtin_prefetch(&links.next(some[i + ahead].id), 1);
      const auto& x = some[i];
      const bool is_near = x.tag == last_;
      if (close || is_near) {
        if (!holds(links, x))
          continue;
        soon(x.id);
      }
      if (is_near)
        near_.push_back(links, x.id);
      else
        far_->push_back(x, last_);
    }
  }

  chain near_;                     ///< tags up to `last_`
  std::unique_ptr<far_lists> far_; ///< none while there is one tag
  std::uint64_t last_ = 0;
  std::uint32_t size_ = 0;
};

} // namespace depositd::rules
