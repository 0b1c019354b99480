#pragma once

// Why a job is not finished yet.

#include "actors/operators/calls.hpp"
#include "actors/operators/why.hpp"

#include "messages/work.hpp"

namespace depositd::operators {

/// What is known of a job; the pointers are never null.
struct job_known {
  const job_row* row = nullptr;
  const item_explained* item = nullptr; ///< not live: it has none now
  const control_state* control = nullptr;
  std::uint64_t in_process = 0; ///< in its stage, over all users
};

/// Who may run the stage, for people; empty: any engine or node.
std::string what_runs(const stage_settings& x);

/// The answer to `job why ID`: every reason that applies, the strongest first.
/// Pure function.
document why_job_document(const job_known& x);

/// Finds out what is needed for that, and answers the call.
void explain_job(admin_pointer self, const admin_call_ptr& call,
                 const job_row& row);

} // namespace depositd::operators
