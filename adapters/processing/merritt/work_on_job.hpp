#pragma once

// What every stage of a job begins and ends with.

#include "adapters/processing/merritt/working_folder.hpp"
#include "adapters/processing/stages/stage_tools.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace depositd::merritt {

class object_turns;

/// A job in hand.
struct work_on_job {
  const stages::stage_tools& tools;
  const stages::stage_task& task;
  job_document job; ///< whatever is changed here is written down
  job_folder folder;
  /// Whether what takes long is to be left for later, because others need the
  /// worker; asked by several threads, with the bytes that have come since.
  /// Null: it is not.
  std::function<bool(std::uint64_t more)> put_back = nullptr;
  /// Of the jobs in this process; null: nobody waits for those sent before.
  object_turns* turns = nullptr;
};

inline bool is_put_back(const work_on_job& x, std::uint64_t more = 0) {
  return x.put_back && x.put_back(more);
}

/// Whether `retry` would end it.
inline bool is_last_attempt(const work_on_job& x) {
  return x.task.item.item.attempt >= x.task.stage.attempts_max;
}

/// Whether it has failed by this.
bool is_fatal(const work_on_job& x, verdict says);

using job_step = std::function<outcome(work_on_job&)>;

/// Reads the job's document, does the step, and hands the document over if it
/// has changed. What is thrown counts as passing trouble.
stages::stage_handler
job_handler(std::shared_ptr<const stages::stage_tools> tools, job_step step);

/// The body of an item, wherever it is.
caf::expected<std::string> body_of(const stages::stage_tools& tools,
                                   const claimed_item& item);

using stages::ended;

/// What a failure means: `wrong` if the bytes or the address are at fault,
/// `retry` if it may pass, `failed` for what is not there.
outcome ended(const caf::error& failure, verdict wrong,
              const std::string& about = {});

/// The object is another job's: this one is "not yet", with no lock, and is
/// woken when that job gives up its own.
outcome wait_for_lock(const work_on_job& x, const object_lock& wanted);

/// While a job that the same depositor has sent before is on its way to this
/// lock: the same.
std::optional<outcome> wait_for_turn(const work_on_job& x,
                                     const object_lock& wanted);

/// Of all that a job locks, as far as it says.
std::vector<std::string> names_of_locks(const job_document& job,
                                        const collection_settings* collection);

/// It wants these, and has none of them yet.
void enter_turns(const work_on_job& x);

/// It wants none of them any more: whose turn is next is woken.
void give_up_turn(const work_on_job& x);

/// Gives up all locks of the job; whoever waits for them is woken.
caf::error give_up_locks(const work_on_job& x);

/// The name in quotation marks, cut to a bearable length.
std::string in_quotes(std::string_view name);

} // namespace depositd::merritt
