#pragma once

// What Merritt's last stages do with one job. Each can be repeated after a
// crash at any point.

#include "adapters/processing/merritt/work_on_job.hpp"
#include "adapters/processing/stages/receiver_turns.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace depositd::merritt {

/// Members of `job_document::more` that the last stages leave.
namespace left_by_store {

/// The number of the object's version, as storage counts.
inline constexpr const char* version = "version";
/// By the name of each storage target, the number that the version has there.
inline constexpr const char* stored_in = "stored_in";

} // namespace left_by_store

/// Where and under which number the version was stored, by target, as the
/// stage that stores has left it. Empty: nothing was stored, or what is there
/// is none of ours.
std::map<std::string, std::uint32_t> stored_in(const job_document& job);

/// Puts the version into every storage target of the collection, and reads it
/// back. `not_yet` while another job has the object; `retry` while a target is
/// away.
outcome store_object(work_on_job& x);

/// Records the version in the inventory.
outcome record_object(work_on_job& x);

/// Calls the collection's server, `not_yet` if that is so slow that others
/// would have to wait. What it refuses for good fails the job, unless the
/// collection says that callbacks may fail.
outcome notify_depositor(work_on_job& x, stages::receiver_turns& turns);

/// Gives up the job's locks and removes its working folder.
outcome clean_up(work_on_job& x);

/// Takes the locks of the object again, for this claim; an outcome if that does
/// not succeed now.
std::optional<outcome> take_locks(const work_on_job& x);

/// A failed job keeps no locks: the outcome, after they were given up if it
/// ends the job.
outcome without_locks(const work_on_job& x, outcome ending);

/// A step that works on the object, under its locks, which are extended while
/// it works and given up if it ends the job.
job_step locked(job_step step);

/// Whether the stage hands this item out no more if it must try again.
bool is_last_attempt(const stages::stage_task& task);

} // namespace depositd::merritt
