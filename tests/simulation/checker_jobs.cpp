// I-11, of jobs.

#include "tests/simulation/work_checker.hpp"

namespace depositd::simulation {

void work_checker::created(const journalled& record, const job_created& x,
                           micros at_us, std::size_t at) {
  const auto wrong = [&](const char* what) { complain(at, "job", x.id, what); };
  const auto* of = book.batch(x.batch);
  if (of == nullptr)
    return wrong("is of no batch");
  if (book.job(x.id) != nullptr)
    wrong("was made twice");
  if (of->split || of->queue != of->pipeline + ".batch")
    wrong("was made though its batch is split");
  if (!has_said(x.batch, {verdict::done, verdict::skip}))
    wrong("was made and nobody has split its batch");
  if (!any_pipeline(record.shard, of->pipeline, at_us,
                    [&](const pipeline& in) {
                      return stage_at(in, x.queue) == 0u;
                    }))
    wrong("does not begin in the first stage");
  if (x.status.state == job_state::held ? ever_held.count(of->collection) == 0
                                        : x.status.state != job_state::pending)
    wrong("begins neither pending nor held with its collection");
  if (x.status.state == job_state::pending
      && !may_be_free(record.shard, of->collection, at_us))
    wrong("begins pending in a held collection");
  touched.insert(x.batch);
}

const char* work_checker::why_not_failed(const job_moved& x, const pipeline& in,
                                         std::size_t index) {
  if (!x.place.parked)
    return "has failed and can be worked on";
  // Nobody can end a stage that is gone otherwise.
  const auto worn = is_claimed(x.id)
                    && (index == in.stages.size()
                        || items.find(x.id)->attempt
                             >= in.stages[index].attempts_max);
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
  const auto last = index + 1 >= in.stages.size();
  const auto next_queue =
    last ? std::string{} : stage_queue_name(in.name, in.stages[index + 1].name);
  if (x.place.queue != x.queue || to == job_state::completed) {
    // States never go back, though the stages behind it were changed.
    if (index == in.stages.size() || x.place.queue != next_queue
        || to
             != (last ? job_state::completed
                      : std::max(job.state, in.stages[index + 1].state)))
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
  return why_not_failed(x, in, index);
}

const char* work_checker::why_not_requeued(const job_moved& x,
                                           const tracked_job& job,
                                           const pipeline& in,
                                           std::size_t index) {
  const auto to = stage_at(in, x.place.queue);
  if (!to)
    return "was requeued to no stage";
  if (*to > index)
    return "was requeued behind the stage that failed";
  // Who begins afresh is pending, whatever the first stage is of.
  const auto state = *to == 0 ? job_state::pending : in.stages[*to].state;
  const auto held = x.status.state == job_state::held
                    && state == job_state::pending
                    && ever_held.count(job.collection) > 0;
  if (!held && x.status.state != state)
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
  // The next stage may be one of pending jobs, too, in a changed pipeline.
  const auto goes_on
    = told.with_pipeline_changes && x.place.queue != x.queue
      && has_said(x.id, {verdict::done, verdict::skip});
  if (!x.place.parked || (x.place.queue != x.queue && !goes_on))
    return "is held and can be worked on";
  if (job.state == job_state::held)
    return nullptr; // released while its collection is held
  return job.state == job_state::pending
             && (ever_held.count(job.collection) > 0
                 || (!is_claimed(x.id) && use_wish(x.id, work_action::hold)))
           ? nullptr
           : "is held and should not be";
}

/// Null if the move may be, in this pipeline.
const char* work_checker::why_not(const job_moved& x, const tracked_job& job,
                                  const pipeline& in) {
  const auto to = x.status.state;
  const auto index = stage_at(in, x.queue).value_or(in.stages.size());
  if (index == in.stages.size() && !told.with_pipeline_changes)
    return "is in no stage";
  if (x.batch != job.batch)
    return "is of another batch";
  if (job.state == job_state::completed || job.state == job_state::deleted)
    return "moves from its end";
  if (to == job_state::deleted)
    return why_not_deleted(x, job);
  if (job.state == job_state::failed)
    return why_not_requeued(x, job, in, index);
  if (to == job_state::held)
    return why_not_held(x, job);
  if (job.state == job_state::held)
    return to == job_state::pending && !x.place.parked
               && x.place.queue == x.queue
               && use_wish(x.id, work_action::release)
             ? nullptr
             : "is not held any more and nobody has released it";
  return why_not_by_stage(x, job, in, index);
}

void work_checker::moved(const journalled& record, const job_moved& x,
                         micros at_us, std::size_t at) {
  const auto* job = book.job(x.id);
  const auto* of = job == nullptr ? nullptr : book.batch(job->batch);
  if (of == nullptr)
    return complain(at, "job", x.id, "moves and was never made");
  const char* wrong = "is of no pipeline";
  if (!any_pipeline(record.shard, of->pipeline, at_us,
                    [&](const pipeline& in) {
                      wrong = why_not(x, *job, in);
                      return wrong == nullptr;
                    }))
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

/// In a pipeline that was changed a job may show what its stage was of before.
bool work_checker::may_be_claimed(const tracked_job& job,
                                  const std::string& queue,
                                  const pipeline& in) const {
  if (told.with_pipeline_changes)
    return job.state != job_state::held && job.state != job_state::failed
           && queue == job.queue;
  const auto index = stage_at(in, queue);
  return index && in.stages[*index].state == job.state;
}

void work_checker::claimed(const journalled& record, const item_claimed& x,
                           micros at_us, std::size_t at) {
  if (const auto* job = book.job(x.id)) {
    const auto* of = book.batch(job->batch);
    if (of == nullptr
        || !any_pipeline(record.shard, of->pipeline, at_us,
                         [&](const pipeline& in) {
                           return may_be_claimed(*job, x.queue, in);
                         }))
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
