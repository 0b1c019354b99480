// What operators and settings make of batches and jobs.

#include "actors/journal/reply.hpp"
#include "actors/rules/work/decide.hpp"
#include "actors/users/work.hpp"
#include "actors/work/batch.hpp"
#include "actors/work/job.hpp"

#include <memory>
#include <utility>

namespace depositd::users {

namespace {

caf::error gone(const char* what, item_id id) {
  return caf::make_error(ec::not_found, std::string{what} + " "
                                          + std::to_string(id)
                                          + " is not there, or at its end");
}

bool is_claimed(const user_queue& in, item_id id) {
  return in.ledger.token_of(id) != 0;
}

caf::error in_work(const std::string& state) {
  return caf::make_error(ec::invalid_argument,
                         "it is " + state
                           + " and somebody works on it: try again");
}

/// Of an order that is being decided.
struct ordering {
  reply_address where;
  micros changed_us = never; ///< of the status that the decision rests on
};

void write_job(self_pointer self, const ordering& of, job_step& step) {
  const auto id = step.move.id;
  const auto* job = self->state.work.job(id);
  auto* queue = queue_with(self, id);
  if (job == nullptr || queue == nullptr || job->changed_us != of.changed_us
      || queue->name != step.move.queue)
    return journal::answer(of.where,
                           caf::make_error(ec::stale_claim,
                                           "the job has moved meanwhile"));
  const auto batch = job->batch;
  user_command todo{self, queue};
  todo.deliver(
    reply{of.where, caf::make_message(job_ordered{step.move.status})});
  take_step(todo, self, std::move(step));
  todo.commit();
  go_on(self, batch);
}

void write_batch(self_pointer self, const ordering& of, batch_step& step) {
  const auto id = step.move.id;
  const auto* batch = self->state.work.batch(id);
  auto* queue = queue_with(self, id);
  if (batch == nullptr || queue == nullptr
      || batch->status.changed_us != of.changed_us || is_claimed(*queue, id))
    return journal::answer(of.where,
                           caf::make_error(ec::stale_claim,
                                           "the batch has moved meanwhile"));
  step.move.jobs = batch->jobs;
  user_command todo{self, queue};
  todo.deliver(
    reply{of.where, caf::make_message(batch_ordered{step.move.status})});
  take_step(todo, self, std::move(step), 0);
  todo.commit();
}

void ask_batch(self_pointer self, const reply_address& where,
               const order_batch& x) {
  const auto fail = [&](const caf::error& why) { journal::answer(where, why); };
  const auto* batch = self->state.work.batch(x.id);
  const auto* queue = queue_with(self, x.id);
  if (batch == nullptr || queue == nullptr)
    return fail(gone("batch", x.id));
  if (is_claimed(*queue, x.id))
    return fail(in_work(word(batch->status.state)));
  batch_wanted ask;
  ask.batch = position_of(self, x.id, *batch, *queue);
  ask.action = x.action;
  ask.note = x.note;
  ask.at_us = now(self);
  ask.stages = stages_of(self, batch->info.pipeline);
  if (!ask.stages)
    return fail(gone("the pipeline of batch", x.id));
  const ordering of{where, batch->status.changed_us};
  self->request(self->spawn(work::batch), caf::infinite, std::move(ask))
    .then([=](batch_step& step) { write_batch(self, of, step); },
          [=](const caf::error& why) { journal::answer(of.where, why); });
}

/// Jobs of a batch that is to be deleted: slice by slice, then the batch.
void delete_jobs(self_pointer self, const reply_address& where,
                 const order_batch& x) {
  auto& state = self->state;
  const auto* batch = state.work.batch(x.id);
  if (batch == nullptr)
    return journal::answer(where, gone("batch", x.id));
  const auto ids = state.work.jobs_that(
    [&](const rules::kept_job& job) {
      return job.batch == x.id
             && rules::may_move(job.state, job_state::deleted);
    },
    state.options.slice_items);
  if (ids.empty())
    return ask_batch(self, where, x);
  const auto time = now(self);
  for (const auto id : ids) {
    auto* queue = queue_with(self, id);
    const auto* job = state.work.job(id);
    if (queue == nullptr)
      continue;
    job_wanted ask;
    ask.job = position_of(self, id, *job, *queue);
    ask.action = work_action::remove;
    ask.note = x.note;
    ask.at_us = time;
    ask.stages = stages_of(self, state.work.batch(x.id)->info.pipeline);
    auto step = ask.stages ? rules::as_wanted(ask)
                           : caf::expected<job_step>{gone("pipeline of", id)};
    if (!step)
      return journal::answer(where, step.error());
    user_command todo{self, queue};
    take_step(todo, self, std::move(*step));
    todo.commit();
  }
  ++state.bulk_actions;
  self->request(user_self{self}, caf::infinite, journal::pass_journal{})
    .then(
      [=](const done&) {
        --self->state.bulk_actions;
        delete_jobs(self, where, x);
      },
      [=](const caf::error& why) {
        --self->state.bulk_actions;
        journal::answer(where, why);
      });
}

/// Whether the batch can be deleted at all, before its jobs are.
caf::error check_deletion(const rules::kept_batch& x, const order_batch& what,
                          micros time) {
  auto answer =
    rules::decide(x.status, rules::batch_request{what.action, time, {}});
  if (!answer)
    return std::move(answer.error());
  const auto working = x.jobs.open - x.jobs.held;
  if (working == 0)
    return {};
  return caf::make_error(ec::invalid_argument,
                         "the batch is " + word(x.status.state) + " with "
                           + std::to_string(working)
                           + " open jobs: hold, fail or finish them first");
}

} // namespace

void use_terms(self_pointer self, const use_work_terms& x) {
  const auto first = !self->state.control;
  self->state.control = x.control;
  if (!first)
    return;
  // What a crash has left between the last job of a batch and its report.
  for (const auto id : self->state.work.batches_that_go_on())
    go_on(self, id);
}

caf::result<job_ordered> order(self_pointer self, const order_job& x) {
  const auto* job = self->state.work.job(x.id);
  const auto* queue = queue_with(self, x.id);
  if (job == nullptr || queue == nullptr)
    return gone("job", x.id);
  if (is_claimed(*queue, x.id) && x.action != work_action::fail)
    return in_work(word(job->state));
  const auto* batch = self->state.work.batch(job->batch);
  job_wanted ask;
  ask.job = position_of(self, x.id, *job, *queue);
  ask.action = x.action;
  ask.stage = x.stage;
  ask.note = x.note;
  ask.at_us = now(self);
  ask.stages =
    batch == nullptr ? nullptr : stages_of(self, batch->info.pipeline);
  if (!ask.stages)
    return gone("the pipeline of job", x.id);
  ask.collection_held = is_held(self, batch->info.collection);
  const ordering of{journal::take_reply(self), job->changed_us};
  self->request(self->spawn(work::job), caf::infinite, std::move(ask))
    .then([=](job_step& step) { write_job(self, of, step); },
          [=](const caf::error& why) { journal::answer(of.where, why); });
  return journal::answered_later<job_ordered>();
}

caf::result<batch_ordered> order(self_pointer self, const order_batch& x) {
  if (x.action == work_action::remove)
    if (const auto* batch = self->state.work.batch(x.id))
      if (auto wrong = check_deletion(*batch, x, now(self)))
        return wrong;
  const auto where = journal::take_reply(self);
  if (x.action == work_action::remove)
    delete_jobs(self, where, x);
  else
    ask_batch(self, where, x);
  return journal::answered_later<batch_ordered>();
}

void hold_all(self_pointer self, const hold_collection& x) {
  auto& state = self->state;
  const auto ids = state.work.jobs_that(
    [&](const rules::kept_job& job) {
      const auto* batch = state.work.batch(job.batch);
      return job.state == job_state::pending && batch != nullptr
             && batch->info.collection == x.name;
    },
    state.work.jobs());
  for (const auto id : ids) {
    auto* queue = queue_with(self, id);
    if (queue == nullptr || is_claimed(*queue, id))
      continue; // somebody works on it: it goes on
    const auto* job = state.work.job(id);
    const auto* batch = state.work.batch(job->batch);
    job_wanted ask;
    ask.job = position_of(self, id, *job, *queue);
    ask.action = work_action::hold;
    ask.note = "its collection is held";
    ask.at_us = now(self);
    ask.collection_held = true;
    ask.stages = stages_of(self, batch->info.pipeline);
    if (!ask.stages)
      continue;
    auto step = rules::as_wanted(ask);
    if (!step)
      continue;
    user_command todo{self, queue};
    take_step(todo, self, std::move(*step));
    todo.commit();
  }
}

} // namespace depositd::users
