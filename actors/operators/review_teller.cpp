#include "actors/operators/review_teller.hpp"

#include "actors/operators/documents.hpp"
#include "actors/rules/pages/pages.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <iterator>
#include <utility>

namespace depositd::operators {

namespace {

using self_pointer = actor_with<review_teller_state>*;

constexpr std::uint32_t jobs_per_page = 1'000;
constexpr int pages_max = 20;               ///< of one look
constexpr std::uint32_t old_jobs_max = 100; ///< of one stage
constexpr int stages_max = 500;
/// Engines' clocks differ, and a change has its time before it is written, for
/// which a disk may take long. A shard that is away is waited for anyway.
constexpr micros overlap_us = micros{300} * 1'000'000;

micros now(self_pointer self) {
  return self->state.options.clock.at(self->clock().now());
}

micros interval_us(const review_teller_state& state) {
  return std::chrono::duration_cast<std::chrono::microseconds>(
           state.options.interval)
    .count();
}

std::string place_of(const rules::review_cause& x) {
  return x.stage.empty() ? x.pipeline : x.pipeline + "." + x.stage;
}

/// Shows all jobs that need review and have changed since, or as many of them
/// as one look shows: the next one goes on from there.
caf::error look(review_teller_state& state, micros at) {
  job_query query;
  query.needs_review = true;
  query.changed_since_us = state.since_us;
  query.count_max = jobs_per_page;
  query.after = state.shown;
  if (query.after.empty())
    state.looked_us = at;
  for (int page = 0; page < pages_max; ++page) {
    const auto rows = state.options.work->jobs(query);
    if (!rows)
      return rows.error();
    for (const auto& row : *rows)
      for (auto& channel : state.channels)
        channel.known.see(row);
    if (rows->size() < jobs_per_page) {
      state.shown.clear();
      state.since_us = std::max(state.since_us, state.looked_us - overlap_us);
      break;
    }
    query.after = *rules::pages::read_cursor(
      rules::pages::cursor_after(query.after, *rows));
    state.shown = query.after;
  }
  return {};
}

/// The states in which a job can have been for too long.
std::vector<job_state> states_that_age() {
  std::vector<job_state> out;
  for (const auto& [value, text] : words_of<job_state>) {
    job_row example;
    example.status = {.state = value, .changed_us = 1};
    if (rules::is_too_old(example, 2, 1))
      out.push_back(value);
  }
  return out;
}

/// The first of each stage of each pipeline: nobody reads about more, and a
/// stage that is full of them hides no other.
caf::expected<std::vector<job_row>> old_jobs(work_reader& from,
                                             micros changed_before_us) {
  job_query query;
  query.states = states_that_age();
  query.changed_before_us = changed_before_us;
  query.count_max = old_jobs_max;
  std::vector<job_row> out;
  for (int stage = 0; stage < stages_max; ++stage) {
    auto rows = from.jobs(query);
    if (!rows)
      return std::move(rows.error());
    const bool is_all = rows->size() < old_jobs_max;
    if (!is_all) {
      auto of_one = query;
      of_one.queues = {rows->front().queue};
      query.queues_but.push_back(rows->front().queue);
      rows = from.jobs(of_one);
      if (!rows)
        return std::move(rows.error());
    }
    std::move(rows->begin(), rows->end(), std::back_inserter(out));
    if (is_all)
      break;
  }
  return out;
}

caf::error look_for_old(review_teller_state& state, micros at) {
  const auto age_us = std::chrono::duration_cast<std::chrono::microseconds>(
                        state.options.stage_age)
                        .count();
  if (age_us == 0 || at <= age_us)
    return {};
  const auto old = old_jobs(*state.options.work, at - age_us + 1);
  if (!old)
    return old.error();
  for (auto& channel : state.channels)
    channel.known.see_old(*old);
  return {};
}

/// What can never be told is told to the log alone.
void tell(review_channel& by, micros at) {
  for (const auto& news : by.known.due(at)) {
    const auto failed = by.tell(news);
    if (failed)
      spdlog::warn("review_not_told by={} cause={} count={} reason=\"{}\"",
                   by.name, place_of(news.cause), news.count, render(failed));
    if (failed && failed != ec::invalid_argument
        && !seeded_bug("review_given_up"))
      return; // the others would not get through either
    by.known.told(news.cause, at);
  }
}

void look_and_tell(self_pointer self) {
  auto& state = self->state;
  const auto at = now(self);
  if (state.options.leads && !state.options.leads()) {
    // Whoever leads tells; if that is us later, also what that one may have
    // kept for later. Rather twice than never.
    state.shown.clear();
    const auto kept_us = std::max(interval_us(state), overlap_us);
    state.since_us = std::max<micros>(at - kept_us, 0);
  } else if (const auto failed = look(state, at)) {
    spdlog::warn("reviews_not_read reason=\"{}\"", render(failed));
  } else if (const auto unread = look_for_old(state, at)) {
    spdlog::warn("reviews_not_read reason=\"{}\"", render(unread));
  } else {
    for (auto& channel : state.channels) {
      channel.known.seen_before(state.since_us);
      tell(channel, at);
    }
  }
  self->delayed_send(self, state.options.pause, look_for_reviews{});
}

void add_ids(const rules::review_news& x, std::string& to) {
  for (const auto id : x.first)
    to += " " + std::to_string(id);
  if (x.count > x.first.size())
    to += " ...";
}

mail old_jobs_mail(const rules::review_news& x, mail out) {
  const auto many = std::to_string(x.count);
  const auto jobs = x.count == 1 ? " job has" : " jobs have";
  out.subject =
    "depositd: " + many + jobs + " waited too long at " + place_of(x.cause);
  out.text = many + jobs + " been at " + place_of(x.cause)
             + " for longer than reviews.stage_age_s.\n\nThe first: " + x.note
             + "\n\nJobs:";
  add_ids(x, out.text);
  out.text += "\n\nSee: depositctl pipeline ages, depositctl job why ID, "
              "depositctl sp list\n";
  return out;
}

} // namespace

mail review_mail(const rules::review_news& x) {
  const auto many = std::to_string(x.count);
  const bool one = x.count == 1;
  const auto place = place_of(x.cause);
  mail out;
  out.id = x.id;
  if (x.cause.reason == rules::too_old)
    return old_jobs_mail(x, std::move(out));
  out.subject = "depositd: " + many + (one ? " job needs" : " jobs need")
                + " review at " + place;
  out.text = many + (one ? " job has" : " jobs have") + " failed at " + place
             + " and will not go on until somebody has looked at "
             + (one ? "it" : "them") + ".\n\nThe first says: " + x.note
             + "\n\nJobs:";
  add_ids(x, out.text);
  out.text += "\n\nSee: depositctl review list, depositctl job why ID, "
              "depositctl job requeue ID\n";
  return out;
}

callback review_callback(const rules::review_news& x) {
  callback out;
  out.id = x.id;
  out.body =
    to_text({{"event", x.cause.reason == rules::too_old ? "too_long_in_stage"
                                                        : "needs_review"},
             {"id", x.id},
             {"pipeline", x.cause.pipeline},
             {"stage", x.cause.stage},
             {"reason", x.cause.reason},
             {"note", x.note},
             {"count", x.count},
             {"jobs", x.first}});
  return out;
}

review_teller_actor::behavior_type
review_teller(self_pointer self, review_teller_options options) {
  auto& state = self->state;
  state.options = std::move(options);
  const auto& with = state.options;
  // What this engine may have known and kept before it ended, if it was not
  // away for longer than it keeps anything.
  const auto kept_us
    = seeded_bug("kept_reviews_forgotten") ? 0 : 2 * interval_us(state);
  state.since_us = std::max<micros>(now(self) - kept_us, 0);
  const rules::reviews nothing_yet{interval_us(state), state.since_us};
  if (with.mail && !with.mail_to.empty())
    state.channels.push_back(
      {"mail",
       [by = with.mail, to = with.mail_to](const rules::review_news& x) {
         auto out = review_mail(x);
         out.to = to;
         return by->send(out);
       },
       nothing_yet});
  if (with.callbacks && !with.webhook.empty())
    state.channels.push_back(
      {"webhook",
       [by = with.callbacks, url = with.webhook,
        key = with.webhook_key](const rules::review_news& x) {
         auto out = review_callback(x);
         out.url = url;
         out.key = key;
         return by->send(out);
       },
       nothing_yet});
  self->send(self, look_for_reviews{});
  return {
    [=](look_for_reviews) { look_and_tell(self); },
  };
}

} // namespace depositd::operators
