#pragma once

// Batches and jobs of a user, as its commands write them down. Private to
// actors/users.

#include "actors/users/command.hpp"

#include <functional>
#include <memory>
#include <string>

namespace depositd::users {

// -- steps.cpp ----------------------------------------------------------------

/// Null if the user does not serve a queue of this name.
user_queue* find_queue(self_pointer self, const std::string& name);

/// The pipeline of a job or a batch as it is set now; null if it is no more.
std::shared_ptr<const pipeline> stages_of(self_pointer self,
                                          const std::string& name);
bool is_held(self_pointer self, const std::string& collection);

/// What is known of a live job, or batch, for a decision about it.
job_at position_of(self_pointer self, item_id id, const rules::kept_job& x,
                   const user_queue& in);
batch_at position_of(self_pointer self, item_id id, const rules::kept_batch& x,
                     const user_queue& in);

/// The queue that has the item; null if none.
user_queue* queue_with(self_pointer self, item_id id);

/// Puts a step into the command about the queue that the item is in. The
/// queues that it goes to hear of it at once, the command's own when it is
/// committed.
void take_step(user_command& todo, self_pointer self, job_step&& step);
void take_step(user_command& todo, self_pointer self, batch_step&& step,
               item_id first_job);

/// Whether the user serves every queue that the step leads to. A pipeline may
/// have come with a name of a queue that there was before, of another kind, and
/// then nobody can work on what would come into that. An error names it.
caf::error check_way(self_pointer self, const job_step& step);
caf::error check_way(self_pointer self, const batch_step& step);

/// A job that comes (back) to its beginning while its collection is held waits
/// for its release, whenever the step was decided.
bool waits_for_release(self_pointer self, item_id batch, job_state state);
void hold_with_collection(self_pointer self, job_step& step);

/// After a job has moved: a batch of which no job is open goes to its report.
void go_on(self_pointer self, item_id batch);

// -- stages.cpp ---------------------------------------------------------------

/// Somebody is through with an item of a stage, whose claim has this token.
/// `then` is told in the command that writes the move down, or in an empty one
/// if the claim is not in force any more.
struct ended_claim {
  queue_number queue = 0;
  outcome what;
  std::function<void(user_command&, bool accepted)> then;
};
void end_stage(self_pointer self, ended_claim x);

/// Of the claims that were lost in the queue those are taken out that cannot
/// be handed out once more, for good or until their release: their jobs are
/// decided about.
std::vector<event> without_exhausted(self_pointer self, queue_number queue,
                                     std::vector<event> lost);

/// Orders that cannot come while another is not finished; their ids rise. What
/// a log of records has accepted comes all the same: its splitting finds out.
std::vector<item_id> barred_orders(self_pointer self, const accept_items& x);

} // namespace depositd::users
