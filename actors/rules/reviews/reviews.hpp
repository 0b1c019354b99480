#pragma once

// Which failures somebody is told of: those of one cause together, and each
// cause once in a while. Pure: time comes in as an argument.

#include "messages/values/work_rows.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace depositd::rules {

/// Why jobs need somebody to look at them.
struct review_cause {
  std::string pipeline;
  std::string stage;
  std::string reason; ///< their notes, without what differs between them

  auto operator<=>(const review_cause&) const = default;
};

review_cause cause_of(const job_row& x);

/// The reason of jobs that have been in a stage for too long.
inline constexpr const char* too_old = "has been there for too long";

/// Whether nothing has moved the job for so long though it is in a stage.
bool is_too_old(const job_row& x, micros now, micros age_us);

/// What is told of a cause.
struct review_news {
  review_cause cause;
  std::uint64_t count = 0;    ///< of jobs since it was told last
  std::vector<item_id> first; ///< the first of them
  std::string note;           ///< of the first one, as it is
  std::string id;             ///< the same for a repeat in the same time

  friend bool operator==(const review_news&, const review_news&) = default;
};

inline constexpr std::size_t review_causes_max = 1'000;
inline constexpr std::size_t review_ids_max = 10;

class reviews {
public:
  /// Jobs that have changed since then are of interest.
  reviews(micros interval_us, micros since_us);

  /// A job that needs review. The same change counts once.
  void see(const job_row& x);

  /// All jobs that are too old now. Each counts once, until it moves.
  void see_old(const std::vector<job_row>& all);

  /// Everything that changed before has been seen: it may be forgotten.
  void seen_before(micros at);

  /// What has not been told for as long as it takes.
  std::vector<review_news> due(micros now) const;

  /// Somebody knows it.
  void told(const review_cause& x, micros now);

private:
  struct entry {
    std::uint64_t count = 0;
    std::vector<item_id> first;
    std::string note;
    micros told_us = never;
  };

  void count(review_cause cause, const job_row& x, const std::string& note);

  micros interval_us_;
  micros since_us_;
  std::map<review_cause, entry> causes_;
  std::map<item_id, micros> seen_; ///< the change that was counted last
  std::map<item_id, micros> old_;  ///< the same of those that were too old
};

} // namespace depositd::rules
