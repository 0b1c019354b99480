// The tables against CDL's own list of states, pair by pair. Names of tests
// begin with the rows of the case table that they stand for.

#include "actors/rules/lifecycle/machines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace depositd::rules {

namespace {

using names = std::set<std::string>;
using graph = std::map<std::string, names>;

/// Written from the prescription, not from the table.
const graph job_graph = {
  {"pending", {"held", "estimating", "failed"}},
  {"held", {"pending", "deleted"}},
  {"estimating", {"provisioning", "failed"}},
  {"provisioning", {"downloading", "failed"}},
  {"downloading", {"processing", "failed"}},
  {"processing", {"storing", "failed"}},
  {"storing", {"recording", "failed"}},
  {"recording", {"notify", "failed"}},
  {"notify", {"completed", "failed"}},
  {"completed", {}},
  {"deleted", {}},
  {"failed",
   {"pending", "estimating", "provisioning", "downloading", "processing",
    "storing", "recording", "notify", "deleted"}},
};

const graph batch_graph = {
  {"pending", {"held", "processing"}},
  {"held", {"pending", "deleted"}},
  {"processing", {"reporting", "failed"}},
  {"reporting", {"completed", "failed"}},
  {"completed", {}},
  {"deleted", {}},
  {"failed", {"update-reporting", "deleted"}},
  {"update-reporting", {"completed", "failed"}},
};

template <class State>
void compare_every_pair(const graph& expected, int allowed_count) {
  int allowed = 0;
  int pairs = 0;
  for (const auto& [from, from_word] : words_of<State>) {
    const auto& targets = expected.at(std::string{from_word});
    for (const auto& [to, to_word] : words_of<State>) {
      EXPECT_EQ(may_move(from, to), targets.count(std::string{to_word}) == 1)
        << from_word << " -> " << to_word;
      allowed += may_move(from, to) ? 1 : 0;
      ++pairs;
    }
  }
  EXPECT_EQ(allowed, allowed_count);
  EXPECT_EQ(pairs, static_cast<int>(expected.size() * expected.size()));
}

template <class State>
names words_where(State (*leads)(State), State to) {
  names out;
  for (const auto& [from, text] : words_of<State>)
    if (leads(from) == to)
      out.insert(std::string{text});
  return out;
}

} // namespace

TEST(job_machine, J16_J17_allows_28_of_144_pairs) {
  compare_every_pair<job_state>(job_graph, 28);
}

TEST(batch_machine, J16_J17_allows_12_of_64_pairs) {
  compare_every_pair<batch_state>(batch_graph, 12);
}

TEST(job_machine, J11_success_leads_one_stage_on) {
  using enum job_state;
  const std::map<job_state, job_state> expected = {
    {estimating, provisioning}, {provisioning, downloading},
    {downloading, processing},  {processing, storing},
    {storing, recording},       {recording, notify},
    {notify, completed}};
  for (const auto& [from, text] : words_of<job_state>) {
    const auto found = expected.find(from);
    EXPECT_EQ(after_success(from),
              found == expected.end() ? none : found->second)
      << text;
  }
}

TEST(job_machine, J13_failure_is_defined_in_every_stage) {
  EXPECT_EQ(words_where(&after_failure<job_state>, job_state::failed),
            (names{"pending", "estimating", "provisioning", "downloading",
                   "processing", "storing", "recording", "notify"}));
}

TEST(batch_machine, splitting_reports_either_way) {
  using enum batch_state;
  EXPECT_EQ(after_success(processing), reporting);
  EXPECT_EQ(after_failure(processing), reporting);
  EXPECT_EQ(after_success(reporting), completed);
  EXPECT_EQ(after_failure(reporting), failed);
  EXPECT_EQ(after_success(update_reporting), completed);
  EXPECT_EQ(after_failure(update_reporting), failed);
  EXPECT_EQ(after_success(pending), none);
  EXPECT_EQ(after_failure(failed), none);
}

TEST(machines, only_where_nothing_leads_on_is_deletable) {
  for (const auto& [x, text] : words_of<job_state>)
    EXPECT_EQ(deletable(x), text == "completed" || text == "deleted") << text;
  for (const auto& [x, text] : words_of<batch_state>)
    EXPECT_EQ(deletable(x), text == "completed" || text == "deleted") << text;
  EXPECT_FALSE(deletable(job_state::none));
  EXPECT_FALSE(deletable(batch_state::none));
}

TEST(machines, spell_every_state_once) {
  names jobs, batches;
  for (const auto& [x, text] : words_of<job_state>)
    jobs.insert(std::string{text});
  for (const auto& [x, text] : words_of<batch_state>)
    batches.insert(std::string{text});
  EXPECT_EQ(jobs.size(), 12u);
  EXPECT_EQ(batches.size(), 8u);
}

} // namespace depositd::rules
