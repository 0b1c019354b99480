#include "actors/rules/work/decide.hpp"

#include "actors/rules/lifecycle/outcomes.hpp"
#include "messages/values/estimates.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <utility>

namespace depositd::rules {

namespace {

micros later(micros now, std::uint32_t delay_ms) {
  return delay_ms == 0 ? never : now + micros{delay_ms} * 1'000;
}

stage_outcome ended_as(const outcome& x) {
  stage_outcome out{stage_verdict::done, x.delay_ms, false, x.reason};
  switch (x.says) {
    case verdict::done:
      break;
    case verdict::release:
      out.says = stage_verdict::not_yet;
      out.delay_ms = 1;
      break;
    case verdict::skip:
      out.says = stage_verdict::skip;
      break;
    case verdict::retry:
      out.says = stage_verdict::transient;
      break;
    case verdict::not_yet:
      out.says = stage_verdict::not_yet;
      break;
    case verdict::rejected:
      out.submit_again = true;
      [[fallthrough]];
    case verdict::failed:
      out.says = stage_verdict::fatal;
      break;
  }
  return out;
}

/// Where the queue's stage is in the pipeline; its size if nowhere.
std::size_t place_of(const pipeline& in, const std::string& queue) {
  for (std::size_t i = 0; i < in.stages.size(); ++i)
    if (queue == stage_queue_name(in.name, in.stages[i].name))
      return i;
  return in.stages.size();
}

std::string queue_at(const pipeline& in, std::size_t index) {
  return index < in.stages.size()
           ? stage_queue_name(in.name, in.stages[index].name)
           : std::string{};
}

job_state state_at(const pipeline& in, std::size_t index) {
  return index < in.stages.size() ? in.stages[index].state
                                  : job_state::completed;
}

/// Where the end of a stage leads. States never go back, also where the
/// pipeline was changed under the job and its next stage is of an earlier one.
job_state led_to(job_state from, job_state next) {
  return seeded_bug("state_goes_back") ? next : std::max(from, next);
}

/// Of a job that begins, or begins afresh: pending, whatever state its first
/// stage is of.
job_state entered_as(const pipeline& in, std::size_t index) {
  return index == 0 ? job_state::pending : in.stages[index].state;
}

job_step as_it_is(const job_at& at) {
  job_step out;
  out.move.id = at.id;
  out.move.queue = at.queue;
  out.move.batch = at.batch;
  out.move.place = {at.queue, at.priority, false, at.attempt, never};
  out.move.status = at.status;
  return out;
}

/// The new body, and what people search of it. False: it cannot be read.
bool take_document(job_step& to, const std::string& bytes) {
  const auto read = decode_job_document(bytes);
  if (!read)
    return false;
  to.body = std::make_shared<const std::string>(bytes);
  to.move.has_facts = true;
  to.move.facts = facts_of(*read);
  to.move.place.priority =
    std::min<std::uint8_t>(read->priority, priority_last);
  return true;
}

/// The next state on the way that all is well.
job_state behind(job_state x) {
  return x == job_state::pending ? job_state::estimating : after_success(x);
}

/// The status with which the job's stage ends: a pipeline need not have a stage
/// for each state, and what it has none for is passed through.
caf::expected<job_status> passed_through(job_status now, job_state to,
                                         micros at_us) {
  while (now.state != to && behind(now.state) != to) {
    const auto next = behind(now.state);
    if (next == job_state::none)
      return now; // the move itself is refused then
    auto status = moved(now, {now.state, next, at_us, {}});
    if (!status)
      return status;
    now = std::move(*status);
  }
  return now;
}

/// The status of a job that has failed in a stage which is of this state by
/// now, or behind it: what led there was done, whatever stages were of then.
job_status having_come_to(job_status now, job_state to) {
  if (to <= resumes_at(now))
    return now;
  auto before = job_state::pending;
  while (behind(before) != to)
    before = behind(before);
  now.last_successful = before;
  return now;
}

void park(item_place& x) {
  x.parked = true;
  x.available_us = never;
}

} // namespace

caf::expected<job_step> after_stage(const stage_ended& x) {
  const auto& in = *x.stages;
  auto out = as_it_is(x.job);
  auto& move = out.move;
  const auto index = place_of(in, x.job.queue);
  auto said = ended_as(x.what);
  if (!x.what.document.empty() && !take_document(out, x.what.document))
    said = {stage_verdict::fatal, 0, false,
            "the handler's document cannot be read"};
  if (index == in.stages.size())
    said = {stage_verdict::fatal, 0, false,
            "the pipeline has no such stage any more"};
  const auto next =
    index < in.stages.size()
      ? after(in.stages[index], x.job.attempt, said)
      : next_move{.step = next_step::fail, .needs_review = true,
                  .note = said.note};
  // Behind its last state nothing can fail any more.
  const bool over = x.job.status.state == job_state::completed;
  const bool advances =
    next.step == next_step::advance || (over && next.step == next_step::fail);
  const auto to = advances ? led_to(x.job.status.state, state_at(in, index + 1))
                  : next.step == next_step::fail ? job_state::failed
                                                 : x.job.status.state;
  auto step = next;
  if (over && next.step == next_step::fail)
    step.step = next_step::advance;
  auto before = x.job.status;
  if (advances) {
    auto passed = passed_through(before, to, x.at_us);
    if (!passed)
      return std::move(passed.error());
    before = std::move(*passed);
  }
  auto status = after(before, step, {before.state, to, x.at_us, next.note});
  if (!status)
    return std::move(status.error());
  move.status = std::move(*status);
  if (advances) {
    move.place.queue =
      queue_at(in, index + (seeded_bug("job_skips_a_stage") ? 2 : 1));
    move.place.attempt = 0;
    move.status.deaths = 0;
    if (said.says == stage_verdict::skip)
      move.status.note = said.note;
  } else if (next.step == next_step::again) {
    move.place.attempt -= next.costs_attempt || x.job.attempt == 0 ? 0 : 1;
    move.place.available_us = later(x.at_us, next.delay_ms);
  } else {
    park(move.place);
  }
  return out;
}

caf::expected<job_step> as_wanted(const job_wanted& x) {
  const auto& in = *x.stages;
  auto out = as_it_is(x.job);
  job_request what{x.action, std::nullopt, x.at_us, x.note};
  auto index = place_of(in, x.job.queue);
  if (what.action == work_action::requeue && !x.stage.empty()) {
    index = place_of(in, stage_queue_name(in.name, x.stage));
    if (index == in.stages.size())
      return caf::make_error(ec::invalid_argument, "pipeline " + in.name
                                                     + " has no stage "
                                                     + x.stage.substr(0, 64));
  }
  const auto reached = place_of(in, x.job.queue);
  auto before = x.job.status;
  if (what.action == work_action::requeue && index < in.stages.size()) {
    what.to = entered_as(in, index);
    if (reached < in.stages.size() && index <= reached)
      before = having_come_to(std::move(before), *what.to);
  }
  auto answer = decide(before, what);
  if (!answer)
    return std::move(answer.error());
  if (what.action == work_action::requeue && index == in.stages.size())
    return caf::make_error(ec::invalid_argument,
                           "its stage, " + x.job.queue
                             + ", is not there any more: say with --to where "
                               "it is to go on");
  // Stages may share a state, which says nothing of their order then.
  if (what.action == work_action::requeue && index > reached)
    return caf::make_error(ec::invalid_argument,
                           "the job cannot resume in " + x.stage.substr(0, 64)
                             + ", it has come to " + in.stages[reached].name
                             + " only");
  // A completed job waits for a stage that tidies up behind it.
  if (answer->removed && reached < in.stages.size())
    return caf::make_error(ec::invalid_argument,
                           "the job is completed, and goes once "
                             + in.stages[reached].name + " has tidied up");
  auto& move = out.move;
  move.status = std::move(answer->status);
  if (answer->removed)
    move.place.queue.clear();
  if (what.action == work_action::note)
    move.place.available_us = x.job.available_us;
  const auto state = entered(move.status.state, x.collection_held);
  if (state != move.status.state) {
    auto held = moved(move.status, {move.status.state, state, x.at_us,
                                    "its collection is held"});
    if (held)
      move.status = std::move(*held);
  }
  switch (move.status.state) {
    case job_state::deleted:
      move.place.queue.clear();
      break;
    case job_state::held:
      if (seeded_bug("held_job_waits_on"))
        break;
      [[fallthrough]];
    case job_state::failed:
      park(move.place);
      break;
    default:
      break;
  }
  if (what.action == work_action::requeue) {
    if (seeded_bug("requeue_to_the_next_stage"))
      index = std::min(index + 1, in.stages.size() - 1);
    move.place.queue = queue_at(in, index);
    move.place.attempt = 0;
    move.status.deaths = 0;
  }
  return out;
}

job_moved after_death(const pipeline* stages, const job_at& at, micros now) {
  auto out = as_it_is(at).move;
  ++out.status.deaths;
  // What became of a completed job has been told; it only cleans up now.
  if (at.status.state != job_state::completed) {
    out.status.changed_us = now;
    out.status.note = "the engine died with it in hand";
  }
  const auto costs = death_costs_attempt(out.status.deaths);
  if (!costs && at.attempt > 0)
    out.place.attempt = at.attempt - 1;
  const auto index = stages == nullptr ? 0 : place_of(*stages, at.queue);
  if (!costs || stages == nullptr || index == stages->stages.size()
      || at.attempt < stages->stages[index].attempts_max)
    return out;
  auto failed = moved(at.status, {at.status.state, job_state::failed, now,
                                  "engines died with it in hand "
                                    + std::to_string(out.status.deaths)
                                    + " times"});
  if (!failed)
    return out; // behind its last state
  failed->deaths = out.status.deaths;
  failed->needs_review = true;
  out.status = std::move(*failed);
  park(out.place);
  return out;
}

} // namespace depositd::rules
