#include "actors/rules/work/decide.hpp"

#include <gtest/gtest.h>

namespace depositd::rules {
namespace {

job_at a_job(job_state state, const std::string& note) {
  job_at out;
  out.id = 7;
  out.queue = "p.last";
  out.attempt = 1;
  out.status.state = state;
  out.status.note = note;
  return out;
}

TEST(engine_deaths, are_told_of_a_job_on_its_way) {
  const auto out = after_death(nullptr, a_job(job_state::storing, "was"), 5);
  EXPECT_EQ(out.status.note, "the engine died with it in hand");
  EXPECT_EQ(out.status.deaths, 1u);
  EXPECT_EQ(out.place.attempt, 0u); // the first one is free
}

TEST(engine_deaths, leave_what_was_told_of_a_completed_job) {
  const auto out = after_death(nullptr, a_job(job_state::completed, "was"), 5);
  EXPECT_EQ(out.status.note, "was");
  EXPECT_EQ(out.status.changed_us, never);
  EXPECT_EQ(out.status.deaths, 1u);
}

} // namespace
} // namespace depositd::rules
