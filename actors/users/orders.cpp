// What operators and settings make of batches and jobs.

#include "actors/journal/reply.hpp"
#include "actors/rules/work/decide.hpp"
#include "actors/users/work.hpp"
#include "actors/work/batch.hpp"
#include "actors/work/job.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace depositd::users {

namespace {

caf::error gone(const char* what, item_id id) {
  return caf::make_error(ec::not_found, std::string{what} + " "
                                          + std::to_string(id)
                                          + " is not there, or at its end");
}

/// Of a job or batch that is there: not_found would say that it is not.
caf::error no_pipeline(const char* of, item_id id) {
  return caf::make_error(ec::invalid_argument,
                         std::string{"the pipeline of "} + of + " "
                           + std::to_string(id) + " is not there any more");
}

bool is_claimed(const user_queue& in, item_id id) {
  return in.ledger.token_of(id) != 0;
}

caf::error in_work(const std::string& state) {
  return caf::make_error(ec::invalid_argument,
                         "it is " + state
                           + " and somebody works on it: try again");
}

/// What could not be ordered if it waited either is not to be tried again.
template <class Answer>
caf::error in_work(const caf::expected<Answer>& if_it_waited,
                   const std::string& state) {
  return if_it_waited ? in_work(state) : if_it_waited.error();
}

/// Of an order that is being decided, and the status that the decision rests
/// on. Two moves may have one time.
template <class State>
struct ordering {
  reply_address where;
  micros changed_us = never;
  State state{};
  bool also_claimed = false; ///< whoever works on it is not asked
};

void write_job(self_pointer self, const ordering<job_state>& of,
               job_step& step) {
  const auto id = step.move.id;
  const auto* job = self->state.work.job(id);
  auto* queue = queue_with(self, id);
  if (job == nullptr || queue == nullptr || job->changed_us != of.changed_us
      || job->state != of.state || queue->name != step.move.queue)
    return journal::answer(of.where,
                           caf::make_error(ec::stale_claim,
                                           "the job has moved meanwhile"));
  if (is_claimed(*queue, id) && !of.also_claimed)
    return journal::answer(of.where, in_work(word(job->state)));
  if (auto wrong = check_way(self, step))
    return journal::answer(of.where, std::move(wrong));
  hold_with_collection(self, step);
  const auto batch = job->batch;
  user_command todo{self, queue};
  todo.deliver(
    reply{of.where, caf::make_message(job_ordered{step.move.status})});
  take_step(todo, self, std::move(step));
  crash_point("job_ordered");
  todo.commit();
  go_on(self, batch);
}

void write_batch(self_pointer self, const ordering<batch_state>& of,
                 batch_step& step) {
  const auto id = step.move.id;
  const auto* batch = self->state.work.batch(id);
  auto* queue = queue_with(self, id);
  if (batch == nullptr || queue == nullptr
      || batch->status.changed_us != of.changed_us
      || batch->status.state != of.state || is_claimed(*queue, id))
    return journal::answer(of.where,
                           caf::make_error(ec::stale_claim,
                                           "the batch has moved meanwhile"));
  if (auto wrong = check_way(self, step))
    return journal::answer(of.where, std::move(wrong));
  step.move.jobs = batch->jobs;
  user_command todo{self, queue};
  todo.deliver(
    reply{of.where, caf::make_message(batch_ordered{step.move.status})});
  take_step(todo, self, std::move(step), 0);
  crash_point("batch_ordered");
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
    return fail(
      in_work(rules::decide(batch->status, rules::batch_request{x.action}),
              word(batch->status.state)));
  batch_wanted ask;
  ask.batch = position_of(self, x.id, *batch, *queue);
  ask.action = x.action;
  ask.note = x.note;
  ask.at_us = now(self);
  ask.stages = stages_of(self, batch->info.pipeline);
  if (!ask.stages)
    return fail(no_pipeline("batch", x.id));
  const ordering<batch_state> of{where, batch->status.changed_us,
                                 batch->status.state};
  self->request(self->spawn(work::batch), caf::infinite, std::move(ask))
    .then([=](batch_step& step) { write_batch(self, of, step); },
          [=](const caf::error& why) { journal::answer(of.where, why); });
}

/// Of a job that is there, in `queue`; `stages` is null if its pipeline is
/// gone. Its batch may be over, while it waits to be tidied up after.
job_wanted wanted_of(self_pointer self, item_id id, const rules::kept_job& job,
                     const user_queue& queue) {
  job_wanted out;
  out.job = position_of(self, id, job, queue);
  out.at_us = now(self);
  if (const auto* batch = self->state.work.batch(job.batch)) {
    out.collection_held = is_held(self, batch->info.collection);
    out.stages = stages_of(self, batch->info.pipeline);
  } else {
    // The queue is called PIPELINE.STAGE.
    out.stages = stages_of(self, queue.name.substr(0, queue.name.rfind('.')));
  }
  return out;
}

/// Orders the job, if it is there and nobody works on it. Refusals mean that it
/// has gone on.
void order_now(self_pointer self, item_id id, work_action action,
               const std::string& note) {
  auto* queue = queue_with(self, id);
  const auto* job = self->state.work.job(id);
  if (queue == nullptr || job == nullptr || is_claimed(*queue, id))
    return;
  auto ask = wanted_of(self, id, *job, *queue);
  ask.action = action;
  ask.note = note;
  if (!ask.stages)
    return;
  auto step = rules::as_wanted(ask);
  if (!step || check_way(self, *step))
    return;
  user_command todo{self, queue};
  take_step(todo, self, std::move(*step));
  crash_point("job_swept");
  todo.commit();
}

/// What is done to each of very many jobs: a slice, and the next one when that
/// is durable. `then` gets an error if the disk failed.
struct sweep {
  std::vector<item_id> jobs;
  std::function<void(item_id)> each;
  std::function<void(const caf::error&)> then;
};

void run(self_pointer self, const std::shared_ptr<const sweep>& x,
         std::size_t from = 0) {
  if (from >= x->jobs.size())
    return x->then({});
  const auto end = std::min<std::size_t>(from + self->state.options.slice_items,
                                         x->jobs.size());
  for (auto at = from; at < end; ++at)
    x->each(x->jobs[at]);
  ++self->state.bulk_actions;
  self->request(user_self{self}, caf::infinite, journal::pass_journal{})
    .then(
      [=](const done&) {
        --self->state.bulk_actions;
        run(self, x, end);
      },
      [=](const caf::error& why) {
        --self->state.bulk_actions;
        x->then(why);
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

/// Jobs of a batch that is to be deleted, as long as they become fewer; then
/// the batch.
void delete_jobs(self_pointer self, const reply_address& where,
                 const order_batch& x, std::size_t jobs_before = SIZE_MAX) {
  auto jobs = self->state.work.jobs_that([&](const rules::kept_job& job) {
    return job.batch == x.id && rules::may_move(job.state, job_state::deleted);
  });
  if (jobs.empty()) {
    // One of them may have been requeued while the others went.
    if (const auto* batch = self->state.work.batch(x.id))
      if (auto wrong = check_deletion(*batch, x, now(self)))
        return journal::answer(where, std::move(wrong));
    return ask_batch(self, where, x);
  }
  if (jobs.size() >= jobs_before)
    return journal::answer(where, no_pipeline("batch", x.id));
  const auto count = jobs.size();
  run(self,
      std::make_shared<const sweep>(sweep{
        std::move(jobs),
        [=](item_id id) { order_now(self, id, work_action::remove, x.note); },
        [=](const caf::error& why) {
          if (why)
            journal::answer(where, why);
          else
            delete_jobs(self, where, x, count);
        }}));
}

} // namespace

void use_terms(self_pointer self, const use_work_terms& x) {
  const auto first = !self->state.control;
  self->state.control = x.control;
  if (!first)
    return;
  // What a crash has left of a hold, or between the last job of a batch and its
  // report.
  for (const auto& [name, collection] : x.control->collections)
    if (collection.held)
      hold_all(self, {name});
  for (const auto id : self->state.work.batches_that_go_on())
    go_on(self, id);
}

caf::result<job_ordered> order(self_pointer self, const order_job& x) {
  const auto* job = self->state.work.job(x.id);
  const auto* queue = queue_with(self, x.id);
  if (job == nullptr || queue == nullptr)
    return gone("job", x.id);
  if (is_claimed(*queue, x.id) && x.action != work_action::fail)
    return in_work(rules::decide(job_status{.state = job->state}, {x.action}),
                   word(job->state));
  auto ask = wanted_of(self, x.id, *job, *queue);
  ask.action = x.action;
  ask.stage = x.stage;
  ask.note = x.note;
  if (!ask.stages)
    return no_pipeline("job", x.id);
  const ordering<job_state> of{journal::take_reply(self), job->changed_us,
                               job->state, x.action == work_action::fail};
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
  const auto& work = self->state.work;
  auto jobs = work.jobs_that([&](const rules::kept_job& job) {
    const auto* batch = work.batch(job.batch);
    return job.state == job_state::pending && batch != nullptr
           && batch->info.collection == x.name;
  });
  run(self, std::make_shared<const sweep>(
              sweep{std::move(jobs),
                    [=, name = x.name](item_id id) {
                      if (is_held(self, name)) // still
                        order_now(self, id, work_action::hold,
                                  "its collection is held");
                    },
                    [](const caf::error&) {
                      // The shard starts over, and holds them then.
                    }}));
}

} // namespace depositd::users
