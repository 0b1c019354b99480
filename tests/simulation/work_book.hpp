#pragma once

// What the journalled events of a history say of batches and jobs, kept apart
// from the rules that the engines use.

#include "messages/values/pipelines.hpp"
#include "tests/simulation/history.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace depositd::simulation {

struct tracked_job {
  item_id batch = 0;
  std::string user;
  std::string collection;
  std::string queue; ///< of its stage; empty: it is at its end
  job_state state = job_state::none;
  std::uint32_t requeues = 0;
  /// Somebody has worked on it since it came to this state: who gives it back
  /// unworked gives it back to others, though its collection is held by then.
  bool begun = false;
};

struct tracked_batch {
  std::string user;
  std::string collection;
  std::string pipeline;
  std::string queue; ///< empty: it is at its end
  batch_state state = batch_state::none;
  std::uint64_t expected = 0;
  bool split = false;
  job_counts is;             ///< of its jobs, counted here
  job_counts said;           ///< by the engine
  std::uint32_t reports = 0; ///< that had to be begun
  bool due = false;          ///< one of them is not through
};

/// Where a job or a batch counts as it is; a tally of its own.
void tally(job_counts& to, job_state from, job_state becomes);

/// No job of the batch can do anything any more but by order.
bool has_ended(const tracked_batch& x);

/// The place of the queue's stage in the pipeline; nothing for others.
std::optional<std::size_t> stage_at(const pipeline& in,
                                    const std::string& queue);

class work_book {
public:
  /// Null if there never was one.
  const tracked_job* job(item_id id) const {
    const auto at = jobs_.find(id);
    return at == jobs_.end() ? nullptr : &at->second;
  }
  const tracked_batch* batch(item_id id) const {
    const auto at = batches_.find(id);
    return at == batches_.end() ? nullptr : &at->second;
  }
  const std::map<item_id, tracked_job>& jobs() const {
    return jobs_;
  }
  const std::map<item_id, tracked_batch>& batches() const {
    return batches_;
  }

  /// Takes the event in. What does not fit is taken as it says.
  void apply(const journalled& x);

private:
  std::map<item_id, tracked_job> jobs_;
  std::map<item_id, tracked_batch> batches_;
};

} // namespace depositd::simulation
