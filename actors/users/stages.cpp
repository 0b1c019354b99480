// How the stages of jobs and batches end. The actor of the job or the batch
// decides, this one writes down.

#include "actors/rules/control/pipelines.hpp"
#include "actors/users/work.hpp"
#include "actors/work/batch.hpp"
#include "actors/work/job.hpp"
#include "messages/shard.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace depositd::users {

user_queue* find_queue(self_pointer self, const std::string& name) {
  for (auto& [number, queue] : self->state.queues)
    if (queue.name == name)
      return &queue;
  return nullptr;
}

user_queue* queue_with(self_pointer self, item_id id) {
  for (auto& [number, queue] : self->state.queues)
    if (queue.ledger.find(id))
      return &queue;
  return nullptr;
}

std::shared_ptr<const pipeline> stages_of(self_pointer self,
                                          const std::string& name) {
  const auto& control = self->state.control;
  if (!control)
    return nullptr;
  const auto at = control->pipelines.find(name);
  return at == control->pipelines.end()
           ? nullptr
           : std::shared_ptr<const pipeline>{control, &at->second};
}

bool is_held(self_pointer self, const std::string& collection) {
  const auto& control = self->state.control;
  if (!control)
    return false;
  const auto at = control->collections.find(collection);
  return at != control->collections.end() && at->second.held;
}

job_at position_of(self_pointer self, item_id id, const rules::kept_job& x,
                   const user_queue& in) {
  job_at out;
  out.id = id;
  out.batch = x.batch;
  out.queue = in.name;
  out.status = self->state.work.status_of(x);
  if (const auto item = in.ledger.find(id)) {
    out.priority = item->priority;
    out.attempt = item->attempt;
  }
  return out;
}

batch_at position_of(self_pointer, item_id id, const rules::kept_batch& x,
                     const user_queue& in) {
  batch_at out;
  out.id = id;
  out.queue = in.name;
  out.info = x.info;
  out.status = x.status;
  out.jobs = x.jobs;
  out.reports = x.reports;
  if (const auto item = in.ledger.find(id)) {
    out.priority = item->priority;
    out.attempt = item->attempt;
  }
  return out;
}

namespace {

/// Writes the body that an item has from now on.
void take_body(user_command& todo, self_pointer self, item_id id,
               const std::shared_ptr<const std::string>& body) {
  if (!body)
    return;
  auto& state = self->state;
  const auto before = todo.queue->ledger.body(id);
  if (before && state.unbudgeted.erase(id) == 0)
    state.options.budget->give_back(before->size());
  if (!state.options.budget->take(body->size()))
    todo.ask_place(id);
  todo.happen(body_compacted{id, todo.queue->name, *body, {}}, body);
}

void place_item(user_command& todo, self_pointer self, item_id id,
                const item_place& place) {
  auto* to = find_queue(self, place.queue);
  if (place.queue.empty())
    todo.forget_body(id);
  rules::ledger::place(id, place, todo.queue->ledger,
                       to == nullptr ? nullptr : &to->ledger);
  if (to != nullptr && to != todo.queue)
    report(self, *to);
}

void create_jobs(user_command& todo, self_pointer self, const batch_step& step,
                 item_id id) {
  auto& state = self->state;
  const auto stages = stages_of(self, step.jobs.front().info.pipeline);
  auto* to = find_queue(
    self, stage_queue_name(stages->name, stages->stages.front().name));
  const auto time = now(self);
  for (const auto& job : step.jobs) {
    auto coming = to->ledger.accept(
      {{id, job.priority, job.body->size(), 0, body_kind::inline_bytes,
        job.body}},
      time, nullptr, true);
    const auto kept = state.options.budget->take(job.body->size());
    if (!kept)
      todo.ask_place(id);
    for (auto& x : coming) {
      to->ledger.apply(event{x}, job.body);
      todo.note(std::move(x));
    }
    if (job.status.state == job_state::held) {
      const item_parked parked{id, to->name, true};
      to->ledger.apply(parked);
      todo.note(parked);
    }
    job_created made{id,       to->name,  step.move.id, time,
                     job.info, job.facts, job.status};
    state.work.apply(made);
    todo.note(std::move(made));
    ++id;
  }
  report(self, *to);
}

} // namespace

void take_step(user_command& todo, self_pointer self, job_step&& step) {
  auto& state = self->state;
  const auto id = step.move.id;
  const auto place = step.move.place;
  take_body(todo, self, id, step.body);
  for (auto& x : state.work.with_counts(std::move(step.move))) {
    state.work.apply(x);
    todo.note(std::move(x));
  }
  place_item(todo, self, id, place);
}

void take_step(user_command& todo, self_pointer self, batch_step&& step,
               item_id first_job) {
  auto& state = self->state;
  // Jobs may have moved since the step was asked for: what they have changed of
  // the counts stays, and the step adds its own.
  if (const auto* is = state.work.batch(step.move.id)) {
    auto counts = is->jobs;
    counts.expected = step.move.jobs.expected;
    counts.split = step.move.jobs.split;
    for (const auto& job : step.jobs)
      rules::count(counts, job_state::none, job.status.state);
    step.move.jobs = counts;
  }
  take_body(todo, self, step.move.id, step.body);
  if (!step.jobs.empty())
    create_jobs(todo, self, step, first_job);
  state.work.apply(step.move);
  todo.note(step.move);
  place_item(todo, self, step.move.id, step.move.place);
}

namespace {

using ending = std::shared_ptr<ended_claim>;

bool is_in_force(self_pointer self, const ended_claim& x) {
  const auto* queue = find_queue(self, x.queue);
  return queue != nullptr && x.what.token != 0
         && queue->ledger.token_of(x.what.id) == x.what.token;
}

void refuse(self_pointer self, const ending& x) {
  user_command todo{self, x->queue};
  if (x->then)
    x->then(todo, false);
  todo.commit();
}

/// The step is written down, unless somebody else has ended the claim.
template <class Step, class... More>
void write(self_pointer self, const ending& x, Step&& step, More... more) {
  if (!is_in_force(self, *x))
    return refuse(self, x);
  user_command todo{self, x->queue};
  const auto id = step.move.id;
  const auto* job = self->state.work.job(id);
  const auto batch = job == nullptr ? id : job->batch;
  ++todo.extras.finished;
  take_step(todo, self, std::forward<Step>(step), more...);
  if (x->then)
    x->then(todo, true);
  todo.commit();
  go_on(self, batch);
}

/// The item goes back as if its worker had given it back.
void give_back(self_pointer self, const ending& x, const caf::error& why) {
  spdlog::error("stage_not_decided user={} item={} reason=\"{}\"",
                self->state.options.user, x->what.id, render(why));
  if (!is_in_force(self, *x))
    return refuse(self, x);
  user_command todo{self, x->queue};
  auto what = x->what;
  what.says = verdict::not_yet;
  if (auto ended = todo.queue->ledger.settle(what, now(self)))
    todo.end(std::move(*ended));
  if (x->then)
    x->then(todo, true);
  todo.commit();
}

void end_job(self_pointer self, const ending& x, const rules::kept_job& job) {
  const auto* queue = find_queue(self, x->queue);
  const auto* batch = self->state.work.batch(job.batch);
  stage_ended ask;
  ask.job = position_of(self, x->what.id, job, *queue);
  ask.what = x->what;
  ask.at_us = now(self);
  ask.stages =
    batch == nullptr ? nullptr : stages_of(self, batch->info.pipeline);
  if (!ask.stages)
    return give_back(self, x, caf::make_error(ec::not_found, "no pipeline"));
  ask.collection_held = is_held(self, batch->info.collection);
  self->request(self->spawn(work::job), caf::infinite, std::move(ask))
    .then([=](job_step& step) { write(self, x, std::move(step)); },
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
  reserve_id numbers{self->state.options.user,
                     static_cast<std::uint32_t>(made->jobs.size())};
  self->request(self->state.options.shard, caf::infinite, std::move(numbers))
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

void go_on(self_pointer self, item_id id) {
  auto& state = self->state;
  const auto* batch = state.work.batch(id);
  if (batch == nullptr
      || rules::next_state(batch->status.state, batch->jobs)
           == batch_state::none)
    return;
  const auto* queue = queue_with(self, id);
  batch_stage_ended ask;
  ask.worker = false;
  ask.stages = stages_of(self, batch->info.pipeline);
  if (queue == nullptr || !ask.stages)
    return;
  ask.batch = position_of(self, id, *batch, *queue);
  ask.at_us = now(self);
  self->request(self->spawn(work::batch), caf::infinite, std::move(ask))
    .then(
      [=](batch_step& step) {
        // Another job may have been requeued meanwhile, or another of two
        // that ended at once have asked first.
        const auto* is = self->state.work.batch(id);
        auto* in = queue_with(self, id);
        if (is == nullptr || in == nullptr
            || rules::next_state(is->status.state, is->jobs)
                 == batch_state::none)
          return;
        step.move.jobs = is->jobs;
        user_command todo{self, in};
        take_step(todo, self, std::move(step), 0);
        todo.commit();
      },
      [=](const caf::error& why) {
        spdlog::error("batch_not_reported batch={} reason=\"{}\"", id,
                      render(why));
      });
}

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
    if (at.of == nullptr || x->attempt < at.of->stages[at.index].attempts_max)
      return false;
    ended_claim ended;
    ended.queue = number;
    ended.what.id = x->id;
    ended.what.token = queue->ledger.token_of(x->id);
    ended.what.says = verdict::retry;
    ended.what.reason = x->reason;
    ended.lost = true;
    end_stage(self, std::move(ended));
    return true;
  });
  return lost;
}

} // namespace depositd::users
