#pragma once

// What the ring is made of: lists of bands, the set of bands that have
// somebody, and the cells that hold ready counts.

#include "actors/rules/ring/lane.hpp"
#include "messages/values/scheduling.hpp"

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::rules {

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

/// One list per band, and which of them are not empty. The numbers of all have
/// their links in one place, or those of each in one of its own.
struct band_lists {
  std::vector<lane> bands;
  band_set filled;
  std::uint32_t stamp_last = 0;

  explicit band_lists(std::uint32_t count) : bands(count) {}

  template <class Links>
  void push_back(Links links, std::uint8_t band, std::uint32_t id,
                 std::uint64_t tag) {
    bands[band].push_back(links, id, tag, ++stamp_last);
    filled.set(band);
  }

  template <class Links>
  void push_front(Links links, std::uint8_t band, std::uint32_t id,
                  std::uint64_t tag) {
    bands[band].push_front(links, id, tag, ++stamp_last);
    filled.set(band);
  }

  template <class Links>
  void erase(Links links, std::uint8_t band, std::uint32_t id) {
    bands[band].erase(links, id);
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

    std::uint32_t prev(std::uint32_t cell) const noexcept {
      return cells->at(cell, cls)[2];
    }
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
