#pragma once

// Decisions about pipelines and collections.

#include "messages/values/control.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/events.hpp"

#include <string>
#include <vector>

namespace depositd::rules {

caf::error check_collection(const control_state& state,
                            const collection_changed& x);
caf::error check_pipeline(const pipeline_changed& x);

/// The queues that a pipeline has, those of batches included, by name.
std::vector<std::pair<std::string, queue_settings>>
queues_of(const pipeline& x);

/// The same for one that the control state has; empty if it has none.
std::vector<std::string> queue_names_of(const control_state& state,
                                        const std::string& pipeline);

/// A change of a pipeline, with what comes with it: queues that are new, and
/// those whose delays have changed.
std::vector<event> with_queues(const control_state& state,
                               const pipeline_changed& x);

/// Events that carry changed files of pipelines into the control state: what an
/// operator has set since stays where the file stayed the same.
std::vector<event> pipeline_changes(const control_state& state,
                                    const pipelines_seen& seen);

/// A stage and the pipeline that it is of.
struct stage_place {
  const pipeline* of = nullptr; ///< null: no such stage
  std::size_t index = 0;        ///< in its stages
};

/// By the name of its queue.
stage_place find_stage(const control_state& state, const std::string& queue);

/// Whether workers outside may receive from the queue and settle what they got:
/// of pipelines' queues only those of stages that are for them; none of topics,
/// which have doors of their own.
bool serves_outside(const control_state& state, const std::string& queue);

/// Why this user cannot submit to this collection; no error if they can.
/// `ec::not_found`, `ec::not_allowed`.
caf::error check_submitter(const control_state& state,
                           const std::string& collection,
                           const std::string& user);

} // namespace depositd::rules
