#include "adapters/processing/merritt/keeping.hpp"

#include "adapters/processing/merritt/keeping_steps.hpp"
#include "adapters/processing/merritt/lock_clock.hpp"
#include "adapters/processing/merritt/reporting.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace depositd::merritt {

namespace {

namespace fs = std::filesystem;

/// The job's locks in the order in which `process` takes them.
std::vector<object_lock> locks_of(const work_on_job& x, micros now) {
  const auto token = x.task.item.item.token;
  auto ids = x.job.what.local_ids;
  std::sort(ids.begin(), ids.end());
  std::vector<object_lock> out;
  for (const auto& id : ids)
    out.push_back(
      local_id_lock(x.job, x.task.collection->owner, id, token, now));
  out.push_back(identifier_lock(x.job, token, now));
  return out;
}

/// Extends locks while a step works, which may take longer than they last: a
/// large object is copied for hours.
class lock_renewal {
public:
  explicit lock_renewal(const work_on_job& x)
    : inventory_(x.tools.inventory), uuid_(x.job.uuid), locks_(locks_of(x, 0)),
      thread_([this](const std::stop_token& stop) { renew(stop); }) {
    // nop
  }

private:
  void renew(const std::stop_token& stop) {
    constexpr std::chrono::microseconds pause{object_lock_us / 6};
    std::unique_lock lock{mutex_};
    while (!stop.stop_requested()) {
      ended_.wait_for(lock, stop, pause, [] { return false; });
      if (stop.stop_requested())
        return;
      const auto now = lock_time();
      for (auto& one : locks_) {
        one.until_us = now + object_lock_us;
        const auto kept = inventory_->lock(one, now);
        if (!kept || !*kept)
          spdlog::error("lock_not_extended name=\"{}\" job={} reason=\"{}\"",
                        one.name, uuid_,
                        kept ? "somebody else has it" : render(kept.error()));
      }
    }
  }

  const std::shared_ptr<inventory> inventory_;
  const std::string uuid_;
  std::vector<object_lock> locks_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_; ///< last: it uses all the others
};

} // namespace

bool is_last_attempt(const stages::stage_task& task) {
  return task.item.item.attempt >= task.stage.attempts_max;
}

std::optional<outcome> take_locks(const work_on_job& x) {
  if (x.task.collection == nullptr)
    return without_locks(
      x, ended(verdict::failed, "there is no collection "
                                  + in_quotes(x.job.collection) + " any more"));
  if (x.job.what.identifier.empty())
    return without_locks(
      x, ended(verdict::failed, "the job has no identifier yet"));
  const auto now = lock_time();
  for (const auto& one : locks_of(x, now)) {
    const auto taken = x.tools.inventory->lock(one, now);
    if (!taken)
      return ended(verdict::retry, depositd::render(taken.error()));
    if (*taken)
      continue;
    return wait_for_lock(x, one);
  }
  return std::nullopt;
}

outcome without_locks(const work_on_job& x, outcome ending) {
  const bool over =
    ending.says == verdict::failed || ending.says == verdict::rejected
    || (ending.says == verdict::retry && is_last_attempt(x.task));
  if (over)
    if (auto failure = give_up_locks(x))
      ending.reason +=
        "; its locks stay for a while: " + depositd::render(failure);
  return ending;
}

job_step locked(job_step step) {
  return [step = std::move(step)](work_on_job& x) {
    if (auto ending = take_locks(x))
      return *ending;
    auto out = [&] {
      const lock_renewal renewing{x};
      return step(x);
    }();
    return without_locks(x, std::move(out));
  };
}

outcome clean_up(work_on_job& x) {
  if (auto failure = give_up_locks(x))
    return ended(verdict::retry, depositd::render(failure));
  std::error_code wrong;
  fs::remove_all(x.folder.root, wrong);
  if (wrong)
    return ended(verdict::retry,
                 "cannot remove the working folder: " + wrong.message());
  // The batch's, with its last job; others may be there.
  fs::remove(x.folder.root.parent_path(), wrong);
  return ended(verdict::done);
}

stages::stage_handlers
last_stages(std::shared_ptr<const stages::stage_tools> tools,
            std::shared_ptr<stages::shared_service> relay) {
  stages::stage_handlers out;
  out["merritt.store"] = job_handler(tools, locked(store_object));
  out["merritt.record"] = job_handler(tools, locked(record_object));
  const auto turns = std::make_shared<stages::receiver_turns>();
  out["merritt.notify"] = job_handler(tools, [turns](work_on_job& x) {
    return without_locks(x, notify_depositor(x, *turns));
  });
  out["merritt.cleanup"] = job_handler(tools, clean_up);
  out["merritt.report"] = make_reporter(tools, std::move(relay));
  return out;
}

} // namespace depositd::merritt
