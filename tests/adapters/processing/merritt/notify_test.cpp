// Stage notify. Names of tests begin with the rows of the case table that they
// stand for.

#include "tests/adapters/processing/merritt/keeping_world.hpp"

namespace depositd::merritt {

namespace {

class merritt_calls : public keeping_world {};

} // namespace

TEST_F(merritt_calls, R23_calls_the_collections_server) {
  collection.callback = "https://example.org/hook/";
  collection.callback_key = "secret";
  auto job = a_job("jid-1", {{"producer/a", "aaa"}});
  job.what.local_ids = {"L1", "L2"};
  job.dublin_core = {{"subject", "maps"}, {"type", "x"}, {"subject", "sea"}};
  ASSERT_EQ(run("merritt.store", job).says, verdict::done);
  ASSERT_EQ(run("merritt.notify", job).says, verdict::done);
  ASSERT_EQ(calls->asked.size(), 1u);
  const auto& call = calls->asked[0];
  EXPECT_EQ(call.url, "https://example.org/hook/mc/jid-1");
  EXPECT_EQ(call.key, "secret");
  const auto body = nlohmann::json::parse(call.body);
  ASSERT_EQ(body.size(), 1u);
  const auto& state = body.at("job:jobState");
  EXPECT_EQ(state["job:jobID"], "jid-1");
  EXPECT_EQ(state["job:jobStatus"], "COMPLETED");
  EXPECT_EQ(state["job:jobStatusMessage"], "Success");
  EXPECT_EQ(state["job:primaryID"], "ark:/99999/fk4a");
  EXPECT_EQ(state["job:localID"], "L1;L2");
  EXPECT_EQ(state["job:packageName"], "map.zip");
  EXPECT_EQ(state["job:objectTitle"], "A Map");
  EXPECT_EQ(state["job:submissionDate"], "2026-01-01T00:00:00Z");
  EXPECT_EQ(state["job:versionID"], 1);
  EXPECT_EQ(state["job:DC.subject"], "maps; sea") << "all of a field";
  EXPECT_EQ(state["job:persistentURL"], "https://n2t.net/ark:/99999/fk4a");
  EXPECT_FALSE(state["job:completionDate"].get<std::string>().empty());
  for (const auto& [key, value] : state.items())
    EXPECT_TRUE(key.starts_with("job:")) << key;
}

TEST_F(merritt_calls, R23_name_the_job_in_the_path_whatever_follows_it) {
  const std::vector<std::pair<std::string, std::string>> cases = {
    {"https://example.org", "https://example.org/mc/jid-1"},
    {"https://example.org?key=a/b", "https://example.org/mc/jid-1?key=a/b"},
    {"https://example.org/hook/?key=1",
     "https://example.org/hook/mc/jid-1?key=1"},
    {"https://example.org/hook#top", "https://example.org/hook/mc/jid-1"},
    {"https://example.org/hook?key=1#top",
     "https://example.org/hook/mc/jid-1?key=1"}};
  auto job = a_job("jid-1", {{"producer/a", "aaa"}});
  for (const auto& [given, called] : cases) {
    collection.callback = given;
    ASSERT_EQ(run("merritt.notify", job).says, verdict::done) << given;
    EXPECT_EQ(calls->asked.back().url, called) << given;
  }
}

TEST_F(merritt_calls, calls_nobody_without_an_address) {
  auto job = a_job("jid-1", {{"producer/a", "aaa"}});
  EXPECT_EQ(run("merritt.notify", job).says, verdict::done);
  has_collection = false;
  EXPECT_EQ(run("merritt.notify", job).says, verdict::done);
  EXPECT_TRUE(calls->asked.empty());
}

TEST_F(merritt_calls, R20_a_call_that_is_repeated_has_the_same_id) {
  collection.callback = "https://example.org";
  auto job = a_job("jid-1", {{"producer/a", "aaa"}});
  ASSERT_EQ(run("merritt.notify", job).says, verdict::done);
  ASSERT_EQ(run("merritt.notify", job).says, verdict::done);
  EXPECT_EQ(calls->asked.at(0).id, calls->asked.at(1).id);
}

TEST_F(merritt_calls, R22_fails_when_the_callback_is_refused_for_good) {
  collection.callback = "https://example.org";
  calls->failure = caf::make_error(ec::invalid_argument, "refused with 404");
  auto job = a_job("jid-1", {{"producer/a", "aaa"}});
  const auto out = run("merritt.notify", job);
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_EQ(out.reason, "refused with 404");
}

TEST_F(merritt_calls, R22_tries_again_while_nobody_answers) {
  collection.callback = "https://example.org";
  calls->failure = caf::make_error(ec::overloaded, "nobody there");
  auto job = a_job("jid-1", {{"producer/a", "aaa"}});
  EXPECT_EQ(run("merritt.notify", job).says, verdict::retry);
  attempt = stage.attempts_max;
  EXPECT_EQ(run("merritt.notify", job).says, verdict::retry)
    << "which fails the job then";
}

TEST_F(merritt_calls, that_are_not_answered_leave_workers_to_others) {
  auto job = a_job("jid-1", {{"producer/a", "aaa"}});
  auto same = a_job("jid-2", {{"producer/a", "aaa"}});
  auto other = a_job("jid-3", {{"producer/a", "aaa"}});
  stage.workers = 2;
  collection.callback = "https://silent.example.org/a";
  calls->meanwhile = [&] {
    collection.callback = "https://silent.example.org/b";
    EXPECT_EQ(run("merritt.notify", same).says, verdict::not_yet);
    collection.callback = "https://example.org";
    EXPECT_EQ(run("merritt.notify", other).says, verdict::done);
  };
  ASSERT_EQ(run("merritt.notify", job).says, verdict::done);
  EXPECT_EQ(calls->asked.size(), 2u);
}

TEST_F(merritt_calls, wait_at_no_cost_until_they_are_wanted_again) {
  collection.callback = "https://example.org";
  auto job = a_job("jid-1", {{"producer/a", "aaa"}});
  calls->rest = std::chrono::minutes{2};
  attempt = stage.attempts_max;
  const auto out = run("merritt.notify", job);
  EXPECT_EQ(out.says, verdict::not_yet);
  EXPECT_EQ(out.delay_ms, 120'000u);
  EXPECT_EQ(out.reason,
            "the receiver of callbacks wants the next one in 120 s");
  EXPECT_TRUE(calls->asked.empty());
  calls->rest = {};
  EXPECT_EQ(run("merritt.notify", job).says, verdict::done);
}

TEST_F(merritt_calls, R22_is_done_with_a_warning_if_callbacks_may_fail) {
  collection.callback = "https://example.org";
  collection.callback_may_fail = true;
  calls->failure = caf::make_error(ec::invalid_argument, "refused with 404");
  auto job = a_job("jid-1", {{"producer/a", "aaa"}});
  auto out = run("merritt.notify", job);
  EXPECT_EQ(out.says, verdict::done);
  EXPECT_NE(out.reason.find("404"), std::string::npos);
  calls->failure = caf::make_error(ec::overloaded, "nobody there");
  EXPECT_EQ(run("merritt.notify", job).says, verdict::retry);
  attempt = stage.attempts_max;
  out = run("merritt.notify", job);
  EXPECT_EQ(out.says, verdict::done);
  EXPECT_NE(out.reason.find("nobody there"), std::string::npos);
}

} // namespace depositd::merritt
