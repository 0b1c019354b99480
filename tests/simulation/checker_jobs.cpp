// I-11, of jobs.

#include "tests/simulation/work_checker.hpp"

namespace depositd::simulation {

void work_checker::created(const journalled& record, const job_created& x,
                           micros at_us, std::size_t at) {
  const auto wrong = [&](const char* what) { complain(at, "job", x.id, what); };
  const auto* of = book.batch(x.batch);
  if (of == nullptr)
    return wrong("is of no batch");
  const auto* in = book.stages(of->pipeline);
  if (book.job(x.id) != nullptr)
    wrong("was made twice");
  if (of->split || of->queue != of->pipeline + ".batch")
    wrong("was made though its batch is split");
  if (!has_said(x.batch, {verdict::done, verdict::skip}))
    wrong("was made and nobody has split its batch");
  if (in == nullptr || book.stage_at(of->pipeline, x.queue) != 0u)
    wrong("does not begin in the first stage");
  if (x.status.state == job_state::held ? ever_held.count(of->collection) == 0
                                        : x.status.state != job_state::pending)
    wrong("begins neither pending nor held with its collection");
  if (x.status.state == job_state::pending
      && !may_be_free(record.shard, of->collection, at_us))
    wrong("begins pending in a held collection");
  touched.insert(x.batch);
}

const char* work_checker::why_not_failed(const job_moved& x,
                                         const stage_settings& stage) {
  if (!x.place.parked)
    return "has failed and can be worked on";
  const auto worn =
    is_claimed(x.id) && items.find(x.id)->attempt >= stage.attempts_max;
  return worn || has_said(x.id, {verdict::failed, verdict::rejected})
             || use_wish(x.id, work_action::fail)
           ? nullptr
           : "has failed and nobody said so";
}

/// How a job's stage ends, or is begun again.
const char* work_checker::why_not_by_stage(const job_moved& x,
                                           const tracked_job& job,
                                           const pipeline& in,
                                           std::size_t index) {
  const auto to = x.status.state;
  const auto last = index + 1 == in.stages.size();
  const auto next_queue =
    last ? std::string{} : stage_queue_name(in.name, in.stages[index + 1].name);
  if (x.place.queue != x.queue || to == job_state::completed) {
    if (x.place.queue != next_queue
        || to != (last ? job_state::completed : in.stages[index + 1].state))
      return "went on to the wrong stage";
    if (x.place.parked || x.place.attempt != 0)
      return "went on and cannot be worked on";
    return has_said(x.id, {verdict::done, verdict::skip})
             ? nullptr
             : "went on and nobody has done its stage";
  }
  if (to == job.state) {
    if (x.place.parked)
      return "was set aside in its stage";
    return is_claimed(x.id) ? nullptr : "is begun again without a claim";
  }
  if (to != job_state::failed)
    return "is in another state and still in its stage";
  return why_not_failed(x, in.stages[index]);
}

const char* work_checker::why_not_requeued(const job_moved& x,
                                           const tracked_job& job,
                                           const pipeline& in,
                                           std::size_t index) {
  const auto to = book.stage_at(in.name, x.place.queue);
  if (!to)
    return "was requeued to no stage";
  if (*to > index)
    return "was requeued behind the stage that failed";
  const auto held = x.status.state == job_state::held && *to == 0
                    && in.stages[0].state == job_state::pending
                    && ever_held.count(job.collection) > 0;
  if (!held && x.status.state != in.stages[*to].state)
    return "was requeued to a stage of another state";
  if (x.place.attempt != 0 || x.place.parked != held)
    return "was requeued and cannot be worked on";
  const auto& name = in.stages[*to].name;
  if (!use_wish(x.id, [&](const wish& one) {
        return one.action == work_action::requeue
               && (one.stage == name || (one.stage.empty() && *to == index));
      }))
    return "was requeued and nobody wanted it";
  return x.status.retry_count == job.requeues + 1
           ? nullptr
           : "was requeued and that is not counted";
}

const char* work_checker::why_not_deleted(const job_moved& x,
                                          const tracked_job& job) {
  if (job.state != job_state::held && job.state != job_state::failed)
    return "was deleted in its work";
  return x.place.queue.empty()
             && (is_wanted(job.batch, work_action::remove)
                 || use_wish(x.id, work_action::remove))
           ? nullptr
           : "was deleted and nobody wanted it";
}

const char* work_checker::why_not_held(const job_moved& x,
                                       const tracked_job& job) {
  if (!x.place.parked || x.place.queue != x.queue)
    return "is held and can be worked on";
  if (job.state == job_state::held)
    return nullptr; // released while its collection is held
  return job.state == job_state::pending
             && (ever_held.count(job.collection) > 0
                 || (!is_claimed(x.id) && use_wish(x.id, work_action::hold)))
           ? nullptr
           : "is held and should not be";
}

/// Null if the move may be.
const char* work_checker::why_not(const job_moved& x, const tracked_job& job,
                                  const tracked_batch& of) {
  const auto to = x.status.state;
  const auto* in = book.stages(of.pipeline);
  const auto index = book.stage_at(of.pipeline, x.queue);
  if (in == nullptr || !index)
    return "is in no stage";
  if (x.batch != job.batch)
    return "is of another batch";
  if (job.state == job_state::completed || job.state == job_state::deleted)
    return "moves from its end";
  if (to == job_state::deleted)
    return why_not_deleted(x, job);
  if (job.state == job_state::failed)
    return why_not_requeued(x, job, *in, *index);
  if (to == job_state::held)
    return why_not_held(x, job);
  if (job.state == job_state::held)
    return to == job_state::pending && !x.place.parked
               && x.place.queue == x.queue
               && use_wish(x.id, work_action::release)
             ? nullptr
             : "is not held any more and nobody has released it";
  return why_not_by_stage(x, job, *in, *index);
}

void work_checker::moved(const job_moved& x, std::size_t at) {
  const auto* job = book.job(x.id);
  const auto* of = job == nullptr ? nullptr : book.batch(job->batch);
  if (of == nullptr)
    return complain(at, "job", x.id, "moves and was never made");
  if (const auto* wrong = why_not(x, *job, *of))
    complain(at, "job", x.id,
             std::string{wrong} + " (" + word(job->state) + " to "
               + word(x.status.state) + ')');
  if (rewritten.count(x.id) > 0
      && !has_said(x.id,
                   {verdict::done, verdict::skip, verdict::retry,
                    verdict::not_yet, verdict::failed, verdict::rejected}))
    complain(at, "job", x.id, "has a document that its worker did not write");
  touched.insert(job->batch);
}

void work_checker::claimed(const journalled& record, const item_claimed& x,
                           micros at_us, std::size_t at) {
  if (const auto* job = book.job(x.id)) {
    const auto* of = book.batch(job->batch);
    const auto* in = of == nullptr ? nullptr : book.stages(of->pipeline);
    const auto index =
      in == nullptr ? std::nullopt : book.stage_at(in->name, x.queue);
    if (!index || in->stages[*index].state != job->state)
      complain(at, "job", x.id,
               "is " + word(job->state) + " and handed out in " + x.queue);
    else if (job->state == job_state::pending && !job->begun
             && !may_be_free(record.shard, job->collection, at_us))
      complain(at, "job", x.id, "is handed out in a held collection");
  } else if (const auto* batch = book.batch(x.id)) {
    const auto splits = x.queue == batch->pipeline + ".batch";
    if (splits ? batch->split || batch->state == batch_state::held
               : !batch->due)
      complain(at, "batch", x.id,
               "is " + word(batch->state) + " and handed out in " + x.queue);
  }
}

} // namespace depositd::simulation
