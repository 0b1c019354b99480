#pragma once

// Numbers with tags, kept apart by what their tags have in common with the
// lowest one: what a lane holds beyond its head.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace depositd::rules {

/// A radix heap: tags only rise, and each entry stands in a list with those
/// whose tags differ from the lowest at the same digit, in the same way. Every
/// call is O(1) over time; an entry moves once for each digit at most. Lists
/// are runs of one array, read and written in sequence: following links from
/// user to user costs a cache miss each where there are many. So nothing is
/// taken out of the middle of them: entries that do not hold any more stay
/// until their turn comes, and whoever owns the lists knows which do.
class far_lists {
public:
  struct entry {
    std::uint64_t tag = 0;
    std::uint32_t id = 0;
    std::uint32_t stamp = 0; ///< tells it from others of the same number
  };

  /// `last` is the lowest tag, or lower; the same in all calls until something
  /// is taken. The entry's tag is above it.
  void push_back(const entry& x, std::uint64_t last);
  void push_front(const entry& x, std::uint64_t last);

  /// Entries, whether they hold or not.
  std::size_t size() const noexcept {
    return size_;
  }

  /// Takes out the list with the lowest tags, in its order; there must be one.
  /// Good until the next call that takes. `last` may rise to the lowest of
  /// them.
  const std::vector<entry>& take_lowest();

  /// Takes out all, list by list. Good until the next call that takes.
  const std::vector<entry>& take_all();

  /// Calls `f` with each list, the lowest first, until it returns false. The
  /// entries are in the list's order.
  template <class F>
  void each_list(F f) const {
    std::vector<entry> some;
    for (const auto& level : levels_)
      for (std::size_t digit = 0; level && digit < digits; ++digit)
        if (level->lists[digit].first != none) {
          some.clear();
          copy(level->lists[digit], some);
          if (!f(some))
            return;
        }
  }

private:
  static constexpr std::uint32_t none = 0xffff'ffff;
  static constexpr unsigned digit_bits = 6;
  static constexpr std::size_t digits = std::size_t{1} << digit_bits;
  static constexpr std::size_t levels_max = (64 + digit_bits - 1) / digit_bits;
  static constexpr std::uint32_t chunk_size = 16;

  /// Chunks, linked; places before `begin` in the first and from `end` on in
  /// the last are free.
  struct list {
    std::uint32_t first = none;
    std::uint32_t last = none;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  struct level {
    std::array<list, digits> lists;
    std::uint64_t filled = 0; ///< one bit each
  };

  /// The list of a tag, which is not empty from now on.
  list& list_of(std::uint64_t tag, std::uint64_t last);
  std::uint32_t new_chunk();
  void copy(const list& from, std::vector<entry>& to) const;
  /// Moves what is in it behind what is in `taken_`.
  void take(list& from);

  std::array<std::unique_ptr<level>, levels_max> levels_; ///< when used first
  std::vector<entry> places_;              ///< `chunk_size` for each chunk
  std::vector<std::uint32_t> next_chunks_; ///< of each chunk, also free ones
  std::uint32_t free_ = none;
  std::size_t size_ = 0;
  std::vector<entry> taken_;
};

} // namespace depositd::rules
