// Pipelines and collections that change under their jobs, in wrong histories
// and good ones.

#include "tests/simulation/work_tale.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

class changing_tale : public work_tale {
public:
  changing_tale() {
    told.with_pipeline_changes = true;
    split();
  }

  void set_pipeline(
    const std::vector<std::pair<const char*, job_state>>& stages) {
    pipeline_changed set;
    set.what.name = "p";
    for (const auto& [name, state] : stages) {
      stage_settings stage;
      stage.name = name;
      stage.state = state;
      stage.attempts_max = 3;
      set.what.stages.push_back(std::move(stage));
    }
    write("", set);
    flush();
    now_us += 1'000'000;
  }

  /// Job 2 is through with its stage, and then here.
  void go(const std::string& from, job_state to, const std::string& queue) {
    claim(2, from);
    say(2);
    write("u", a_job_move(2, from, to, queue));
    flush();
  }
};

} // namespace

TEST(work_checker, finds_nothing_where_a_job_goes_to_a_stage_that_is_new) {
  changing_tale x;
  x.set_pipeline({{"first", job_state::pending},
                  {"more", job_state::processing},
                  {"last", job_state::notify}});
  x.go("p.first", job_state::processing, "p.more");
  x.go("p.more", job_state::notify, "p.last");
  EXPECT_EQ(x.broken(), names{});
}

TEST(work_checker, sees_a_job_pass_by_a_stage_that_is_new) {
  changing_tale x;
  x.set_pipeline({{"first", job_state::pending},
                  {"more", job_state::processing},
                  {"last", job_state::notify}});
  x.go("p.first", job_state::notify, "p.last");
  EXPECT_EQ(x.broken(), names{"I-11"});
}

TEST(work_checker, sees_a_state_that_goes_back_in_a_changed_pipeline) {
  changing_tale x;
  x.do_first(2);
  x.set_pipeline({{"first", job_state::pending},
                  {"last", job_state::downloading},
                  {"more", job_state::storing}});
  auto back = x;
  back.go("p.last", job_state::storing, "p.more");
  EXPECT_EQ(back.broken(), names{"I-11"});
  x.go("p.last", job_state::notify, "p.more");
  EXPECT_EQ(x.broken(), names{});
}

TEST(work_checker, sees_a_job_leave_a_stage_that_is_gone) {
  changing_tale x;
  x.do_first(2);
  x.set_pipeline({{"first", job_state::pending}, {"more", job_state::notify}});
  auto on = x;
  on.go("p.last", job_state::notify, "p.more");
  EXPECT_EQ(on.broken(), names{"I-11"});
  x.claim(2, "p.last");
  x.say(2);
  x.move(x.a_job_move(2, "p.last", job_state::failed, "p.last", true),
         [](job_counts& counts) {
           --counts.open;
           ++counts.failed;
         });
  EXPECT_EQ(x.broken(), names{});
}

TEST(work_checker, sees_a_batch_of_who_may_not_submit) {
  changing_tale x;
  collection_changed set;
  set.settings.name = "books";
  set.settings.owner = "somebody";
  x.write("", set);
  x.flush();
  x.now_us += 1'000'000;
  x.enqueue_in("p.batch", 9, "bid-9");
  batch_received come;
  come.id = 9;
  come.queue = "p.batch";
  come.info.collection = "books";
  come.info.pipeline = "p";
  x.write("u", come);
  x.flush();
  EXPECT_EQ(x.broken(), names{"I-11"});
}

} // namespace depositd::simulation
