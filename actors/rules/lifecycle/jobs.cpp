#include "actors/rules/lifecycle/jobs.hpp"

namespace depositd::rules {

namespace {

caf::error refused(ec code, const std::string& text) {
  return caf::make_error(code, text);
}

std::string found(job_state x) {
  return "the job is " + (x == job_state::none ? "not there" : word(x));
}

/// The stages in their order, from `pending` to `notify`.
constexpr std::array stages = {job_state::pending,      job_state::estimating,
                               job_state::provisioning, job_state::downloading,
                               job_state::processing,   job_state::storing,
                               job_state::recording,    job_state::notify};

/// `stages.size()` for what is no stage.
std::size_t place(job_state x) {
  for (std::size_t i = 0; i < stages.size(); ++i)
    if (stages[i] == x)
      return i;
  return stages.size();
}

job_state stage_before(job_state x) {
  const auto at = place(x);
  return at == 0 || at == stages.size() ? job_state::none : stages[at - 1];
}

/// The one arrow that success takes although it has to be named.
bool is_success(job_state from, job_state to) {
  return after_success(from) == to
         || (from == job_state::pending && to == job_state::estimating);
}

caf::expected<job_status> created(const job_move& x) {
  if (x.to != job_state::pending && x.to != job_state::held)
    return refused(ec::invalid_argument,
                   "a job begins pending or held, not " + word(x.to));
  return job_status{.state = x.to, .changed_us = x.at_us, .note = x.note};
}

caf::expected<job_answer> move_to(const job_status& now, const job_request& x,
                                  job_state to) {
  auto out = moved(now, {now.state, to, x.at_us, x.note});
  if (!out)
    return std::move(out.error());
  return job_answer{std::move(*out), false};
}

caf::expected<job_answer> impossible(const job_status& now,
                                     const job_request& x,
                                     const std::string& wanted) {
  return refused(ec::invalid_argument, found(now.state) + ": only " + wanted
                                         + " can be asked to "
                                         + word(x.action));
}

caf::expected<job_answer> requeue(const job_status& now, const job_request& x) {
  if (now.state != job_state::failed)
    return impossible(now, x, "a failed job");
  if (now.submit_again)
    return refused(ec::invalid_argument,
                   "requeueing cannot help, submit again: " + now.note);
  const auto furthest = resumes_at(now);
  const auto to = x.to.value_or(furthest);
  if (place(to) > place(furthest))
    return refused(ec::invalid_argument, "the job cannot resume " + word(to)
                                           + ", it has come to "
                                           + word(furthest) + " only");
  return move_to(now, x, to);
}

caf::expected<job_answer> fail(const job_status& now, const job_request& x) {
  if (after_failure(now.state) == job_state::none)
    return impossible(now, x, "a job that is in a stage");
  auto out = move_to(now, x, job_state::failed);
  if (out)
    out->status.needs_review = true;
  return out;
}

} // namespace

caf::expected<job_status> moved(const job_status& now, const job_move& x) {
  if (now.state != x.from)
    return refused(ec::stale_claim, found(now.state) + ", not " + word(x.from));
  if (now.state == job_state::none)
    return created(x);
  if (!may_move(x.from, x.to))
    return refused(ec::invalid_argument,
                   found(now.state) + " and cannot become "
                     + (x.to == job_state::none ? "nothing" : word(x.to)));
  auto out = now;
  out.state = x.to;
  out.changed_us = x.at_us;
  out.note = x.note;
  if (is_success(x.from, x.to))
    out.last_successful = x.from;
  if (x.from == job_state::failed)
    out.needs_review = false;
  if (x.from == job_state::failed && x.to != job_state::deleted) {
    ++out.retry_count;
    out.last_successful = stage_before(x.to);
  }
  return out;
}

job_group group_of(job_state x) {
  switch (x) {
    case job_state::completed:
      return job_group::completed;
    case job_state::failed:
      return job_group::failed;
    case job_state::deleted:
      return job_group::deleted;
    default:
      return job_group::open;
  }
}

job_state resumes_at(const job_status& now) {
  const auto at = place(now.last_successful);
  return at + 1 < stages.size() ? stages[at + 1] : stages.front();
}

caf::expected<job_answer> decide(const job_status& now, const job_request& x) {
  switch (x.action) {
    case work_action::hold:
      return now.state == job_state::pending
               ? move_to(now, x, job_state::held)
               : impossible(now, x, "a pending job");
    case work_action::release:
      return now.state == job_state::held ? move_to(now, x, job_state::pending)
                                          : impossible(now, x, "a held job");
    case work_action::requeue:
      return requeue(now, x);
    case work_action::fail:
      return fail(now, x);
    case work_action::remove:
      if (deletable(now.state))
        return job_answer{now, true};
      return may_move(now.state, job_state::deleted)
               ? move_to(now, x, job_state::deleted)
               : impossible(now, x, "a held, failed or completed job");
    case work_action::note: {
      auto out = now;
      out.note = x.note;
      return job_answer{std::move(out), false};
    }
    case work_action::update_report:
      break;
  }
  return refused(ec::invalid_argument,
                 "a job cannot be asked to " + word(x.action));
}

job_state entered(job_state wanted, bool collection_held) {
  return wanted == job_state::pending && collection_held ? job_state::held
                                                         : wanted;
}

} // namespace depositd::rules
