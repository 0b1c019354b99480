#pragma once

// How items, jobs and submissions stood, entry by entry: what who asked for
// them may have been told.

#include "tests/simulation/book.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/work_book.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace depositd::simulation {

/// How something stood, from which entry on.
struct stand {
  std::size_t since = 0;
  std::string among; ///< its queue, or its user; empty: it is not there
  std::string state;
};

/// How one thing has stood so far.
class course {
public:
  void go_on(std::size_t at, std::string among, std::string state);

  const stand& now() const {
    return stands_.back();
  }

  /// Whether it ever stood so after that many entries.
  template <class Predicate>
  bool ever(std::size_t after, Predicate fits) const {
    return std::any_of(first_after(after), stands_.end(), fits);
  }

  template <class Predicate>
  bool always(std::size_t after, Predicate fits) const {
    return std::all_of(first_after(after), stands_.end(), fits);
  }

private:
  /// What was in force then.
  std::vector<stand>::const_iterator first_after(std::size_t after) const;

  std::vector<stand> stands_ = {stand{}};
};

/// Of all that journals tell of.
class courses {
public:
  using by_id = std::unordered_map<item_id, course>;

  /// Submissions that are over are kept for so long; 0: for good.
  explicit courses(micros kept_us = 0) : kept_us_(kept_us) {
    // nop
  }

  /// It is so late, by the engine's clock.
  void pass(micros wall_us, std::size_t at);
  void follow(const journalled& x, std::size_t at);
  void follow(const forget_wanted& x, std::size_t at);
  void follow(const forgotten& x, std::size_t at);

  const by_id& of(listing what) const;

private:
  void follow_item(item_id id, std::size_t at);
  void follow_work(const journalled& x, std::size_t at);
  void follow_submission(const journalled& x, std::size_t at);
  void submission_stands(item_id id, submission_status how, std::size_t at);
  void submission_ends(item_id id, micros finished_us, std::size_t at);

  struct told {
    std::string user;
    bool over = false;
    std::size_t over_since = 0;
    bool moved = false; ///< to another queue: it is not told what happens there
  };

  /// Nobody can say how it stands.
  bool is_vague(const told& x) const;

  micros kept_us_;
  std::multimap<micros, item_id> forgotten_us_; ///< when they may be
  item_book items_;
  work_book work_;
  std::unordered_map<item_id, told> submissions_;
  std::unordered_map<std::string, std::uint32_t> to_forget_; ///< wishes
  by_id of_items_;
  by_id of_jobs_;
  by_id of_submissions_;
};

/// Any at all: of a submission that has moved to another queue, or that may be
/// forgotten by now.
inline constexpr const char* unknown_state = "?";

} // namespace depositd::simulation
