// In which order a depositor's jobs get the object that all of them want.

#include "adapters/processing/merritt/object_turns.hpp"
#include "messages/values/clock.hpp"
#include "tests/adapters/processing/merritt/processing_world.hpp"

#include <algorithm>

namespace depositd::merritt {

namespace {

using ids = std::vector<item_id>;

job_row in_state(job_state state, micros changed_us = 0) {
  job_row out;
  out.priority = 5;
  out.status.state = state;
  out.status.changed_us = changed_us;
  return out;
}

/// The read model that a test has written.
class written_jobs final : public work_reader {
public:
  caf::expected<std::vector<batch_row>> batches(const batch_query&) override {
    return std::vector<batch_row>{};
  }

  caf::expected<std::vector<job_row>> jobs(const job_query& x) override {
    std::vector<job_row> out;
    const auto is_one = [](const auto& of, const auto& what) {
      return of.empty() || std::find(of.begin(), of.end(), what) != of.end();
    };
    for (const auto& row : rows)
      if (is_one(x.ids, row.id) && is_one(x.states, row.status.state)
          && is_one(x.collections, row.info.collection))
        out.push_back(row);
    return out;
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query&) override {
    return std::vector<submission_row>{};
  }

  std::vector<job_row> rows;
};

class object_order : public processing {
protected:
  object_order() {
    tools.work = work;
    tools.lock_waits = std::make_shared<stages::item_waits>(
      [this](wake_items x) { woken.push_back(std::move(x)); });
    start();
  }

  /// As sent, and through all stages before `process`.
  job_document sent(item_id job, const description& what) {
    id = job;
    auto row = in_state(job_state::processing);
    row.id = job;
    row.priority = 0;
    work->rows.push_back(row);
    return ready({{"a", "A"}}, what);
  }

  outcome process(item_id job, job_document& x) {
    id = job;
    auto out = run("process", x);
    return out.says == verdict::not_yet && out.delay_ms == 1 ? run("process", x)
                                                             : out;
  }

  std::shared_ptr<written_jobs> work = std::make_shared<written_jobs>();
  std::vector<wake_items> woken;
};

} // namespace

TEST(object_turns, S13_are_those_of_who_was_sent_before) {
  EXPECT_TRUE(goes_first(in_state(job_state::processing), 5, 1));
  EXPECT_TRUE(goes_first(in_state(job_state::processing), 6, 1));
  EXPECT_FALSE(goes_first(in_state(job_state::processing), 4, 1))
    << "the better priority is first";
  for (const auto state :
       {job_state::pending, job_state::estimating, job_state::provisioning,
        job_state::downloading}) {
    EXPECT_TRUE(goes_first(in_state(state, 1), 5, on_its_way_us));
    EXPECT_FALSE(goes_first(in_state(state, 1), 5, 1 + on_its_way_us));
  }
  for (const auto state :
       {job_state::none, job_state::held, job_state::storing,
        job_state::recording, job_state::notify, job_state::completed,
        job_state::failed, job_state::deleted})
    EXPECT_FALSE(goes_first(in_state(state), 5, 0));
}

TEST(object_turns, are_the_nearest_of_one_user_at_one_object) {
  object_turns turns;
  turns.enter("ann", 1, {"a", "b"});
  turns.enter("ann", 2, {"a"});
  turns.enter("ann", 2, {"a"});
  turns.enter("bob", 3, {"a"});
  turns.enter("ann", 4, {"a", "b"});
  EXPECT_EQ(turns.before("ann", 4, "a"), (ids{2, 1}));
  EXPECT_EQ(turns.before("ann", 4, "b"), ids{1});
  EXPECT_EQ(turns.before("ann", 1, "a"), ids{});
  turns.leave(2);
  turns.leave(2);
  EXPECT_EQ(turns.before("ann", 4, "a"), ids{1});
  for (item_id i = 10; i < 40; ++i)
    turns.enter("ann", i, {"a"});
  const auto nearest = turns.before("ann", 40, "a");
  ASSERT_EQ(nearest.size(), object_turns::nearest_max);
  EXPECT_EQ(nearest.front(), 39u);
}

TEST(object_turns, are_forgotten_from_the_oldest_on) {
  object_turns turns;
  for (item_id job = 2; job < 2 + object_turns::count_max; ++job)
    turns.enter("anna", job, {"x"});
  const auto last = item_id{1} + object_turns::count_max;
  turns.enter("anna", 1, {"x"});
  EXPECT_EQ(turns.before("anna", 3, "x"), ids{2});
  turns.enter("anna", last + 1, {"x", "y"});
  EXPECT_EQ(turns.before("anna", 3, "x"), ids{});
  EXPECT_EQ(turns.before("anna", 4, "x"), ids{3});
  EXPECT_EQ(turns.before("anna", last + 2, "y"), ids{last + 1});
}

TEST_F(object_order, S13_is_that_in_which_they_were_sent) {
  auto first = sent(7, {.identifier = given_ark});
  auto second = sent(8, {.identifier = given_ark});
  auto out = process(8, second);
  ASSERT_EQ(out.says, verdict::not_yet) << "the first is on its way";
  EXPECT_EQ(out.delay_ms, 0u) << "it is woken";
  EXPECT_EQ(catalogue->locks(), 0u);
  EXPECT_EQ(process(7, first).says, verdict::done);
  EXPECT_EQ(process(8, second).says, verdict::not_yet);
  record(first);
  EXPECT_EQ(process(8, second).says, verdict::done);
}

TEST_F(object_order, S13_is_kept_while_a_local_id_gets_its_object) {
  auto first = sent(7, {.local_ids = {"b"}});
  auto second = sent(8, {.local_ids = {"b"}});
  EXPECT_EQ(process(8, second).says, verdict::not_yet);
  EXPECT_EQ(process(7, first).says, verdict::done);
  record(first);
  EXPECT_EQ(process(8, second).says, verdict::done);
  EXPECT_EQ(second.what.identifier, first.what.identifier);
}

TEST_F(object_order, S13_is_known_to_an_engine_that_has_just_started) {
  auto first = sent(7, {.identifier = given_ark, .local_ids = {"x", "y"}});
  auto second = sent(8, {.local_ids = {"y"}});
  work->rows[0].user = first.user;
  work->rows[0].info.collection = first.collection;
  work->rows[0].facts.identifier = given_ark;
  work->rows[0].facts.local_ids = "x;y";
  start();
  EXPECT_EQ(process(8, second).says, verdict::not_yet);
  EXPECT_EQ(process(7, first).says, verdict::done);
}

TEST_F(object_order, S13_waits_for_nobody_who_has_failed) {
  auto first = sent(7, {.identifier = given_ark});
  auto second = sent(8, {.identifier = given_ark});
  EXPECT_EQ(process(8, second).says, verdict::not_yet);
  woken.clear();
  fs::remove_all(folder(first).producer());
  EXPECT_EQ(process(7, first).says, verdict::failed);
  ASSERT_FALSE(woken.empty());
  EXPECT_EQ(woken.back().ids, ids{8});
  EXPECT_EQ(process(8, second).says, verdict::done)
    << "whatever the read model says yet";
}

TEST_F(object_order, S13_waits_for_nobody_who_is_held_up) {
  auto first = sent(7, {.identifier = given_ark});
  auto second = sent(8, {.identifier = given_ark});
  for (const auto state : {job_state::failed, job_state::held}) {
    work->rows[0].status.state = state;
    EXPECT_EQ(process(8, second).says, verdict::done);
    EXPECT_FALSE(catalogue->unlock_all(second.uuid, any_token));
  }
}

} // namespace depositd::merritt
