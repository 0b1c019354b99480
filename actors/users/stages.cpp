// How the stages of jobs and batches end. The actor of the job or the batch
// decides, this one writes down.

#include "actors/rules/control/pipelines.hpp"
#include "actors/rules/orders/orders.hpp"
#include "actors/users/work.hpp"
#include "actors/work/batch.hpp"
#include "actors/work/job.hpp"
#include "messages/shard.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <functional>
#include <utility>

namespace depositd::users {

namespace {

using ending = std::shared_ptr<ended_claim>;

bool is_in_force(self_pointer self, const ended_claim& x) {
  const auto* queue = find_queue(self, x.queue);
  if (queue == nullptr || x.what.token == 0)
    return false;
  const auto token = queue->ledger.token_of(x.what.id);
  return token == x.what.token
         || (token != 0 && seeded_bug("outcome_of_an_old_claim_counts"));
}

void refuse(self_pointer self, const ending& x) {
  // Who has it now is woken all the same.
  const auto* queue = find_queue(self, x->queue);
  if (queue == nullptr || queue->ledger.token_of(x->what.id) == 0)
    self->state.woken.erase(x->what.id);
  user_command todo{self, x->queue};
  if (x->then)
    x->then(todo, false);
  todo.commit();
}

/// The item goes back as if its worker had given it back.
void give_back(self_pointer self, const ending& x, const caf::error& why) {
  spdlog::error("stage_not_decided user={} item={} reason=\"{}\"",
                self->state.options.user, x->what.id, render(why));
  if (!is_in_force(self, *x))
    return refuse(self, x);
  self->state.woken.erase(x->what.id);
  user_command todo{self, x->queue};
  auto what = x->what;
  what.says = verdict::not_yet;
  if (auto ended = todo.queue->ledger.settle(what, now(self)))
    todo.end(std::move(*ended));
  if (x->then)
    x->then(todo, true);
  todo.commit();
}

/// The step is written down, unless somebody else has ended the claim, or it
/// leads where nobody could go on.
template <class Step, class... More>
void write(self_pointer self, const ending& x, Step&& step, More... more) {
  if (!is_in_force(self, *x))
    return refuse(self, x);
  if (const auto wrong = check_way(self, step))
    return give_back(self, x, wrong);
  user_command todo{self, x->queue};
  const auto id = step.move.id;
  const auto* job = self->state.work.job(id);
  const bool of_job = job != nullptr;
  const auto batch = of_job ? job->batch : id;
  ++todo.extras.finished;
  todo.extras.note_end(todo.queue->ledger.claimed_since(id), now(self),
                       x->what.says == verdict::failed
                         || x->what.says == verdict::rejected);
  take_step(todo, self, std::forward<Step>(step), more...);
  if (of_job)
    crash_point("job_step_decided");
  else
    crash_point("batch_step_decided");
  if (self->state.woken.erase(id) > 0)
    if (auto* at = queue_with(self, id)) {
      at->ledger.wake(std::vector{id});
      report(self, *at);
    }
  if (x->then)
    x->then(todo, true);
  todo.commit();
  go_on(self, batch);
}

/// Whether a worker has left the document that of the job: later stages take
/// from it whose the job is, and where its files are.
bool is_of(self_pointer self, const rules::kept_job& job,
           const std::string& bytes) {
  const auto read = decode_job_document(bytes);
  if (!read)
    return true; // which is judged with the move
  const auto* batch = self->state.work.batch(job.batch);
  return (batch == nullptr
          || (read->batch_uuid == batch->info.uuid
              && read->collection == batch->info.collection))
         && read->user == self->state.options.user
         && std::hash<std::string>{}(read->uuid) == job.uuid_hash;
}

/// Null if the pipeline of the job is gone. Its batch may be over: it is
/// reported when its last job is completed, and not when that was cleaned up
/// after.
std::shared_ptr<const pipeline> stages_of_job(self_pointer self,
                                              const rules::kept_batch* batch,
                                              const user_queue& queue) {
  if (batch != nullptr)
    return stages_of(self, batch->info.pipeline);
  if (!self->state.control)
    return nullptr;
  const auto at = rules::find_stage(*self->state.control, queue.name);
  return at.of == nullptr ? nullptr : stages_of(self, at.of->name);
}

void end_job(self_pointer self, const ending& x, const rules::kept_job& job) {
  const auto* queue = find_queue(self, x->queue);
  const auto* batch = self->state.work.batch(job.batch);
  stage_ended ask;
  ask.job = position_of(self, x->what.id, job, *queue);
  ask.what = x->what;
  if (!ask.what.document.empty() && !is_of(self, job, ask.what.document)) {
    ask.what.says = verdict::failed;
    ask.what.document.clear();
    ask.what.reason = "the worker's document is another job's";
  }
  ask.at_us = now(self);
  ask.stages = stages_of_job(self, batch, *queue);
  if (!ask.stages)
    return give_back(self, x, caf::make_error(ec::not_found, "no pipeline"));
  ask.collection_held =
    batch != nullptr && is_held(self, batch->info.collection);
  self->request(self->spawn(work::job), caf::infinite, std::move(ask))
    .then(
      [=](job_step& step) {
        hold_with_collection(self, step);
        write(self, x, std::move(step));
      },
      [=](const caf::error& why) { give_back(self, x, why); });
}

void end_batch(self_pointer self, const ending& x,
               const rules::kept_batch& batch);

void write_batch(self_pointer self, const ending& x, batch_step& step) {
  if (step.jobs.empty()) {
    // What a report leads to hangs on the counts: they must be those of now.
    const auto* is = self->state.work.batch(x->what.id);
    if (is != nullptr && is->jobs.split && step.move.jobs != is->jobs
        && is_in_force(self, *x) && is->queue == step.move.queue
        && is->status.state != batch_state::processing)
      return end_batch(self, x, *is);
    return write(self, x, std::move(step), item_id{0});
  }
  const auto made = std::make_shared<batch_step>(std::move(step));
  const number_jobs numbers{static_cast<std::uint32_t>(made->jobs.size())};
  self->request(self->state.options.shard, caf::infinite, numbers)
    .then(
      [=](const id_reserved& y) { write(self, x, std::move(*made), y.id); },
      [=](const caf::error& why) { give_back(self, x, why); });
}

void end_batch(self_pointer self, const ending& x,
               const rules::kept_batch& batch) {
  const auto* queue = find_queue(self, x->queue);
  batch_stage_ended ask;
  ask.batch = position_of(self, x->what.id, batch, *queue);
  ask.what = x->what;
  ask.at_us = now(self);
  ask.stages = stages_of(self, batch.info.pipeline);
  if (!ask.stages)
    return give_back(self, x, caf::make_error(ec::not_found, "no pipeline"));
  ask.collection_held = is_held(self, batch.info.collection);
  self->request(self->spawn(work::batch), caf::infinite, std::move(ask))
    .then([=](batch_step& step) { write_batch(self, x, step); },
          [=](const caf::error& why) { give_back(self, x, why); });
}

} // namespace

void end_stage(self_pointer self, ended_claim ended) {
  const auto x = std::make_shared<ended_claim>(std::move(ended));
  if (!is_in_force(self, *x))
    return refuse(self, x);
  const auto& work = self->state.work;
  if (const auto* job = work.job(x->what.id))
    end_job(self, x, *job);
  else if (const auto* batch = work.batch(x->what.id))
    end_batch(self, x, *batch);
  else
    give_back(self, x, caf::make_error(ec::not_found, "neither job nor batch"));
}

std::vector<event> without_exhausted(self_pointer self, queue_number number,
                                     std::vector<event> lost) {
  const auto* queue = find_queue(self, number);
  if (queue == nullptr || queue->settings.kind != queue_kind::stage)
    return lost;
  std::erase_if(lost, [&](const event& e) {
    const auto* x = std::get_if<item_released>(&e);
    if (x == nullptr || !self->state.control)
      return false;
    const auto at = rules::find_stage(*self->state.control, queue->name);
    const auto* job = self->state.work.job(x->id);
    const auto waits =
      job != nullptr && waits_for_release(self, job->batch, job->state);
    if (at.of == nullptr
        || (!waits && x->attempt < at.of->stages[at.index].attempts_max))
      return false;
    ended_claim ended;
    ended.queue = number;
    ended.what.id = x->id;
    ended.what.token = queue->ledger.token_of(x->id);
    ended.what.says = verdict::retry;
    ended.what.reason = x->reason;
    end_stage(self, std::move(ended));
    return true;
  });
  return lost;
}

std::vector<item_id> barred_orders(self_pointer self, const accept_items& x) {
  std::vector<item_id> out;
  if (x.beyond_limit)
    return out;
  for (const auto& item : x.items) {
    if (!item.batch)
      continue;
    auto why = rules::order_refusal(self->state.work, *item.batch);
    if (why.empty())
      continue;
    out.push_back(item.id);
    x.answer->refusal = std::move(why);
  }
  return out;
}

} // namespace depositd::users
