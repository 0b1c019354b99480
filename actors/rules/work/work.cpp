#include "actors/rules/work/work.hpp"

#include "actors/rules/work/decide.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <variant>

namespace depositd::rules {

namespace {

kept_job kept(item_id batch, const job_status& x) {
  kept_job out;
  out.batch = batch;
  out.changed_us = x.changed_us;
  out.retry_count = x.retry_count;
  out.state = x.state;
  out.last_successful = x.last_successful;
  out.deaths = static_cast<std::uint8_t>(std::min(x.deaths, 255u));
  out.needs_review = x.needs_review;
  out.submit_again = x.submit_again;
  return out;
}

/// The read model has the others'.
void keep_note(kept_batch& x) {
  if (!could_not_be_split(x.status, x.jobs))
    x.status.note.clear();
}

} // namespace

struct work::applier {
  work& to;

  void operator()(const batch_received& x) {
    auto& batch = to.batches_[x.id];
    batch.queue = x.queue;
    batch.info = x.info;
    batch.status.state = batch_state::pending;
    batch.status.changed_us = x.received_us;
  }

  void operator()(const batch_moved& x) {
    const auto at = to.batches_.find(x.id);
    if (at == to.batches_.end())
      return;
    if (x.place.queue.empty()) {
      to.batches_.erase(at);
      return;
    }
    auto& batch = at->second;
    batch.queue = x.place.queue;
    batch.status = x.status;
    batch.jobs = x.jobs;
    keep_note(batch);
    batch.reports = x.reports;
  }

  void operator()(const batch_counted& x) {
    const auto at = to.batches_.find(x.id);
    if (at != to.batches_.end())
      at->second.jobs = x.jobs;
  }

  void operator()(const job_created& x) {
    to.jobs_[x.id] = kept(x.batch, x.status);
    to.jobs_[x.id].uuid_hash = std::hash<std::string>{}(x.info.uuid);
  }

  void operator()(const job_moved& x) {
    if (x.place.queue.empty()) {
      to.jobs_.erase(x.id);
      return;
    }
    auto& job = to.jobs_[x.id];
    const auto uuid_hash = job.uuid_hash;
    job = kept(x.batch, x.status);
    job.uuid_hash = uuid_hash;
  }

  template <class Other>
  void operator()(const Other&) {
    // of items, submissions and settings
  }
};

void work::apply(const event& x) {
  std::visit(applier{*this}, x);
}

void work::restore(const batch_row& row) {
  batches_[row.id] = {row.queue, row.info, row.status, row.jobs, row.reports};
  keep_note(batches_[row.id]);
  if (seeded_bug("counts_lost_at_recovery"))
    batches_[row.id].jobs.completed = 0;
}

void work::restore(const job_row& row) {
  jobs_[row.id] = kept(row.batch, row.status);
  jobs_[row.id].uuid_hash = std::hash<std::string>{}(row.info.uuid);
  if (seeded_bug("hold_forgotten_at_recovery")
      && row.status.state == job_state::held)
    jobs_[row.id].state = job_state::pending;
}

const kept_batch* work::batch(item_id id) const {
  const auto at = batches_.find(id);
  return at == batches_.end() ? nullptr : &at->second;
}

const kept_job* work::job(item_id id) const {
  const auto at = jobs_.find(id);
  return at == jobs_.end() ? nullptr : &at->second;
}

job_status work::status_of(const kept_job& x) const {
  job_status out;
  out.state = x.state;
  out.last_successful = x.last_successful;
  out.retry_count = x.retry_count;
  out.needs_review = x.needs_review;
  out.submit_again = x.submit_again;
  out.changed_us = x.changed_us;
  out.deaths = x.deaths;
  return out;
}

std::vector<item_id>
work::jobs_that(const std::function<bool(const kept_job&)>& match) const {
  std::vector<item_id> out;
  for (const auto& [id, x] : jobs_)
    if (match(x))
      out.push_back(id);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<event> work::with_counts(job_moved x) const {
  std::vector<event> out;
  const auto* before = job(x.id);
  const auto* of = batch(x.batch);
  if (before != nullptr && of != nullptr && before->state != x.status.state) {
    auto counts = of->jobs;
    count(counts, before->state, x.status.state);
    if (counts != of->jobs && !seeded_bug("counts_not_written")) {
      batch_counted news{x.batch, counts};
      out.emplace_back(std::move(x));
      out.emplace_back(std::move(news));
      return out;
    }
  }
  out.emplace_back(std::move(x));
  return out;
}

job_counts work::counts_after(const batch_step& x) const {
  const auto* is = batch(x.move.id);
  auto out = is == nullptr ? x.move.jobs : is->jobs;
  out.expected = x.move.jobs.expected;
  out.split = x.move.jobs.split;
  for (const auto& job : x.jobs)
    count(out, job_state::none, job.status.state);
  return out;
}

std::vector<item_id> work::batches_that_go_on() const {
  std::vector<item_id> out;
  for (const auto& [id, x] : batches_)
    if (next_state(x.status.state, x.jobs) != batch_state::none)
      out.push_back(id);
  return out;
}

} // namespace depositd::rules
