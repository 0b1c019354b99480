#include "actors/rules/lifecycle/outcomes.hpp"
#include "actors/rules/work/decide.hpp"
#include "messages/values/estimates.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <utility>

namespace depositd::rules {

namespace {

constexpr std::uint32_t retry_delay_ms = 5'000;
constexpr std::uint32_t retry_delay_ms_max = 600'000;

batch_step as_it_is(const batch_at& at) {
  batch_step out;
  auto& move = out.move;
  move.id = at.id;
  move.queue = at.queue;
  move.place = {at.queue, at.priority, false, at.attempt, never};
  move.status = at.status;
  move.jobs = at.jobs;
  move.reports = at.reports;
  return out;
}

/// To the queue of reports, to be worked on or to wait there.
void to_report(batch_step& x, const pipeline& in, bool now) {
  auto& place = x.move.place;
  place.queue = stage_queue_name(in.name, report_stage);
  place.attempt = 0;
  place.available_us = never;
  place.parked = !now;
  x.move.reports += now ? 1 : 0;
}

void again(batch_step& x, const batch_stage_ended& of, bool costs) {
  auto& place = x.move.place;
  // What a report has told already; a splitter that is not through has nothing.
  if (!of.what.document.empty()
      && x.move.queue == stage_queue_name(of.stages->name, report_stage))
    x.body = std::make_shared<const std::string>(of.what.document);
  auto delay = of.what.delay_ms;
  if (delay == 0) {
    delay = retry_delay_ms;
    for (std::uint32_t i = 1;
         i < of.batch.attempt && delay < retry_delay_ms_max; ++i)
      delay *= 2;
    delay = std::min(delay, retry_delay_ms_max);
  }
  place.available_us = of.at_us + micros{delay} * 1'000;
  place.attempt -= costs || place.attempt == 0 ? 0 : 1;
  if (!could_not_be_split(x.move.status, x.move.jobs))
    x.move.status.note = of.what.reason;
}

caf::error set_state(batch_step& x, batch_state to, micros at_us,
                     const std::string& note = {}) {
  auto status = moved(x.move.status, {x.move.status.state, to, at_us, note});
  if (!status)
    return std::move(status.error());
  x.move.status = std::move(*status);
  return {};
}

/// Splitting has begun, as far as anybody sees.
caf::error begin_splitting(batch_step& x, micros at_us) {
  return x.move.status.state == batch_state::pending
           ? set_state(x, batch_state::processing, at_us)
           : caf::error{};
}

/// No jobs, or no more of them: the report says why.
caf::expected<batch_step> split_failed(batch_step x,
                                       const batch_stage_ended& of,
                                       const std::string& why) {
  if (auto wrong = begin_splitting(x, of.at_us))
    return wrong;
  if (auto wrong = set_state(x, batch_state::failed, of.at_us, why))
    return wrong;
  to_report(x, *of.stages, true);
  return x;
}

new_job made_of(split_bodies::one&& x, const batch_stage_ended& of) {
  new_job out;
  out.priority = std::min(x.priority, priority_last);
  out.info = std::move(x.info);
  out.info.collection = of.batch.info.collection;
  out.info.pipeline = of.stages->name;
  out.facts = std::move(x.facts);
  const auto state =
    entered(job_state::pending,
            of.collection_held && !seeded_bug("jobs_made_past_a_hold"));
  out.status.state = state;
  out.status.changed_us = of.at_us;
  if (state == job_state::held)
    out.status.note = "its collection is held";
  out.body = std::make_shared<const std::string>(std::move(x.body));
  return out;
}

caf::expected<batch_step> after_splitting(batch_step x,
                                          const batch_stage_ended& of) {
  auto slice = decode_split_bodies(of.what.document);
  if (!slice)
    return split_failed(std::move(x), of,
                        "splitting it ended with what cannot be read");
  if (slice->last && slice->expected == 0)
    return split_failed(std::move(x), of, "there is nothing in it");
  if (auto wrong = begin_splitting(x, of.at_us))
    return wrong;
  x.move.status.note.clear();
  x.move.jobs.expected = slice->expected;
  x.move.jobs.split = slice->last;
  x.body = std::make_shared<const std::string>(std::move(slice->batch));
  if (seeded_bug("split_slice_twice"))
    for (auto one : slice->jobs)
      x.jobs.push_back(made_of(std::move(one), of));
  for (auto& one : slice->jobs)
    x.jobs.push_back(made_of(std::move(one), of));
  if (slice->last)
    to_report(x, *of.stages, false);
  else
    x.move.place.attempt = 0;
  return x;
}

/// Why a batch could not be split is known as long as the batch is; of others
/// no earlier note is here.
std::string note_after(const std::string& before, const std::string& note) {
  if (before.empty() || note.empty())
    return before + note;
  return before.ends_with(note) ? before : before + "; " + note;
}

caf::expected<batch_step> after_reporting(batch_step x,
                                          const batch_stage_ended& of,
                                          const std::string& note) {
  if (!of.what.document.empty())
    x.body = std::make_shared<const std::string>(of.what.document);
  auto all = note_after(x.move.status.note, note);
  const auto to = after_report(x.move.status.state, x.move.jobs);
  if (to == batch_state::none)
    x.move.status.note = std::move(all);
  else if (auto wrong = set_state(x, to, of.at_us, all))
    return wrong;
  x.move.place.attempt = 0;
  if (x.move.status.state == batch_state::completed)
    x.move.place.queue.clear();
  else
    x.move.place.parked = !seeded_bug("report_twice");
  return x;
}

} // namespace

bool could_not_be_split(const batch_status& now, const job_counts& jobs) {
  return !jobs.split
         && (now.state == batch_state::failed
             || now.state == batch_state::update_reporting);
}

caf::expected<batch_step> after_stage(const batch_stage_ended& x) {
  auto out = as_it_is(x.batch);
  const auto splits =
    x.batch.queue == stage_queue_name(x.stages->name, split_stage);
  if (!x.worker) {
    const auto to = next_state(x.batch.status.state, x.batch.jobs);
    if (to == batch_state::none)
      return caf::make_error(ec::stale_claim,
                             std::string{"the batch does not go on"});
    if (auto wrong = set_state(out, to, x.at_us))
      return wrong;
    to_report(out, *x.stages, true);
    return out;
  }
  switch (x.what.says) {
    case verdict::done:
    case verdict::skip:
      return splits ? after_splitting(std::move(out), x)
                    : after_reporting(std::move(out), x, x.what.reason);
    case verdict::not_yet:
    case verdict::release:
      again(out, x, false);
      return out;
    case verdict::retry:
      if (x.batch.attempt < batch_attempts_max) {
        again(out, x, true);
        return out;
      }
      [[fallthrough]];
    case verdict::failed:
    case verdict::rejected:
      break;
  }
  return splits ? split_failed(std::move(out), x, x.what.reason)
                : after_reporting(std::move(out), x,
                                  "the report was not sent: " + x.what.reason);
}

caf::expected<batch_step> as_wanted(const batch_wanted& x) {
  auto out = as_it_is(x.batch);
  auto answer = decide(x.batch.status, {x.action, x.at_us, x.note});
  if (!answer)
    return std::move(answer.error());
  out.move.status = std::move(answer->status);
  switch (out.move.status.state) {
    case batch_state::held:
      out.move.place.parked = true;
      break;
    case batch_state::deleted:
      out.move.place.queue.clear();
      break;
    case batch_state::update_reporting:
      out.move.status.note = note_after(x.batch.status.note, x.note);
      to_report(out, *x.stages, true);
      break;
    default:
      out.move.place.parked = false;
  }
  return out;
}

} // namespace depositd::rules
