#include "adapters/processing/merritt/work_on_job.hpp"

#include "adapters/processing/merritt/lock_clock.hpp"
#include "adapters/processing/merritt/manifest.hpp"
#include "adapters/processing/merritt/object_turns.hpp"
#include "messages/values/clock.hpp"

#include <algorithm>

#include <utility>

namespace depositd::merritt {

namespace {

/// As many as are handed out before others have long been entered.
constexpr std::uint32_t rows_at_start = 10'000;

outcome run(const stages::stage_tools& tools, const stages::stage_task& task,
            const job_step& step) {
  auto body = body_of(tools, task.item.item);
  if (!body)
    return ended(body.error(), verdict::failed, "the job's document");
  auto job = decode_job_document(*body);
  if (!job)
    return ended(verdict::failed,
                 "the job's document cannot be read: " + render(job.error()));
  auto folder = folder_of(tools.work_folder, *job);
  if (!folder)
    return ended(verdict::failed, render(folder.error()));
  const auto before = encode(*job);
  work_on_job x{tools, task, std::move(*job), std::move(*folder)};
  auto out = step(x);
  if (auto after = encode(x.job); after != before)
    out.document = std::move(after);
  return out;
}

std::vector<std::string> wanted_by(const work_on_job& x) {
  return names_of_locks(x.job, x.task.collection);
}

/// Of the collection, what has come as far as the stage of the turns. Whoever
/// is before that is entered by its next stage.
void enter_all_that_wait(const work_on_job& x) {
  job_query ask;
  ask.collections = {x.job.collection};
  ask.states = {job_state::processing};
  ask.count_max = rows_at_start;
  const auto rows = x.tools.work->jobs(ask);
  if (!rows)
    return; // they come in the order in which they are handed out
  for (const auto& row : *rows) {
    job_document job;
    job.what.identifier = row.facts.identifier;
    job.what.local_ids = split_local_ids(row.facts.local_ids);
    x.turns->enter(row.user, row.id, names_of_locks(job, x.task.collection));
  }
}

caf::error unlock(const work_on_job& x, const std::vector<std::string>& names) {
  if (auto failure =
        x.tools.inventory->unlock_all(x.job.uuid, x.task.item.item.token))
    return failure;
  if (x.tools.lock_waits)
    x.tools.lock_waits->ended(names);
  return {};
}

/// Whether one that was sent before is on its way to this lock.
bool is_behind(const work_on_job& x, const std::string& lock) {
  const auto& item = x.task.item.item;
  if (x.turns == nullptr || !x.tools.work)
    return false;
  job_query ask;
  ask.ids = x.turns->before(x.job.user, item.id, lock);
  if (ask.ids.empty())
    return false;
  const auto rows = x.tools.work->jobs(ask);
  return rows && std::any_of(rows->begin(), rows->end(), [&](const auto& row) {
           return goes_first(row, item.priority, engine_clock::system().now());
         });
}

/// As "not yet", without a lock. It may have become free before that was
/// noted, so that nobody would say so.
outcome hand_back(const work_on_job& x, const std::string& lock,
                  const std::string& why,
                  const std::function<bool()>& is_free) {
  auto out = ended(verdict::not_yet, in_quotes(lock) + " " + why);
  if (x.tools.lock_waits) {
    x.tools.lock_waits->wait(lock, x.task.item);
    if (is_free())
      out.delay_ms = 1;
  }
  auto given_up = wanted_by(x);
  std::erase(given_up, lock);
  if (auto failure = unlock(x, given_up))
    return ended(verdict::retry, depositd::render(failure));
  return out;
}

} // namespace

stages::stage_handler
job_handler(std::shared_ptr<const stages::stage_tools> tools, job_step step) {
  return [tools = std::move(tools),
          step = std::move(step)](const stages::stage_task& task) {
    return run(*tools, task, step);
  };
}

caf::expected<std::string> body_of(const stages::stage_tools& tools,
                                   const claimed_item& item) {
  if (item.kind == body_kind::inline_bytes)
    return item.body;
  return tools.blobs->get(item.body);
}

outcome ended(const caf::error& failure, verdict wrong,
              const std::string& about) {
  const auto text = (about.empty() ? "" : about + ": ") + render(failure);
  if (failure == ec::malformed || failure == ec::store_damaged
      || failure == ec::too_large || failure == ec::invalid_argument)
    return ended(wrong, text);
  return ended(failure == ec::not_found ? verdict::failed : verdict::retry,
               text);
}

std::vector<std::string> names_of_locks(const job_document& job,
                                        const collection_settings* collection) {
  std::vector<std::string> out;
  if (!job.what.identifier.empty())
    out.push_back(identifier_lock(job, 0, 0).name);
  if (collection != nullptr)
    for (const auto& id : job.what.local_ids)
      out.push_back(local_id_lock(job, collection->owner, id, 0, 0).name);
  return out;
}

void enter_turns(const work_on_job& x) {
  if (x.turns == nullptr)
    return;
  if (x.task.collection != nullptr && x.tools.work)
    x.turns->begin(x.job.collection, [&] { enter_all_that_wait(x); });
  x.turns->enter(x.job.user, x.task.item.item.id, wanted_by(x));
}

outcome wait_for_lock(const work_on_job& x, const object_lock& wanted) {
  return hand_back(x, wanted.name, "is in another job's hands", [&] {
    const auto free = x.tools.inventory->lock(wanted, lock_time());
    return free && *free;
  });
}

std::optional<outcome> wait_for_turn(const work_on_job& x,
                                     const object_lock& wanted) {
  const auto is_turn = [&] { return !is_behind(x, wanted.name); };
  if (is_turn())
    return std::nullopt;
  return hand_back(x, wanted.name, "is first for a job that was sent before",
                   is_turn);
}

bool is_fatal(const work_on_job& x, verdict says) {
  return says == verdict::failed || says == verdict::rejected
         || (says == verdict::retry && is_last_attempt(x));
}

void give_up_turn(const work_on_job& x) {
  if (x.turns != nullptr)
    x.turns->leave(x.task.item.item.id);
  if (x.tools.lock_waits)
    x.tools.lock_waits->ended(wanted_by(x));
}

caf::error give_up_locks(const work_on_job& x) {
  return unlock(x, wanted_by(x));
}

std::string in_quotes(std::string_view name) {
  return "\"" + std::string{name.substr(0, 200)} + "\"";
}

} // namespace depositd::merritt
