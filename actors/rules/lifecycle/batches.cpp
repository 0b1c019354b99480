#include "actors/rules/lifecycle/batches.hpp"

#include "actors/rules/lifecycle/jobs.hpp"
#include "messages/values/test_points.hpp"

#include <cassert>

namespace depositd::rules {

namespace {

std::string found(batch_state x) {
  return "the batch is " + (x == batch_state::none ? "not there" : word(x));
}

caf::error refused(const batch_status& now, const std::string& text) {
  return caf::make_error(ec::invalid_argument, found(now.state) + text);
}

caf::expected<batch_answer> move_to(const batch_status& now,
                                    const batch_request& x, batch_state to) {
  auto out = moved(now, {now.state, to, x.at_us, x.note});
  if (!out)
    return std::move(out.error());
  return batch_answer{std::move(*out), false};
}

/// Moves from one state only.
caf::expected<batch_answer> move_from(batch_state from, const batch_status& now,
                                      const batch_request& x, batch_state to) {
  if (now.state != from)
    return refused(now, ": only a " + word(from) + " batch can be asked to "
                          + word(x.action));
  return move_to(now, x, to);
}

std::uint64_t& place(job_counts& of, job_group group) {
  switch (group) {
    case job_group::completed:
      return of.completed;
    case job_group::failed:
      return of.failed;
    case job_group::deleted:
      return of.deleted;
    case job_group::open:
      break;
  }
  return of.open;
}

} // namespace

caf::expected<batch_status> moved(const batch_status& now,
                                  const batch_move& x) {
  if (now.state != x.from)
    return caf::make_error(ec::stale_claim,
                           found(now.state) + ", not " + word(x.from));
  const bool begins = now.state == batch_state::none;
  if (begins ? x.to != batch_state::pending : !may_move(x.from, x.to))
    return refused(now,
                   " and cannot become "
                     + (x.to == batch_state::none ? "nothing" : word(x.to)));
  return batch_status{x.to, x.at_us, x.note};
}

void count(job_counts& to, job_state from, job_state becomes) {
  if (from != job_state::none) {
    auto& before = place(to, group_of(from));
    assert(before > 0);
    --before;
  }
  if (becomes != job_state::none)
    ++place(to, group_of(becomes));
  to.held -= from == job_state::held ? 1 : 0;
  to.held += becomes == job_state::held ? 1 : 0;
}

batch_verdict judge(const job_counts& x) {
  const std::uint64_t open_max = seeded_bug("batch_closes_early") ? 1 : 0;
  if (!x.split || x.total() < x.expected || x.open > open_max)
    return batch_verdict::open;
  return x.failed > 0 ? batch_verdict::some_failed
                      : batch_verdict::all_completed;
}

batch_state next_state(batch_state now, const job_counts& x) {
  return now == batch_state::processing && judge(x) != batch_verdict::open
           ? batch_state::reporting
           : batch_state::none;
}

batch_state after_report(batch_state now, const job_counts& x) {
  if (now != batch_state::reporting && now != batch_state::update_reporting)
    return batch_state::none;
  return judge(x) == batch_verdict::all_completed ? after_success(now)
                                                  : after_failure(now);
}

caf::expected<batch_answer> decide(const batch_status& now,
                                   const batch_request& x) {
  switch (x.action) {
    case work_action::hold:
      return move_from(batch_state::pending, now, x, batch_state::held);
    case work_action::release:
      return move_from(batch_state::held, now, x, batch_state::pending);
    case work_action::update_report:
      return move_from(batch_state::failed, now, x,
                       batch_state::update_reporting);
    case work_action::remove:
      if (deletable(now.state))
        return batch_answer{now, true};
      if (!may_move(now.state, batch_state::deleted))
        return refused(now, ": only a held, failed or completed batch can be "
                            "asked to delete");
      return move_to(now, x, batch_state::deleted);
    case work_action::requeue:
    case work_action::fail:
    case work_action::note:
      break;
  }
  return caf::make_error(ec::invalid_argument,
                         "a batch cannot be asked to " + word(x.action));
}

} // namespace depositd::rules
