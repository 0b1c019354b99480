#include "tests/simulation/work_book.hpp"

namespace depositd::simulation {

namespace {

std::uint64_t& place_in(job_counts& of, job_state x) {
  switch (x) {
    case job_state::completed:
      return of.completed;
    case job_state::failed:
      return of.failed;
    case job_state::deleted:
      return of.deleted;
    default:
      return of.open;
  }
}

/// A batch that comes to this state has something to report.
bool begins_report(const tracked_batch& x, batch_state to) {
  return to != x.state
         && (to == batch_state::reporting || to == batch_state::update_reporting
             || (to == batch_state::failed
                 && (x.state == batch_state::pending
                     || x.state == batch_state::processing)));
}

} // namespace

void tally(job_counts& to, job_state from, job_state becomes) {
  if (from != job_state::none)
    --place_in(to, from);
  if (becomes != job_state::none)
    ++place_in(to, becomes);
  to.held += (becomes == job_state::held) - (from == job_state::held);
}

bool has_ended(const tracked_batch& x) {
  return x.split && x.is.open == 0 && x.is.total() >= x.expected;
}

std::optional<std::size_t> stage_at(const pipeline& in,
                                    const std::string& queue) {
  for (std::size_t i = 0; i < in.stages.size(); ++i)
    if (stage_queue_name(in.name, in.stages[i].name) == queue)
      return i;
  return {};
}

void work_book::apply(const journalled& x) {
  if (const auto* come = std::get_if<batch_received>(&x.what)) {
    auto& batch = batches_[come->id];
    batch.user = x.user;
    batch.collection = come->info.collection;
    batch.pipeline = come->info.pipeline;
    batch.queue = come->queue;
    batch.state = batch_state::pending;
  } else if (const auto* made = std::get_if<job_created>(&x.what)) {
    auto& job = jobs_[made->id];
    job.batch = made->batch;
    job.user = x.user;
    job.collection = made->info.collection;
    job.queue = made->queue;
    job.state = made->status.state;
    tally(batches_[made->batch].is, job_state::none, job.state);
  } else if (const auto* claim = std::get_if<item_claimed>(&x.what)) {
    if (const auto at = jobs_.find(claim->id); at != jobs_.end())
      at->second.begun = true;
  } else if (const auto* step = std::get_if<job_moved>(&x.what)) {
    auto& job = jobs_[step->id];
    tally(batches_[job.batch].is, job.state, step->status.state);
    job.requeues += job.state == job_state::failed
                    && step->status.state != job_state::failed
                    && step->status.state != job_state::deleted;
    job.begun = job.begun && job.state == step->status.state;
    job.state = step->status.state;
    job.queue = step->place.queue;
  } else if (const auto* moved = std::get_if<batch_moved>(&x.what)) {
    auto& batch = batches_[moved->id];
    batch.split = moved->jobs.split;
    if (begins_report(batch, moved->status.state)) {
      ++batch.reports;
      batch.due = true;
    } else if (moved->place.parked || moved->place.queue.empty()) {
      batch.due = false;
    }
    batch.queue = moved->place.queue;
    batch.state = moved->status.state;
    batch.expected = moved->jobs.expected;
    batch.said = moved->jobs;
  } else if (const auto* counted = std::get_if<batch_counted>(&x.what)) {
    batches_[counted->id].said = counted->jobs;
  }
}

} // namespace depositd::simulation
