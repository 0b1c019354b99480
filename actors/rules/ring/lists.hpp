#pragma once

// What the ring is made of: lists of numbers whose links live elsewhere, the
// set of bands that have somebody, and the cells that hold ready counts.

#include "messages/values/scheduling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
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

/// Bands are priorities 0 to 99.
inline constexpr std::uint32_t bands_max = 100;

/// A set of bands.
class band_set {
public:
  void set(std::uint8_t band) noexcept {
    words_[band >> 6] |= std::uint64_t{1} << (band & 63);
  }
  void clear(std::uint8_t band) noexcept {
    words_[band >> 6] &= ~(std::uint64_t{1} << (band & 63));
  }
  bool any() const noexcept {
    return (words_[0] | words_[1]) != 0;
  }
  /// The best band; the set must not be empty.
  std::uint8_t first() const noexcept {
    assert(any());
    const auto at = words_[0] != 0 ? std::countr_zero(words_[0])
                                   : 64 + std::countr_zero(words_[1]);
    return static_cast<std::uint8_t>(at);
  }

private:
  std::array<std::uint64_t, 2> words_{};
};

/// A list in the order of tags, first in, first out among equal ones. As long
/// as all tags are equal it is one chain. Tags only rise: what comes with a
/// lower one than the last head's stands with that one. A radix heap, so every
/// call is O(1) over time, however many there are.
class lane {
public:
  std::uint32_t size() const noexcept {
    return size_;
  }

  template <class Links>
  void push_back(Links links, std::uint32_t id, std::uint64_t tag) {
    chain_of(tag).push_back(links, id);
    ++size_;
  }

  template <class Links>
  void push_front(Links links, std::uint32_t id, std::uint64_t tag) {
    chain_of(tag).push_front(links, id);
    ++size_;
  }

  /// `tag` is the one that it was put in with.
  template <class Links>
  void erase(Links links, std::uint32_t id, std::uint64_t tag) {
    chain_of(tag).erase(links, id);
    --size_;
  }

  /// Whoever has the lowest tag; `nobody` if it is empty.
  template <class Links, class TagOf>
  std::uint32_t head(Links links, TagOf tag_of) {
    if (near_.head == nobody && size_ > 0)
      bring_near(links, tag_of);
    return near_.head;
  }

  /// The first of those that fit. O(those before it), and more if there are
  /// many tags.
  template <class Links, class TagOf, class Fits>
  std::uint32_t first(Links links, TagOf tag_of, Fits fits) const {
    for (auto id = near_.head; id != nobody; id = links.next(id))
      if (fits(id))
        return id;
    for (const auto& far : far_) {
      auto out = nobody;
      for (auto id = far.head; id != nobody; id = links.next(id))
        if (fits(id) && (out == nobody || tag_of(id) < tag_of(out)))
          out = id;
      if (out != nobody)
        return out;
    }
    return nobody;
  }

  /// The first so many, in their order. O(all of them), and no more is sorted
  /// than is asked for. For people.
  template <class Links, class TagOf>
  std::vector<std::uint32_t> first_of(Links links, TagOf tag_of,
                                      std::size_t count_max) const {
    std::vector<std::uint32_t> out;
    for (auto id = near_.head; id != nobody && out.size() < count_max;
         id = links.next(id))
      out.push_back(id);
    std::vector<std::tuple<std::uint64_t, std::size_t, std::uint32_t>> some;
    for (auto far = far_.begin(); far != far_.end() && out.size() < count_max;
         ++far) {
      some.clear();
      for (auto id = far->head; id != nobody; id = links.next(id))
        some.emplace_back(tag_of(id), some.size(), id);
      const auto sorted = std::min(some.size(), count_max - out.size());
      const auto end = some.begin() + static_cast<std::ptrdiff_t>(sorted);
      std::partial_sort(some.begin(), end, some.end());
      for (auto at = some.begin(); at != end; ++at)
        out.push_back(std::get<2>(*at));
    }
    return out;
  }

  /// All of them, in their order. For people and changes of settings.
  template <class Links, class TagOf>
  std::vector<std::uint32_t> all(Links links, TagOf tag_of) const {
    std::vector<std::uint32_t> out;
    for (auto id = near_.head; id != nobody; id = links.next(id))
      out.push_back(id);
    for (const auto& far : far_) {
      const auto from = out.size();
      for (auto id = far.head; id != nobody; id = links.next(id))
        out.push_back(id);
      std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(from),
                       out.end(), [&](std::uint32_t x, std::uint32_t y) {
                         return tag_of(x) < tag_of(y);
                       });
    }
    return out;
  }

private:
  // Chain n holds those whose tag differs from `last_` in bit n and in none
  // above it. That stays true when `last_` moves within a lower chain.
  chain& chain_of(std::uint64_t tag) {
    if (tag <= last_)
      return near_;
    if (far_.empty())
      far_.resize(64);
    return far_[static_cast<std::size_t>(std::bit_width(tag ^ last_)) - 1];
  }

  template <class Links, class TagOf>
  void bring_near(Links links, TagOf tag_of) {
    auto lowest = far_.begin();
    while (lowest->head == nobody)
      ++lowest;
    const auto from = std::exchange(*lowest, chain{});
    last_ = tag_of(from.head);
    for (auto id = from.head; id != nobody; id = links.next(id))
      last_ = std::min(last_, tag_of(id));
    for (auto id = from.head; id != nobody;) {
      const auto next = links.next(id);
      chain_of(tag_of(id)).push_back(links, id);
      id = next;
    }
  }

  chain near_;             ///< tags up to `last_`
  std::vector<chain> far_; ///< none while there is one tag
  std::uint64_t last_ = 0;
  std::uint32_t size_ = 0;
};

/// One list per band, and which of them are not empty.
struct band_lists {
  std::vector<lane> bands;
  band_set filled;

  explicit band_lists(std::uint32_t count) : bands(count) {}

  template <class Links>
  void push_back(Links links, std::uint8_t band, std::uint32_t id,
                 std::uint64_t tag) {
    bands[band].push_back(links, id, tag);
    filled.set(band);
  }

  template <class Links>
  void erase(Links links, std::uint8_t band, std::uint32_t id,
             std::uint64_t tag) {
    bands[band].erase(links, id, tag);
    if (bands[band].size() == 0)
      filled.clear(band);
  }
};

/// Cells by number. A cell is what one user has in one band: per size class
/// its ready items, the picks reserved, and its links in the list of the
/// class. Laid out in one array, as a pick touches all of it.
class cell_store {
public:
  std::uint32_t add(member_number member, std::uint8_t band,
                    std::uint32_t next);
  void remove(std::uint32_t cell);

  std::uint32_t classes() const noexcept {
    return classes_;
  }
  member_number member(std::uint32_t cell) const noexcept {
    return head(cell)[0];
  }
  std::uint32_t next_of_member(std::uint32_t cell) const noexcept {
    return head(cell)[1];
  }
  void set_next_of_member(std::uint32_t cell, std::uint32_t next) noexcept {
    head(cell)[1] = next;
  }
  std::uint8_t band(std::uint32_t cell) const noexcept {
    return static_cast<std::uint8_t>(head(cell)[2]);
  }

  std::int32_t ready(std::uint32_t cell, size_class cls) const noexcept {
    return static_cast<std::int32_t>(at(cell, cls)[0]);
  }
  void set_ready(std::uint32_t cell, size_class cls, std::int32_t x) noexcept {
    at(cell, cls)[0] = static_cast<std::uint32_t>(x);
  }
  std::uint32_t& reserved(std::uint32_t cell, size_class cls) noexcept {
    return at(cell, cls)[1];
  }
  std::uint32_t reserved(std::uint32_t cell, size_class cls) const noexcept {
    return at(cell, cls)[1];
  }

  /// The classes (one bit each) up to which an item may be left once every
  /// reserved pick has taken the largest item that it may take. A pick that
  /// turns out to have found nothing costs a decline; guessing low would cost
  /// the user its place.
  std::uint32_t available(std::uint32_t cell) const noexcept;

  /// What `available` said when the user's links were last set.
  std::uint32_t shown(std::uint32_t cell) const noexcept {
    return head(cell)[3];
  }
  bool shown(std::uint32_t cell, size_class cls) const noexcept {
    return (head(cell)[3] >> cls & 1) != 0;
  }
  void show(std::uint32_t cell, std::uint32_t classes) noexcept {
    head(cell)[3] = classes;
  }

  /// Neither ready items nor reserved picks.
  bool idle(std::uint32_t cell) const noexcept;

  /// Links of the cells in the lists of one class.
  struct class_links {
    cell_store* cells;
    size_class cls;

    std::uint32_t& prev(std::uint32_t cell) const noexcept {
      return cells->at(cell, cls)[2];
    }
    std::uint32_t& next(std::uint32_t cell) const noexcept {
      return cells->at(cell, cls)[3];
    }
  };
  class_links links(size_class cls) noexcept {
    return {this, cls};
  }
  /// The same for looking only.
  struct const_class_links {
    const cell_store* cells;
    size_class cls;

    std::uint32_t next(std::uint32_t cell) const noexcept {
      return cells->next(cell, cls);
    }
  };
  const_class_links links(size_class cls) const noexcept {
    return {this, cls};
  }
  bool linked(std::uint32_t cell, size_class cls) const noexcept {
    return at(cell, cls)[2] != unlinked;
  }
  std::uint32_t next(std::uint32_t cell, size_class cls) const noexcept {
    return at(cell, cls)[3];
  }

  /// Moves the classes from `at` on up by one; the new one is empty.
  void insert_class(size_class at);

private:
  using quad = std::array<std::uint32_t, 4>;

  quad& head(std::uint32_t cell) noexcept {
    return quads_[std::size_t{cell} * (1 + classes_)];
  }
  const quad& head(std::uint32_t cell) const noexcept {
    return quads_[std::size_t{cell} * (1 + classes_)];
  }
  quad& at(std::uint32_t cell, size_class cls) noexcept {
    return quads_[std::size_t{cell} * (1 + classes_) + 1 + cls];
  }
  const quad& at(std::uint32_t cell, size_class cls) const noexcept {
    return quads_[std::size_t{cell} * (1 + classes_) + 1 + cls];
  }

  static constexpr quad empty_class{0, 0, unlinked, nobody};

  std::uint32_t classes_ = 1;
  std::vector<quad> quads_; ///< per cell: its head, then one per class
  std::uint32_t free_ = nobody;
};

/// Finds members by name in an open table; the names stay with their owner.
class name_index {
public:
  explicit name_index(const std::vector<std::string>& names) : names_(names) {}
  name_index(const name_index&) = delete;
  name_index& operator=(const name_index&) = delete;

  /// `nobody` if the name is unknown.
  member_number find(std::string_view name) const noexcept;
  void add(member_number m);
  void remove(member_number m);

private:
  std::size_t home(std::string_view name) const noexcept;
  void place(member_number m) noexcept;

  const std::vector<std::string>& names_;
  std::vector<member_number> table_;
  std::size_t used_ = 0;
};

} // namespace depositd::rules
