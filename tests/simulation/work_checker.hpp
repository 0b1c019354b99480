#pragma once

// What the checker of batches and jobs knows at each moment of a history.
// Private to checker_work.cpp, checker_jobs.cpp and checker_batches.cpp.

#include "tests/simulation/book.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/work_book.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace depositd::simulation {

/// What a worker has said of a claim; it may have said several things.
struct word_of_worker {
  verdict says = verdict::done;
  std::string document;
};

struct wish {
  work_action action = work_action::hold;
  std::string stage;
  bool used = false; ///< something came of it
};

struct work_checker {
  work_checker(const history& x, findings& to) : told(x), out(to) {
    // nop
  }

  void see(const journalled& record, micros at_us, std::size_t at);
  void hear(const fact& what, std::size_t at);

  /// Something broke: until it is mended holds may not be in force yet.
  void doubt(micros at_us);

private:
  void complain(std::size_t at, const std::string& who, item_id id,
                const std::string& what) {
    out.push_back({"I-11", at, who + ' ' + std::to_string(id) + ' ' + what});
  }

  // -- checker_work.cpp: who wanted it

  /// Uses up one wish; false if there is none. What was wanted of number 0 was
  /// wanted of many at once, and is never used up.
  template <class Fits>
  bool use_wish(item_id id, Fits fits) {
    auto& all = wishes[id];
    const auto at = std::find_if(all.begin(), all.end(), [&](const wish& x) {
      return !x.used && fits(x);
    });
    if (at == all.end())
      return id != 0 && use_wish(0, fits);
    at->used = id != 0;
    return true;
  }

  bool use_wish(item_id id, work_action action);
  bool is_wanted(item_id id, work_action action) const;

  /// Whether the holder of the item's claim has said one of these, with the
  /// document that the item has from now on.
  bool has_said(item_id id, std::initializer_list<verdict> any) const;
  bool is_claimed(item_id id) const;
  bool may_be_free(shard_number shard, const std::string& collection,
                   micros at_us) const;
  void take_settings(const journalled& record, micros at_us);
  void take_body(const body_compacted& x);
  void answered(const work_done_as_wanted& x, std::size_t at);

  // -- checker_jobs.cpp: null, or what is wrong with the move

  void created(const journalled& record, const job_created& x, micros at_us,
               std::size_t at);
  void claimed(const journalled& record, const item_claimed& x, micros at_us,
               std::size_t at);
  void moved(const journalled& record, const job_moved& x, micros at_us,
             std::size_t at);
  const char* why_not(const job_moved& x, const tracked_job& job,
                      const pipeline& in);
  bool may_be_claimed(const tracked_job& job, const std::string& queue,
                      const pipeline& in) const;
  const char* why_not_by_stage(const job_moved& x, const tracked_job& job,
                               const pipeline& in, std::size_t index);
  const char* why_not_failed(const job_moved& x, const pipeline& in,
                             std::size_t index);
  const char* why_not_requeued(const job_moved& x, const tracked_job& job,
                               const pipeline& in, std::size_t index);
  const char* why_not_held(const job_moved& x, const tracked_job& job);
  const char* why_not_deleted(const job_moved& x, const tracked_job& job);

  /// Whether any pipeline that may be in force in the shard fulfils it.
  template <class Predicate>
  bool any_pipeline(shard_number shard, const std::string& name, micros at_us,
                    Predicate fits) const {
    const auto at = pipelines.find({shard, name});
    return at != pipelines.end() && at->second.any(at_us, fits);
  }

  // -- checker_batches.cpp

  void received(const journalled& record, const batch_received& x,
                micros at_us, std::size_t at);

  void moved(const batch_moved& x, std::size_t at);
  const char* why_not(const batch_moved& x, const tracked_batch& is);
  const char* why_not_split(const batch_moved& x, const tracked_batch& is);
  const char* why_not_reported(const batch_moved& x, const tracked_batch& is);
  void check_splitting(const batch_moved& x, std::size_t at);
  void count_reports(const batch_moved& x, std::size_t at);
  void compare_counts(std::size_t at);
  void check_end(const batch_forgotten& x, std::size_t at);

  const history& told;
  findings& out;
  item_book items;
  work_book book;
  std::map<std::pair<item_id, claim_token>, std::vector<word_of_worker>> said;
  std::map<item_id, std::vector<wish>> wishes;
  /// Which job or batch an order was about, and when it was given.
  std::map<std::uint32_t, std::pair<item_id, std::size_t>> asked;
  std::map<item_id, std::vector<std::pair<std::size_t, std::string>>> states;
  std::set<std::string> ever_held; ///< collections that somebody wanted held
  std::map<std::pair<shard_number, std::string>, lenient<bool>> holds;
  std::map<std::pair<shard_number, std::string>, lenient<collection_settings>>
    collections;
  std::map<std::pair<shard_number, std::string>, lenient<pipeline>> pipelines;
  std::map<item_id, std::string> bodies;
  std::map<item_id, std::string> rewritten; ///< bodies that come with a move
  std::set<item_id> touched;                ///< batches, since the last group
};

} // namespace depositd::simulation
