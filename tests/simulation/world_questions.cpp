// What operators ask of a running engine, all of it, and what they are told.

#include "messages/operators.hpp"
#include "messages/projection.hpp"
#include "messages/receiving.hpp"
#include "messages/shard.hpp"
#include "messages/sources.hpp"
#include "messages/topics.hpp"
#include "messages/values/words.hpp"
#include "messages/work.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"
#include "tests/simulation/world_question.hpp"

#include <string>
#include <utility>

namespace depositd::simulation {

/// Nobody hears from an engine that is no more, nor from a shard that one which
/// is no more was asked for.
void world::miss(const asked_question& what) {
  if (what.lost == engines_lost())
    tell(left_over{std::string{"a question that was not answered: "}
                   + what.name});
}

std::size_t world::engines_lost() const {
  auto out = former_.size();
  for (const auto& engine : engines_) {
    out += engine->gone;
    for (const auto& core : engine->cores)
      out += core->ended;
  }
  return out;
}

void world::ask_something() {
  auto& any = question_chance_;
  shards_actor shards;
  read_model_actor reads;
  if (!is_shared() && engine_) {
    shards = engine_->core.shard;
    reads = engine_->core.projector;
  } else if (const auto* engine = some_engine()) {
    shards = engine->router;
    reads = engine->reader;
  } else {
    return; // nobody is reached
  }
  if (any.one_in(2))
    return ask_for_lists(reads);
  // What a producer repeats is a deposit once more if the first is forgotten.
  if (!is_shared() && !knobs_.repeated_records && any.one_in(8))
    return forget_somebody(reads);
  const std::string queue = queue_names[any.below(4)];
  const auto user = std::string{"u"}.append(
    std::to_string(any.below(knobs_.users)));
  switch (any.below(9)) {
    case 0:
      return question<queues_listed>("list_queues", shards, list_queues{},
                                     not_judged);
    case 1:
      return question<users_listed>(
        "list_users", shards, list_users{any.one_in(2) ? queue : ""},
        not_judged);
    case 2:
      return question<rings_shown>("show_rings", shards,
                                   show_rings{any.one_in(2) ? queue : "",
                                              any.one_in(2) ? user : "",
                                              1 + any.below(5)},
                                   not_judged);
    case 3:
      return question<pending_counted>("count_pending", shards,
                                       count_pending{queue, user}, not_judged);
    case 4:
      return question<queue_counted>("count_queue", shards, count_queue{queue},
                                     not_judged);
    case 5:
      return question<topics_listed>("list_topics", shards, list_topics{},
                                     not_judged);
    case 6:
      return question<queue_measured>("measure_queue", shards,
                                      measure_queue{queue, {user}},
                                      not_judged);
    case 7:
      return question<done>("check_intake", shards, check_intake{}, not_judged);
    default:
      if (!submitted_.empty())
        question<item_explained>(
          "explain_item", shards,
          explain_item{submitted_.back().id, submitted_.back().user},
          not_judged);
  }
}

/// Of several engines some may not know yet that the shard is another's: they
/// have to answer, and what they say is judged by nobody.
void world::ask_for_lists(const read_model_actor& reads) {
  auto& any = question_chance_;
  listed news;
  news.asked_at = told_.entries.size();
  news.count_max = any.one_in(3) ? 1 + any.below(5) : 100'000;
  news.among = std::string{"u"}.append(
    std::to_string(any.below(knobs_.users)));
  const auto heard = [this](listed told, const auto& rows, auto state_of) {
    for (const auto& row : rows)
      told.rows.emplace_back(row.id, word(state_of(row)));
    if (!is_shared())
      tell(std::move(told));
  };
  switch (any.below(3)) {
    case 0: {
      news.what = listing::items;
      news.among = queue_names[any.below(4)];
      return question<items_found>(
        "peek_items", reads, peek_items{news.among, news.count_max},
        [=](const items_found& x) {
          heard(news, x.rows, [](const item_row& row) { return row.state; });
        });
    }
    case 1: {
      news.what = listing::jobs;
      news.newest_first = any.one_in(2);
      job_query what;
      what.user = news.among;
      what.count_max = news.count_max;
      what.newest_first = news.newest_first;
      return question<jobs_found>(
        "job_query", reads, std::move(what), [=](const jobs_found& x) {
          heard(news, x.rows,
                [](const job_row& row) { return row.status.state; });
        });
    }
    default: {
      news.what = listing::submissions;
      news.newest_first = any.one_in(2);
      if (!submitted_.empty() && any.one_in(2)) {
        const auto& one = submitted_[any.below(
          static_cast<std::uint32_t>(submitted_.size()))];
        news.among = one.user;
        news.after = one.id;
      }
      submission_query what;
      what.user = news.among;
      what.count_max = news.count_max;
      what.newest_first = news.newest_first;
      if (news.after != 0)
        what.after = {news.after};
      return question<submissions_found>(
        "submission_query", reads, std::move(what),
        [=](const submissions_found& x) {
          heard(news, x.rows,
                [](const submission_row& row) { return row.status; });
        });
    }
  }
}

/// What is over of one of them leaves the read model.
void world::forget_somebody(const read_model_actor& reads) {
  if (submitted_.empty())
    return;
  const auto user = submitted_[question_chance_.below(
                                 static_cast<std::uint32_t>(submitted_.size()))]
                      .user;
  tell(forget_wanted{user});
  const auto asked_at = told_.entries.size();
  question<submissions_forgotten>(
    "forget_submissions", reads, forget_submissions{user},
    [=, this](const submissions_forgotten&) {
      tell(forgotten{user, asked_at});
    });
}

void world::await_answers() {
  for (int i = 0; i < 100 && !questions_.empty(); ++i)
    let_time_pass(6s);
  for (const auto& [number, what] : questions_)
    miss(what);
}

void world::list_left_users() {
  ask(list_users{}, [this](const users_listed& x) {
    for (const auto& queue : x.queues)
      for (const auto& one : queue.entries)
        if (one.report.ready != 0 || one.report.in_flight != 0)
          tell(left_over{"queue " + queue.queue + " believes in work of "
                         + one.user});
  });
  settle();
}

} // namespace depositd::simulation
