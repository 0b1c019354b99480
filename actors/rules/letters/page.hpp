#pragma once

#include "actors/rules/letters/letters.hpp"

#include <deque>
#include <map>

namespace depositd::rules {

/// A page of letters: the newest ends of partitions, put together by time. What
/// it needs is asked for in parts and given to it; after ten it is as long as
/// it is, so that no search takes long whatever the topic holds.
class letter_page {
public:
  /// Goes on before `after`, in partitions that are there.
  letter_page(letter_query what, letter_ranges all, const letter_bounds& after);

  /// What to read next; nothing if the page is done.
  std::optional<letter_span> wants();

  /// A letter of what it wants, in the order of its partition.
  void add(const letter_place& at, letter_facts x);

  /// All of what it wants was there.
  void merge();

  letter_list take();

private:
  struct waiting {
    std::int64_t offset = 0;
    letter_facts facts;
  };

  bool full() const {
    return out_.letters.size() >= what_.count_max;
  }

  bool more() const;
  bool matches(const letter_facts& x) const;
  std::int64_t step() const;

  letter_query what_;
  letter_ranges all_;
  letter_bounds at_;    ///< nothing at or behind it is still to be shown
  letter_bounds begun_; ///< where what was read begins
  std::map<std::int32_t, std::deque<waiting>> read_; ///< the oldest first
  int parts_ = 0;
  letter_list out_;
};

} // namespace depositd::rules
