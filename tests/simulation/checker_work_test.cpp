// Wrong histories of batches and jobs, and good ones.

#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

/// A batch of two jobs in a pipeline of two stages; every call adds what would
/// happen.
class work_tale : public tale {
public:
  static constexpr item_id batch = 1;

  work_tale() {
    pipeline_changed set;
    set.what.name = "p";
    for (const auto* name : {"first", "last"}) {
      stage_settings stage;
      stage.name = name;
      stage.state = *name == 'f' ? job_state::pending : job_state::notify;
      stage.attempts_max = 3;
      set.what.stages.push_back(std::move(stage));
    }
    write("", set);
    enqueue_in("p.batch", batch, "bid");
    batch_received come;
    come.id = batch;
    come.queue = "p.batch";
    come.info.collection = "books";
    come.info.pipeline = "p";
    write("u", come);
    flush();
  }

  void enqueue_in(const std::string& queue, item_id id,
                  const std::string& body) {
    add(attempted{body, queue, "u"});
    item_enqueued x;
    x.id = id;
    x.queue = queue;
    x.body = body;
    write("u", x);
  }

  void claim(item_id id, const std::string& queue, std::uint32_t attempt = 1) {
    auto x = a_claim(id, ++tokens[id], attempt);
    x.queue = queue;
    write("u", x);
  }

  void say(item_id id, verdict what = verdict::done,
           const std::string& document = {}) {
    add(reported{1, id, tokens[id], what, document});
  }

  void want(item_id id, work_action what, const std::string& stage = {}) {
    add(work_wanted{++orders, id, what, stage});
  }

  batch_moved a_batch_move(const std::string& from, batch_state to,
                           const std::string& queue, bool parked) const {
    batch_moved x;
    x.id = batch;
    x.queue = from;
    x.place.queue = queue;
    x.place.parked = parked;
    x.status.state = to;
    x.jobs = counts;
    x.reports = reports;
    return x;
  }

  job_moved a_job_move(item_id id, const std::string& from, job_state to,
                       const std::string& queue, bool parked = false) const {
    job_moved x;
    x.id = id;
    x.queue = from;
    x.batch = batch;
    x.place.queue = queue;
    x.place.parked = parked;
    x.status.state = to;
    return x;
  }

  void create(item_id id, job_state state = job_state::pending) {
    enqueue_in("p.first", id, "jid-" + std::to_string(id));
    if (state == job_state::held)
      write("u", item_parked{id, "p.first", true});
    job_created x;
    x.id = id;
    x.queue = "p.first";
    x.batch = batch;
    x.info.collection = "books";
    x.info.pipeline = "p";
    x.status.state = state;
    write("u", x);
    ++counts.open;
    counts.held += state == job_state::held ? 1 : 0;
  }

  /// Jobs 2 and 3, unless the test makes them otherwise.
  void split(std::uint64_t expected = 2, bool twice = false) {
    claim(batch, "p.batch");
    say(batch, verdict::done, "bid/2");
    write("u", body_compacted{batch, "p.batch", "bid/2", {}});
    create(2);
    create(3);
    if (twice)
      create(4);
    counts.expected = expected;
    counts.split = true;
    write("u",
          a_batch_move("p.batch", batch_state::processing, "p.report", true));
    flush();
  }

  /// A move with the counts that follow from it.
  void move(const job_moved& x, const std::function<void(job_counts&)>& how) {
    write("u", x);
    how(counts);
    write("u", batch_counted{batch, counts});
    flush();
  }

  void do_first(item_id id) {
    claim(id, "p.first");
    say(id);
    write("u", a_job_move(id, "p.first", job_state::notify, "p.last"));
    flush();
  }

  void do_last(item_id id) {
    claim(id, "p.last");
    say(id);
    move(a_job_move(id, "p.last", job_state::completed, ""), [](job_counts& x) {
      --x.open;
      ++x.completed;
    });
  }

  void fail_first(item_id id) {
    claim(id, "p.first");
    say(id, verdict::failed);
    move(a_job_move(id, "p.first", job_state::failed, "p.first", true),
         [](job_counts& x) {
           --x.open;
           ++x.failed;
         });
  }

  void begin_report(batch_state to = batch_state::reporting) {
    ++reports;
    write("u", a_batch_move("p.report", to, "p.report", false));
    flush();
  }

  void end_report(batch_state to) {
    claim(batch, "p.report");
    say(batch);
    const auto over = to == batch_state::completed;
    write("u", a_batch_move("p.report", to, over ? "" : "p.report", !over));
    flush();
  }

  std::map<item_id, claim_token> tokens;
  job_counts counts;
  std::uint32_t reports = 0;
  std::uint32_t orders = 0;
};

work_tale split_tale() {
  work_tale out;
  out.split();
  return out;
}

/// Both jobs are through, and the batch is not yet.
work_tale done_tale() {
  auto out = split_tale();
  for (const item_id job : {2, 3}) {
    out.do_first(job);
    out.do_last(job);
  }
  return out;
}

TEST(work_checker, finds_nothing_in_a_batch_that_completes) {
  auto x = done_tale();
  x.begin_report();
  x.end_report(batch_state::completed);
  EXPECT_EQ(x.broken(), names{});
}

TEST(work_checker, finds_nothing_in_a_batch_that_fails_and_is_mended) {
  auto x = split_tale();
  x.fail_first(2);
  x.do_first(3);
  x.do_last(3);
  x.begin_report();
  x.end_report(batch_state::failed);
  x.want(2, work_action::requeue);
  auto again = x.a_job_move(2, "p.first", job_state::pending, "p.first");
  again.status.retry_count = 1;
  x.move(again, [](job_counts& c) {
    ++c.open;
    --c.failed;
  });
  x.add(work_done_as_wanted{1, "pending"});
  x.do_first(2);
  x.do_last(2);
  x.want(work_tale::batch, work_action::update_report);
  x.begin_report(batch_state::update_reporting);
  x.end_report(batch_state::completed);
  EXPECT_EQ(x.broken(), names{});
}

TEST(work_checker, sees_a_stage_that_is_skipped) {
  auto x = split_tale();
  x.claim(2, "p.first");
  x.say(2);
  x.move(x.a_job_move(2, "p.first", job_state::completed, ""),
         [](job_counts& c) {
           --c.open;
           ++c.completed;
         });
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_stage_that_nobody_has_done) {
  auto x = split_tale();
  x.claim(2, "p.first");
  x.write("u", x.a_job_move(2, "p.first", job_state::notify, "p.last"));
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_stage_that_was_done_by_an_old_claim) {
  auto x = split_tale();
  x.claim(2, "p.first");
  x.say(2);
  auto lost = x.a_release(2, 1);
  lost.queue = "p.first";
  x.write("u", lost);
  x.claim(2, "p.first", 2);
  x.write("u", x.a_job_move(2, "p.first", job_state::notify, "p.last"));
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_stage_done_twice) {
  auto x = split_tale();
  x.do_first(2);
  x.write("u", x.a_job_move(2, "p.first", job_state::notify, "p.last"));
  EXPECT_EQ(x.broken().count("I-11"), 1u);
}

TEST(work_checker, sees_a_document_that_its_worker_did_not_write) {
  auto x = split_tale();
  x.claim(2, "p.first");
  x.say(2, verdict::done, "jid-2#1");
  x.write("u", x.a_job_move(2, "p.first", job_state::notify, "p.last"));
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_counts_that_are_not_those_of_the_jobs) {
  auto x = split_tale();
  x.do_first(2);
  x.claim(2, "p.last");
  x.say(2);
  x.write("u", x.a_job_move(2, "p.last", job_state::completed, ""));
  x.flush();
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_batch_that_closes_before_its_last_job) {
  auto x = split_tale();
  x.do_first(2);
  x.do_last(2);
  x.begin_report();
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_batch_that_is_completed_with_a_failed_job) {
  auto x = split_tale();
  x.fail_first(2);
  x.do_first(3);
  x.do_last(3);
  x.begin_report();
  x.end_report(batch_state::completed);
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_report_that_is_made_twice) {
  auto x = split_tale();
  x.fail_first(2);
  x.fail_first(3);
  x.begin_report();
  x.end_report(batch_state::failed);
  x.write("u",
          x.a_batch_move("p.report", batch_state::failed, "p.report", false));
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_jobs_that_are_missing_or_too_many) {
  work_tale more;
  more.split(2, true);
  EXPECT_EQ(more.broken(), names{"I-11"});
  work_tale less;
  less.split(3);
  EXPECT_EQ(less.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_hold_that_nobody_wanted) {
  auto x = split_tale();
  auto good = x;
  good.want(2, work_action::hold);
  for (auto* each : {&x, &good})
    each->move(each->a_job_move(2, "p.first", job_state::held, "p.first", true),
               [](job_counts& c) { ++c.held; });
  EXPECT_EQ(good.broken(), names{});
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_held_job_that_is_worked_on) {
  auto x = split_tale();
  x.want(2, work_action::hold);
  x.move(x.a_job_move(2, "p.first", job_state::held, "p.first", true),
         [](job_counts& c) { ++c.held; });
  x.claim(2, "p.first");
  EXPECT_EQ(x.broken(), (names{"I-11", "I-6"}));
}

TEST(work_checker, sees_a_pending_job_of_a_held_collection_worked_on) {
  auto x = split_tale();
  collection_changed set;
  set.settings.name = "books";
  set.settings.held = true;
  x.add(proposed{1, {set}});
  x.write("", set);
  x.claim(2, "p.first");
  EXPECT_EQ(x.broken(), names{}) << "it was on its way";
  x.now_us += 1;
  x.claim(3, "p.first");
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_requeue_to_a_stage_that_was_not_reached) {
  auto x = split_tale();
  x.fail_first(2);
  x.want(2, work_action::requeue);
  auto again = x.a_job_move(2, "p.first", job_state::notify, "p.last");
  again.status.retry_count = 1;
  x.move(again, [](job_counts& c) {
    ++c.open;
    --c.failed;
  });
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_an_order_that_was_answered_and_not_done) {
  auto x = split_tale();
  x.want(2, work_action::hold);
  x.add(work_done_as_wanted{1, "held"});
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_batch_deleted_before_its_jobs) {
  auto x = split_tale();
  x.fail_first(2);
  x.fail_first(3);
  x.begin_report();
  x.end_report(batch_state::failed);
  x.want(work_tale::batch, work_action::remove);
  x.write("u", x.a_batch_move("p.report", batch_state::deleted, "", false));
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_an_item_that_ends_without_its_job) {
  auto x = split_tale();
  x.claim(2, "p.first");
  x.say(2);
  auto gone = x.an_end(2);
  gone.queue = "p.first";
  x.write("u", gone);
  EXPECT_EQ(x.broken(), names{"I-11"});
}

} // namespace

} // namespace depositd::simulation
