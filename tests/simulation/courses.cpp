#include "tests/simulation/courses.hpp"

#include "messages/values/operations.hpp"
#include "messages/values/words.hpp"

#include <iterator>
#include <utility>

namespace depositd::simulation {

// -- one ----------------------------------------------------------------------

void course::go_on(std::size_t at, std::string among, std::string state) {
  const auto& last = stands_.back();
  if (last.among != among || last.state != state)
    stands_.push_back({at, std::move(among), std::move(state)});
}

std::vector<stand>::const_iterator
course::first_after(std::size_t after) const {
  const auto later
    = std::partition_point(stands_.begin() + 1, stands_.end(),
                           [=](const stand& x) { return x.since < after; });
  return std::prev(later);
}

namespace {

auto is_over_of(const std::string& user) {
  return [&user, over = word(submission_status::completed)](const stand& x) {
    return x.among == user && x.state == over;
  };
}

} // namespace

// -- all ----------------------------------------------------------------------

const courses::by_id& courses::of(listing what) const {
  switch (what) {
    case listing::items:
      return of_items_;
    case listing::jobs:
      return of_jobs_;
    default:
      return of_submissions_;
  }
}

void courses::pass(micros wall_us, std::size_t at) {
  const auto last = forgotten_us_.lower_bound(wall_us);
  for (auto one = forgotten_us_.begin(); one != last; ++one)
    if (const auto& who = submissions_.at(one->second).user;
        of_submissions_[one->second].now().among == who)
      of_submissions_[one->second].go_on(at, who, unknown_state);
  forgotten_us_.erase(forgotten_us_.begin(), last);
}

void courses::follow(const journalled& x, std::size_t at) {
  follow_submission(x, at);
  follow_work(x, at);
  items_.apply(x);
  follow_item(id_in(x.what), at);
}

void courses::follow_item(item_id id, std::size_t at) {
  const auto* item = id == 0 ? nullptr : items_.find(id);
  if (item == nullptr)
    return;
  if (item->now == life::gone)
    return of_items_[id].go_on(at, {}, {});
  static constexpr item_state states[]
    = {item_state::pending, item_state::claimed, item_state::delayed,
       item_state::parked};
  of_items_[id].go_on(
    at, item->queue, word(states[static_cast<std::size_t>(item->now)]));
}

void courses::follow_work(const journalled& x, std::size_t at) {
  work_.apply(x);
  if (std::holds_alternative<job_created>(x.what)
      || std::holds_alternative<job_moved>(x.what)) {
    const auto id = id_in(x.what);
    const auto* job = work_.job(id);
    of_jobs_[id].go_on(at, job->user, word(job->state));
  } else if (const auto* gone = std::get_if<batch_forgotten>(&x.what)) {
    for (const auto& [id, job] : work_.jobs())
      if (job.batch == gone->id)
        of_jobs_[id].go_on(at, {}, {});
  }
}

void courses::submission_stands(item_id id, submission_status how,
                                std::size_t at) {
  const auto found = submissions_.find(id);
  if (found == submissions_.end() || found->second.over)
    return;
  found->second.over = how == submission_status::completed;
  found->second.over_since = at;
  of_submissions_[id].go_on(
    at, found->second.user,
    is_vague(found->second) ? unknown_state : word(how));
}

void courses::submission_ends(item_id id, micros finished_us,
                              std::size_t at) {
  const auto found = submissions_.find(id);
  if (kept_us_ > 0 && found != submissions_.end() && !found->second.over)
    forgotten_us_.emplace(finished_us + kept_us_, id);
  submission_stands(id, submission_status::completed, at);
}

void courses::follow_submission(const journalled& x, std::size_t at) {
  const auto id = id_in(x.what);
  if (std::holds_alternative<submission_received>(x.what)) {
    submissions_[id].user = x.user;
    submission_stands(id, submission_status::queued, at);
  } else if (std::holds_alternative<item_claimed>(x.what)) {
    submission_stands(id, submission_status::in_process, at);
  } else if (std::holds_alternative<item_released>(x.what)) {
    submission_stands(id, submission_status::queued, at);
  } else if (const auto* over = std::get_if<item_finished>(&x.what)) {
    submission_ends(id, over->finished_us, at);
  } else if (const auto* told = std::get_if<submission_ended>(&x.what)) {
    submission_ends(id, told->finished_us, at);
  } else if (const auto* moved = std::get_if<item_moved>(&x.what);
             moved != nullptr && moved->to != notify_queue) {
    if (const auto found = submissions_.find(id); found != submissions_.end())
      found->second.moved = true;
    submission_stands(id, submission_status::queued, at);
  }
}

bool courses::is_vague(const told& x) const {
  const auto at = to_forget_.find(x.user);
  return x.moved || (x.over && at != to_forget_.end() && at->second > 0);
}

void courses::follow(const forget_wanted& x, std::size_t at) {
  ++to_forget_[x.user];
  for (auto& [id, how] : of_submissions_)
    if (how.ever(at, is_over_of(x.user)))
      how.go_on(at, x.user, unknown_state);
}

void courses::follow(const forgotten& x, std::size_t at) {
  --to_forget_[x.user];
  for (const auto& [id, what] : submissions_)
    if (what.user == x.user && what.over && what.over_since < x.asked_at)
      of_submissions_[id].go_on(at, {}, {});
}

} // namespace depositd::simulation
