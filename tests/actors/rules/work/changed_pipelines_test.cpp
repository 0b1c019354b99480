// A pipeline that was changed while jobs are on their way through it.

#include "actors/rules/work/decide.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd::rules {
namespace {

constexpr std::array in_stages = {
  job_state::pending,    job_state::estimating, job_state::provisioning,
  job_state::downloading, job_state::processing, job_state::storing,
  job_state::recording,  job_state::notify};

using stage_states = std::vector<std::pair<const char*, job_state>>;

std::shared_ptr<const pipeline> with(const stage_states& stages) {
  pipeline out{"p", {}};
  for (const auto& [name, state] : stages) {
    stage_settings stage;
    stage.name = name;
    stage.state = state;
    out.stages.push_back(std::move(stage));
  }
  return std::make_shared<const pipeline>(std::move(out));
}

/// One job that waits for a stage, in the state that this was of then.
class changed_pipeline : public ::testing::Test {
protected:
  job_at at() const {
    return {.id = 7, .batch = 3, .queue = queue, .attempt = 1,
            .status = status};
  }

  caf::expected<job_step> keep(caf::expected<job_step> x) {
    if (x) {
      status = x->move.status;
      queue = x->move.place.queue;
    }
    return x;
  }

  caf::expected<job_step> ends(verdict says) {
    stage_ended x;
    x.job = at();
    x.what.says = says;
    x.at_us = ++now;
    x.stages = stages;
    return keep(after_stage(x));
  }

  caf::expected<job_step> requeue(const std::string& stage = {}) {
    return order(work_action::requeue, stage);
  }

  caf::expected<job_step> order(work_action what,
                                const std::string& stage = {}) {
    job_wanted x;
    x.job = at();
    x.action = what;
    x.stage = stage;
    x.at_us = ++now;
    x.stages = stages;
    return keep(as_wanted(x));
  }

  void wait_in(const std::string& stage, job_state state) {
    queue = stage_queue_name("p", stage);
    status = {.state = state};
  }

  std::shared_ptr<const pipeline> stages;
  job_status status;
  std::string queue;
  micros now = 1'000'000;
};

} // namespace

TEST_F(changed_pipeline, never_leads_a_job_back) {
  wait_in("fetch", job_state::processing);
  stages = with({{"fetch", job_state::downloading},
                 {"check", job_state::downloading},
                 {"keep", job_state::storing}});
  ASSERT_TRUE(ends(verdict::done));
  EXPECT_EQ(queue, "p.check");
  EXPECT_EQ(status.state, job_state::processing);
  ASSERT_TRUE(ends(verdict::done));
  EXPECT_EQ(queue, "p.keep");
  EXPECT_EQ(status.state, job_state::storing);
  ASSERT_TRUE(ends(verdict::done));
  EXPECT_EQ(status.state, job_state::completed);
}

TEST_F(changed_pipeline, lets_every_job_go_on_whatever_its_stages_are_of) {
  for (const auto was : in_stages)
    for (const auto first : in_stages)
      for (const auto next : in_stages) {
        stages = with({{"a", first}, {"b", next}});
        wait_in("a", was);
        ASSERT_TRUE(ends(verdict::done))
          << word(was) << ' ' << word(first) << ' ' << word(next);
        EXPECT_EQ(queue, "p.b");
        EXPECT_GE(status.state, was);
        ASSERT_TRUE(ends(verdict::done));
        EXPECT_EQ(status.state, job_state::completed);
        EXPECT_EQ(queue, "");
      }
}

TEST_F(changed_pipeline, lets_what_has_failed_begin_its_stage_anew) {
  for (const auto was : in_stages)
    for (const auto is : in_stages) {
      stages = with({{"a", job_state::pending}, {"b", was}});
      wait_in("b", was);
      ASSERT_TRUE(ends(verdict::failed));
      stages = with({{"a", job_state::pending},
                     {"b", is},
                     {"c", job_state::notify}});
      EXPECT_FALSE(requeue("c")) << "it has not come so far";
      ASSERT_TRUE(requeue()) << word(was) << ' ' << word(is);
      EXPECT_EQ(queue, "p.b");
      EXPECT_EQ(status.state, is);
    }
}

TEST_F(changed_pipeline, lets_a_completed_job_go_whose_stage_is_gone) {
  wait_in("tidy", job_state::completed);
  stages = with({{"a", job_state::pending}, {"tidy", job_state::completed}});
  EXPECT_FALSE(order(work_action::remove)) << "it is tidied up after first";
  stages = with({{"a", job_state::pending}});
  EXPECT_FALSE(order(work_action::fail));
  EXPECT_FALSE(requeue("a"));
  ASSERT_TRUE(order(work_action::remove));
  EXPECT_EQ(queue, "");
  EXPECT_EQ(status.state, job_state::completed);
}

TEST_F(changed_pipeline, lets_who_was_in_a_stage_that_is_gone_resume) {
  wait_in("gone", job_state::processing);
  status.last_successful = job_state::downloading;
  stages = with({{"a", job_state::pending}, {"b", job_state::storing}});
  ASSERT_TRUE(ends(verdict::done));
  EXPECT_EQ(status.state, job_state::failed);
  EXPECT_FALSE(requeue()) << "where to?";
  EXPECT_FALSE(requeue("b")) << "what was to be done before is not";
  ASSERT_TRUE(requeue("a"));
  EXPECT_EQ(status.state, job_state::pending);
}

} // namespace depositd::rules
