// Histories of batches and jobs by chance: workers, operators, holds and
// crashes between any two messages. What the journal says afterwards has to be
// a life that the tables of states allow, and everything comes to its end.

#include "actors/rules/lifecycle/machines.hpp"
#include "tests/actors/work/work_fixture.hpp"

#include <random>

namespace depositd {

namespace {

class work_property : public testing::work_fixture,
                      public ::testing::WithParamInterface<unsigned> {
protected:
  template <class List>
  auto& one_of(List& all) {
    return all[chance(static_cast<unsigned>(all.size()))];
  }

  unsigned chance(unsigned below) {
    return std::uniform_int_distribution<unsigned>{0, below - 1}(random_);
  }

  /// Something that need not come to its end before the next thing happens.
  template <class Message>
  void throw_at(const Message& what) {
    caf::anon_send(core, what);
    settle(chance(40));
  }

  void submit_some() {
    batch_document document;
    document.uuid = "bid-" + std::to_string(++submitted_);
    document.user = "ann";
    document.collection = collection.name;
    document.more["jobs"] = 1 + chance(5);
    submit_batch what;
    what.user = "ann";
    what.info.uuid = document.uuid;
    what.info.collection = collection.name;
    what.document = encode(document);
    throw_at(what);
  }

  void attach_some() {
    static const std::vector<std::string> names{"batch", "first", "middle",
                                                "last", "report"};
    const auto& name = names[chance(5)];
    settle();
    workers_.emplace_back(name, attach_to("p." + name, {},
                                          chance(2) * 5'000));
  }

  outcome said_of(const std::string& stage, const claimed_item& item) {
    if (stage == "batch" && chance(4) > 0)
      return split(item, 1 + chance(3));
    static const std::vector<verdict> all{
      verdict::done,    verdict::done,    verdict::done,    verdict::skip,
      verdict::retry,   verdict::not_yet, verdict::failed,  verdict::release,
      verdict::rejected};
    auto what = outcome_of(item, one_of(all));
    if (stage == "batch" && (what.says == verdict::done
                             || what.says == verdict::skip))
      what.says = verdict::not_yet;
    what.reason = "by chance";
    return what;
  }

  void work_some() {
    if (workers_.empty())
      return;
    auto& [stage, who] = one_of(workers_);
    settle_and_request what{who.number, 1, {}};
    auto& items = who.got->items;
    while (!items.empty()) {
      what.outcomes.push_back(said_of(stage, items.front()));
      if (chance(10) == 0) // a worker that was not sure says it again
        what.outcomes.push_back(what.outcomes.back());
      items.erase(items.begin());
    }
    caf::anon_send(who.door, what);
    settle(chance(60));
  }

  void order_some() {
    static const std::vector<work_action> all{
      work_action::hold, work_action::release, work_action::requeue,
      work_action::fail, work_action::remove};
    const item_id id = 1 + chance(40);
    if (chance(3) > 0)
      throw_at(order_job{id, "ann", all[chance(5)], "", "by chance"});
    else
      throw_at(order_batch{id, "ann",
                           chance(2) == 0 ? work_action::update_report
                                          : all[chance(5)],
                           "by chance"});
  }

  void do_something() {
    switch (chance(12)) {
      case 0:
        return submit_some();
      case 1:
        return attach_some();
      case 2:
        return order_some();
      case 3:
        settle();
        return advance(std::chrono::seconds{chance(20)});
      case 4:
        if (chance(3) > 0)
          return;
        collection.held = !collection.held;
        return throw_at(propose{{collection_changed{collection, false}}});
      case 5:
        if (chance(4) > 0)
          return;
        for (const auto& [stage, who] : workers_)
          caf::anon_send_exit(who.actor, caf::exit_reason::kill);
        workers_.clear();
        return crash_and_begin();
      default:
        return work_some();
    }
  }

  /// From now on all goes well, until nothing is left to be done.
  void come_to_an_end() {
    settle();
    for (const auto& [stage, who] : workers_)
      caf::anon_send_exit(who.actor, caf::exit_reason::kill);
    workers_.clear();
    crash_and_begin();
    hold(false);
    for (int round = 0; round < 30; ++round) {
      for (const auto id : jobs())
        if (state_of(id) == "held") {
          ASSERT_TRUE(order(id, work_action::release));
        } else if (state_of(id) == "failed"
                   && !order(id, work_action::requeue)) {
          ASSERT_TRUE(order(id, work_action::remove));
        }
      for (const auto& x : all<batch_received>())
        if (state_of_batch(x.id) == "held") {
          ASSERT_TRUE(order_whole(x.id, work_action::release));
        } else if (state_of_batch(x.id) == "failed") {
          order_whole(x.id, last_of_batch(x.id).jobs.split
                              ? work_action::update_report
                              : work_action::remove);
        }
      for (auto item = take("batch"); item.id != 0; item = take("batch"))
        ASSERT_TRUE(says(split(item)));
      for (const auto* stage : {"first", "middle", "last", "report"})
        run(stage);
      advance(std::chrono::hours{1});
    }
  }

  /// Each move is an arrow of the table, from where the one before it led.
  void check_jobs() {
    std::map<item_id, job_state> states;
    std::map<item_id, std::string> queues;
    for (const auto& x : all<job_created>()) {
      EXPECT_EQ(states.count(x.id), 0u) << "created twice";
      states[x.id] = x.status.state;
      queues[x.id] = x.queue;
    }
    for (const auto& x : all<job_moved>()) {
      ASSERT_EQ(x.queue, queues[x.id]) << "job " << x.id;
      EXPECT_TRUE(reaches(states[x.id], x.status.state))
        << word(states[x.id]) << " to " << word(x.status.state);
      states[x.id] = x.status.state;
      queues[x.id] = x.place.queue;
    }
    std::map<item_id, job_counts> counts;
    for (const auto& x : all<job_created>())
      rules::count(counts[x.batch], job_state::none, states[x.id]);
    for (const auto& x : all<batch_received>()) {
      const auto said = last_count_of(x.id);
      const auto is = counts[x.id];
      EXPECT_EQ(said.completed, is.completed) << "batch " << x.id;
      EXPECT_EQ(said.deleted, is.deleted) << "batch " << x.id;
      EXPECT_EQ(is.open + is.failed, 0u) << "batch " << x.id;
      const auto state = state_of_batch(x.id);
      EXPECT_TRUE(state == "completed" || state == "deleted") << state;
      if (state == "completed") {
        EXPECT_EQ(is.total(), said.expected);
      }
    }
  }

  /// Pipelines pass through the states for which they have no stage.
  static bool reaches(job_state from, job_state to) {
    if (from == to || rules::may_move(from, to))
      return true;
    for (auto at = from; at != job_state::none;
         at = at == job_state::pending ? job_state::estimating
                                       : rules::after_success(at))
      if (at == to)
        return true;
    return false;
  }

  job_counts last_count_of(item_id batch) {
    job_counts out;
    for (const auto& e : journalled())
      if (const auto* moved = std::get_if<batch_moved>(&e);
          moved != nullptr && moved->id == batch)
        out = moved->jobs;
      else if (const auto* counted = std::get_if<batch_counted>(&e);
               counted != nullptr && counted->id == batch)
        out = counted->jobs;
    return out;
  }

private:
  std::mt19937 random_{GetParam()};
  std::vector<std::pair<std::string, testing::test_processor>> workers_;
  int submitted_ = 0;
};

TEST_P(work_property, comes_to_its_end_as_the_tables_allow) {
  for (int i = 0; i < 150; ++i)
    do_something();
  come_to_an_end();
  check_jobs();
  RecordProperty("jobs", static_cast<int>(jobs().size()));
  RecordProperty("moves", static_cast<int>(all<job_moved>().size()));
}

/// The engine dies after so many messages of what an outcome sets off.
class work_cut : public testing::work_fixture,
                 public ::testing::WithParamInterface<unsigned> {
protected:
  void cut_after(const std::string& stage, const outcome& what) {
    auto worker = attach_to("p." + stage);
    caf::anon_send(worker.door,
                   settle_and_request{worker.number, 0, {what}});
    settle(GetParam());
    crash_and_begin();
  }
};

TEST_P(work_cut, J21_leaves_splitting_a_stage_and_a_report_whole) {
  const auto batch = submit(3);
  cut_after("batch", split(take("batch"), 2));
  for (auto item = take("batch"); item.id != 0; item = take("batch"))
    ASSERT_TRUE(says(split(item)));
  ASSERT_EQ(jobs().size(), 3u);
  cut_after("first", outcome_of(take("first")));
  run("first");
  run("middle");
  for (int job = 0; job < 3; ++job)
    if (const auto item = take("last"); item.id != 0)
      cut_after("last", outcome_of(item));
  run("last");
  for (const auto id : jobs())
    EXPECT_EQ(state_of(id), "completed");
  const auto report = take("report");
  ASSERT_NE(report.id, 0u);
  cut_after("report", outcome_of(report));
  run("report");
  EXPECT_EQ(state_of_batch(batch), "completed");
  EXPECT_EQ(last_of_batch(batch).reports, 1u);
  EXPECT_EQ(last_of_batch(batch).jobs.completed, 3u);
}

TEST_P(work_cut, leaves_nothing_pending_of_a_collection_that_is_held) {
  slice_items = 1;
  crash_and_begin();
  submit_and_split(4);
  collection.held = true;
  caf::anon_send(core, propose{{collection_changed{collection, false}}});
  settle(GetParam());
  crash_and_begin();
  const auto told = all<collection_changed>();
  if (told.back().settings.held) {
    EXPECT_EQ(take("first").id, 0u);
    for (const auto id : jobs())
      EXPECT_EQ(state_of(id), "held");
  }
}

INSTANTIATE_TEST_SUITE_P(messages, work_cut, ::testing::Range(0u, 40u));

INSTANTIATE_TEST_SUITE_P(seeds, work_property, ::testing::Range(1u, 13u));

} // namespace

} // namespace depositd
