// What is known of a job or a batch, and how a step of it is written down.

#include "actors/users/work.hpp"
#include "actors/work/batch.hpp"
#include "messages/values/test_points.hpp"

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
    if (queue.ledger.glance(id))
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
  if (const auto item = in.ledger.glance(id)) {
    out.priority = item->priority;
    out.attempt = item->attempt;
    out.available_us = item->available_us;
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
  if (const auto item = in.ledger.glance(id)) {
    out.priority = item->priority;
    out.attempt = item->attempt;
  }
  return out;
}

bool waits_for_release(self_pointer self, item_id batch, job_state state) {
  const auto* of = self->state.work.batch(batch);
  return state == job_state::pending && of != nullptr
         && is_held(self, of->info.collection)
         && !seeded_bug("jobs_made_past_a_hold");
}

void hold_with_collection(self_pointer self, job_step& step) {
  auto& move = step.move;
  if (!waits_for_release(self, move.batch, move.status.state))
    return;
  move.status.state = job_state::held;
  move.status.note = "its collection is held";
  move.place.parked = true;
  move.place.available_us = never;
}

namespace {

/// Jobs of a user beyond so many wait long in a stage: their bodies are read
/// when their turn comes, and are not kept in memory till then.
constexpr std::uint64_t bodies_kept_max = 10'000;

bool keep_body(self_pointer self, const user_queue& in, std::uint64_t bytes) {
  return in.ledger.size() < bodies_kept_max
         && self->state.options.budget->take(bytes);
}

/// Writes the body that an item has from now on.
void take_body(user_command& todo, self_pointer self, item_id id,
               const std::shared_ptr<const std::string>& body) {
  if (!body)
    return;
  auto& state = self->state;
  const auto before = todo.queue->ledger.body(id);
  // Of several places that are awaited the last one must be the new body's.
  const bool awaits = state.unbudgeted.contains(id);
  if (before && !awaits)
    state.options.budget->give_back(before->size());
  if (awaits || !keep_body(self, *todo.queue, body->size()))
    todo.ask_place(id);
  todo.happen(body_compacted{id, todo.queue->name, *body, {}}, body);
}

void place_item(user_command& todo, self_pointer self, item_id id,
                const item_place& place) {
  auto* to = find_queue(self, place.queue);
  if (seeded_bug("move_without_its_finish") && to != todo.queue)
    return;
  if (place.queue.empty())
    todo.forget_body(id);
  rules::ledger::place(id, place, todo.queue->ledger,
                       to == nullptr ? nullptr : &to->ledger);
  if (to != nullptr && to != todo.queue)
    report(self, *to);
}

void hold_new_jobs(self_pointer self, batch_step& step) {
  for (auto& job : step.jobs)
    if (waits_for_release(self, step.move.id, job.status.state)) {
      job.status.state = job_state::held;
      job.status.note = "its collection is held";
    }
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
    if (!keep_body(self, *to, job.body->size()))
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
  crash_point("jobs_created");
  report(self, *to);
}

caf::error check_queue(self_pointer self, const std::string& name) {
  const auto* to = find_queue(self, name);
  if (name.empty()
      || (to != nullptr && to->settings.kind == queue_kind::stage))
    return {};
  return caf::make_error(ec::not_found,
                         "the queue " + name + " is none of a stage");
}

} // namespace

caf::error check_way(self_pointer self, const job_step& step) {
  return check_queue(self, step.move.place.queue);
}

caf::error check_way(self_pointer self, const batch_step& step) {
  if (auto wrong = check_queue(self, step.move.place.queue))
    return wrong;
  if (step.jobs.empty())
    return {};
  const auto& name = step.jobs.front().info.pipeline;
  const auto stages = stages_of(self, name);
  if (!stages)
    return caf::make_error(ec::not_found, "no such pipeline: " + name);
  return check_queue(
    self, stage_queue_name(stages->name, stages->stages.front().name));
}

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
  hold_new_jobs(self, step);
  step.move.jobs = state.work.counts_after(step);
  take_body(todo, self, step.move.id, step.body);
  if (!step.jobs.empty())
    create_jobs(todo, self, step, first_job);
  state.work.apply(step.move);
  todo.note(step.move);
  place_item(todo, self, step.move.id, step.move.place);
}

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
        if (is == nullptr || in == nullptr || check_way(self, step)
            || rules::next_state(is->status.state, is->jobs)
                 == batch_state::none)
          return;
        user_command todo{self, in};
        take_step(todo, self, std::move(step), 0);
        crash_point("report_decided");
        todo.commit();
      },
      [=](const caf::error& why) {
        spdlog::error("batch_not_reported batch={} reason=\"{}\"", id,
                      render(why));
      });
}

} // namespace depositd::users
