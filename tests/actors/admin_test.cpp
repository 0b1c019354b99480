#include "tests/actors/admin_fixture.hpp"

namespace depositd::testing {
namespace {

const std::string a_hash = "$argon2id$v=19$m=19456,t=2,p=1$"
                           "AAAAAAAAAAAAAAAAAAAAAA$"
                           "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB";

class admin_test : public admin_fixture {
protected:
  std::size_t audit_lines() const {
    const auto text = log_.str();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

// -- server and queues --------------------------------------------------------

TEST_F(admin_test, status_gathers_what_all_parts_say) {
  world_.slots.entries.resize(3);
  world_.slots.entries[1].item = 5;
  advance(std::chrono::seconds{90});
  const auto x = run("status");
  EXPECT_EQ(x["version"], "9.9");
  EXPECT_EQ(x["started_at"], "2026-03-01T09:30:00.000Z");
  EXPECT_EQ(x["uptime_s"], 90);
  EXPECT_EQ(x["suspended"], false);
  EXPECT_EQ(x["slots"], (json{{"busy", 1}, {"total", 3}}));
  EXPECT_EQ(x["queues"].size(), 3u);
  EXPECT_EQ(x["store"]["projected"], 100);
}

TEST_F(admin_test, suspend_and_resume_propose_the_whole_server_state) {
  world_.control.server.drop_folder_polling = false;
  EXPECT_EQ(run("suspend")["suspended"], true);
  EXPECT_EQ(proposed<server_changed>(), (server_changed{true, false}));
  EXPECT_EQ(run("resume")["suspended"], false);
  EXPECT_EQ(proposed<server_changed>(), (server_changed{false, false}));
}

TEST_F(admin_test, what_is_so_already_is_not_proposed_again) {
  EXPECT_EQ(run("resume")["suspended"], false);
  EXPECT_TRUE(world_.proposals.empty());
  EXPECT_NE(log_.str().find("result=\"no change\""), std::string::npos);
}

TEST_F(admin_test, a_queue_is_suspended_with_its_other_settings_kept) {
  EXPECT_EQ(run("queue suspend", {{"name", "query"}})["suspended"], true);
  auto wanted = deposit_queue_defaults();
  wanted.suspended = true;
  EXPECT_EQ(proposed<queue_changed>(), (queue_changed{"query", wanted}));
}

TEST_F(admin_test, queue_set_changes_only_what_is_given) {
  const auto x =
    run("queue set",
        {{"name", "metadata"}, {"concurrency", "none"}, {"allocation", 3}});
  auto wanted = deposit_queue_defaults();
  wanted.allocation = 3;
  wanted.concurrency = no_cap;
  EXPECT_EQ(proposed<queue_changed>(), (queue_changed{"metadata", wanted}));
  EXPECT_EQ(x["concurrency"], nullptr);
  EXPECT_EQ(x["pending_limit"], 10'000);
}

TEST_F(admin_test, queues_are_listed_shown_measured_and_peeked) {
  item_row row;
  row.id = 12;
  row.user = "ann";
  world_.items = {row};
  EXPECT_EQ(run("queue list")["queues"][1]["name"], "metadata");
  EXPECT_EQ(run("queue show", {{"name", "loose"}})["kind"], "message");
  EXPECT_EQ(run("queue size", {{"name", "loose"}})["size"], 5);
  const auto peeked = run("queue peek", {{"name", "query"}, {"limit", 1}});
  EXPECT_EQ(peeked["items"][0]["id"], 12);
  EXPECT_EQ(peeked["items"][0]["state"], "pending");
}

TEST_F(admin_test, unknown_queues_are_refused_by_every_queue_command) {
  for (const auto command : {"queue show", "queue size", "queue peek",
                             "queue purge", "queue suspend", "queue set"})
    refusal(command, {{"name", "nowhere"}}, ec::not_found);
  EXPECT_TRUE(world_.purged.empty());
}

TEST_F(admin_test, purge_reaches_the_shard_and_the_audit) {
  EXPECT_EQ(run("queue purge", {{"name", "query"}})["purged"], true);
  EXPECT_EQ(world_.purged, std::vector<std::string>{"query"});
  EXPECT_EQ(audit_lines(), 1u);
}

// -- users --------------------------------------------------------------------

TEST_F(admin_test, limits_without_a_queue_are_those_of_all_deposit_queues) {
  run("user set", {{"names", {"ann", "bob"}}, {"allocation", 2}});
  ASSERT_EQ(world_.proposals.back().size(), 4u);
  EXPECT_EQ(std::get<user_limits_changed>(world_.proposals.back()[1]),
            (user_limits_changed{"metadata", "bob", true, 2, false, 0}));
  EXPECT_FALSE(world_.control.limits.count({"loose", "ann"}));
}

TEST_F(admin_test, limits_are_changed_one_side_at_a_time_and_go_back) {
  const json names{"ann"};
  run("user set", {{"names", names}, {"allocation", 2}, {"queue", "loose"}});
  run("user set", {{"names", names}, {"concurrency", 0}, {"queue", "loose"}});
  EXPECT_EQ(proposed<user_limits_changed>(),
            (user_limits_changed{"loose", "ann", true, 2, true, 0}));
  const auto x =
    run("user set",
        {{"names", names}, {"allocation", "default"}, {"queue", "loose"}});
  EXPECT_FALSE(proposed<user_limits_changed>().has_allocation);
  EXPECT_EQ(x["limits"][0]["allocation"], "default");
  EXPECT_EQ(x["limits"][0]["concurrency"], 0);
}

TEST_F(admin_test, standing_keeps_the_side_that_is_not_meant) {
  run("user hold", {{"names", {"ann"}}});
  const auto x = run("user prohibit", {{"names", {"ann"}}});
  EXPECT_EQ(proposed<user_standing_changed>(),
            (user_standing_changed{"ann", true, true}));
  EXPECT_EQ(x["users"][0]["held"], true);
  run("user release", {{"names", {"ann"}}});
  EXPECT_EQ(proposed<user_standing_changed>(),
            (user_standing_changed{"ann", false, true}));
  run("user allow", {{"names", {"ann"}}});
  EXPECT_EQ(proposed<user_standing_changed>(),
            (user_standing_changed{"ann", false, false}));
}

TEST_F(admin_test, accounts_are_added_changed_and_removed) {
  const auto x = run(
    "user add",
    {{"name", "ann"}, {"password_hash", a_hash}, {"prefixes", {"10.5555"}}});
  EXPECT_EQ(x["prefixes"], json{"10.5555"});
  EXPECT_EQ(proposed<account_changed>(),
            (account_changed{"ann", a_hash, {"10.5555"}}));
  refusal("user add", {{"name", "ann"}, {"password_hash", a_hash}},
          ec::already_exists);
  auto other = a_hash;
  other.back() = 'C';
  run("user password", {{"name", "ann"}, {"password_hash", other}});
  EXPECT_EQ(proposed<account_changed>(),
            (account_changed{"ann", other, {"10.5555"}}));
  EXPECT_EQ(run("user remove", {{"name", "ann"}})["account"], false);
  refusal("user remove", {{"name", "ann"}}, ec::not_found);
  refusal("user password", {{"name", "ann"}, {"password_hash", other}},
          ec::not_found);
}

TEST_F(admin_test, only_hashes_of_our_own_form_are_taken) {
  auto greedy = a_hash;
  greedy.replace(greedy.find("19456"), 5, "9945600");
  for (const auto& hash : {std::string{"secret"}, greedy, a_hash + "A",
                           a_hash.substr(0, a_hash.size() - 1) + "!"})
    refusal("user add", {{"name", "ann"}, {"password_hash", hash}});
  EXPECT_TRUE(world_.proposals.empty());
}

TEST_F(admin_test, hashes_and_contents_never_reach_the_log) {
  run("user add", {{"name", "ann"}, {"password_hash", a_hash}});
  run(
    "submit",
    {{"user", "ann"}, {"file_name", "a.xml"}, {"content_base64", "c2VjcmV0"}});
  EXPECT_EQ(log_.str().find("argon2"), std::string::npos);
  EXPECT_EQ(log_.str().find("c2VjcmV0"), std::string::npos);
  EXPECT_EQ(audit_lines(), 2u);
}

TEST_F(admin_test, users_come_from_accounts_settings_and_rings) {
  world_.control.accounts["ann"] = {"ann", a_hash, {}};
  world_.control.standings["bob"] = {true, false};
  world_.control.limits[{"query", "cyd"}] = {"query", "cyd", true, 5, false, 0};
  standing_report place;
  place.state = standing::eligible;
  place.turn = 2;
  place.length = 7;
  world_.users.queues = {{"metadata", {{"dan", place}}}};
  const auto x = run("user list");
  ASSERT_EQ(x["users"].size(), 4u);
  EXPECT_EQ(x["users"][0]["account"], true);
  EXPECT_EQ(x["users"][1]["held"], true);
  EXPECT_EQ(x["users"][2]["limits"][0]["allocation"], 5);
  EXPECT_EQ(x["users"][3]["queues"][0]["turn"], 2);
  EXPECT_EQ(x["users"][3]["queues"][0]["state"], "eligible");
  EXPECT_EQ(run("user list", {{"queue", "query"}})["users"].size(), 2u);
}

TEST_F(admin_test, long_lists_of_users_come_in_pages) {
  for (const auto name : {"a", "b", "c"})
    world_.control.standings[name] = {true, false};
  const auto first = run("user list", {{"limit", 2}});
  EXPECT_EQ(first["total"], 3);
  EXPECT_EQ(first["more"], true);
  const auto second = run("user list", {{"limit", 2}, {"after", "b"}});
  EXPECT_EQ(second["users"][0]["user"], "c");
  EXPECT_EQ(second["more"], false);
}

TEST_F(admin_test, one_user_is_shown_with_what_waits) {
  world_.users.queues = {{"metadata", {{"ann", {}}, {"bob", {}}}},
                         {"query", {{"ann", {}}}}};
  const auto x = run("user show", {{"name", "ann"}});
  EXPECT_EQ(x["user"], "ann");
  ASSERT_EQ(x["queues"].size(), 2u);
  EXPECT_EQ(x["queues"][1]["pending"], 5);
  EXPECT_EQ(x["queues"][1]["pending_limit"], 10'000);
  refusal("user show", {{"name", "zoe"}}, ec::not_found);
}

// -- processors ---------------------------------------------------------------

TEST_F(admin_test, a_filter_requires_or_excludes_as_crossref_says) {
  run("sp add", {{"name", "p1"},
                 {"types", {"metadata", "query"}},
                 {"slots", 2},
                 {"user_filter", {"ann"}},
                 {"preferred_users", {"bob"}},
                 {"low_priority_users", {"cyd"}},
                 {"max_submission_size", 1'000}});
  auto spec = proposed<processor_changed>().spec;
  EXPECT_EQ(spec.wants.required, std::vector<std::string>{"ann"});
  EXPECT_TRUE(spec.wants.excluded.empty());
  EXPECT_EQ(spec.wants.preferred, std::vector<std::string>{"bob"});
  EXPECT_EQ(spec.wants.size_max, 1'000u);
  run("sp set", {{"name", "p1"}, {"exclude_users", true}});
  spec = proposed<processor_changed>().spec;
  EXPECT_TRUE(spec.wants.required.empty());
  EXPECT_EQ(spec.wants.excluded, std::vector<std::string>{"ann"});
  EXPECT_EQ(spec.slots, 2u);
  run("sp set", {{"name", "p1"}, {"slots", 4}});
  EXPECT_EQ(proposed<processor_changed>().spec.wants.excluded,
            std::vector<std::string>{"ann"});
  run("sp set", {{"name", "p1"}, {"user_filter", json::array()}});
  EXPECT_TRUE(proposed<processor_changed>().spec.wants.excluded.empty());
}

TEST_F(admin_test, processors_are_listed_with_their_work_and_stopped) {
  run("sp add", {{"name", "p1"}});
  refusal("sp add", {{"name", "p1"}}, ec::already_exists);
  refusal("sp set", {{"name", "p2"}}, ec::not_found);
  refusal("sp add", {{"name", "p2"}, {"types", {"nowhere"}}}, ec::not_found);
  slots_report::entry slot;
  slot.processor = "p1";
  slot.item = 9;
  slot.user = "ann";
  world_.slots.entries = {slot};
  const auto x = run("sp list");
  EXPECT_EQ(x["processors"][0]["types"], json{"metadata"});
  EXPECT_EQ(x["processors"][0]["max_submission_size"], nullptr);
  EXPECT_EQ(x["processors"][0]["working"][0]["item"], 9);
  run("sp stop", {{"name", "p1"}});
  EXPECT_TRUE(proposed<processor_changed>().removed);
  refusal("sp stop", {{"name", "p1"}}, ec::not_found);
}

// -- submissions --------------------------------------------------------------

TEST_F(admin_test, submissions_are_listed_by_user_queue_and_status) {
  run("submission list",
      {{"user", "ann"}, {"queue", "query"}, {"status", "queued"}});
  const auto& query = world_.queries.back();
  EXPECT_EQ(query.user, "ann");
  EXPECT_EQ(query.queue, "query");
  EXPECT_TRUE(query.has_status);
  EXPECT_FALSE(query.with_documents);
  refusal("submission list", {{"status", "lost"}});
}

TEST_F(admin_test, a_submission_is_shown_with_what_pollers_get) {
  submission_row row;
  row.id = 4;
  row.document = "<doc/>";
  row.status = submission_status::completed;
  world_.submissions = {row};
  const auto x = run("submission show", {{"id", 4}});
  EXPECT_EQ(x["document"], "<doc/>");
  EXPECT_EQ(x["status"], "completed");
  EXPECT_EQ(x["started_at"], nullptr);
  world_.submissions.clear();
  refusal("submission show", {{"id", 5}}, ec::not_found);
}

TEST_F(admin_test, why_asks_the_shard_for_what_still_lives) {
  submission_row row;
  row.id = 4;
  row.user = "ann";
  world_.submissions = {row};
  world_.explained.live = true;
  world_.explained.user = "ann";
  world_.explained.member.suspended = true;
  EXPECT_EQ(run("submission why", {{"id", 4}})["reason"], "queue_suspended");
  world_.submissions.front().status = submission_status::completed;
  EXPECT_EQ(run("submission why", {{"id", 4}})["reason"], "finished");
}

TEST_F(admin_test, parking_counts_first_if_asked) {
  world_.matching = 12;
  const auto x =
    run("park", {{"from_us", 5}, {"users", {"ann"}}, {"count_only", true}});
  EXPECT_EQ(x, (json{{"matched", 12}}));
  EXPECT_TRUE(world_.parkings.back().count_only);
  EXPECT_EQ(world_.parkings.back().from_us, 5);
  EXPECT_EQ(audit_lines(), 0u);
  EXPECT_EQ(run("unpark")["unparked"], 12);
  EXPECT_FALSE(world_.parkings.back().parked);
  EXPECT_GT(world_.parkings.back().to_us, 4'000'000'000'000'000);
  EXPECT_EQ(audit_lines(), 1u);
}

TEST_F(admin_test, backup_and_submit_are_passed_on) {
  run("backup", {{"folder", "/x"}});
  EXPECT_EQ(world_.backups, std::vector<std::string>{"/x"});
  const auto x = run("submit", {{"user", "ann"},
                                {"file_name", "a.xml"},
                                {"operation", "doQueryUpload"},
                                {"content_base64", "eA=="}});
  EXPECT_EQ(x["id"], 77);
  EXPECT_EQ(world_.files.front().operation, "doQueryUpload");
  world_.submitted_id = 0;
  refusal("submit",
          {{"user", "ann"}, {"file_name", "a"}, {"content_base64", "eA=="}},
          ec::pending_limit_reached);
}

// -- order, failure, bad input ------------------------------------------------

TEST_F(admin_test, changes_sent_at_once_are_made_in_order_and_none_is_lost) {
  for (const auto side : {"allocation", "concurrency"})
    self->anon_send(
      admin_,
      admin_request{
        "user set",
        json{{"names", {"ann"}}, {"queue", "query"}, {side, 7}}.dump()});
  settle();
  EXPECT_EQ((world_.control.limits[{"query", "ann"}]),
            (user_limits_changed{"query", "ann", true, 7, true, 7}));
  EXPECT_EQ(audit_lines(), 2u);
}

TEST_F(admin_test, of_two_operators_the_last_wins_and_both_are_audited) {
  for (const int cap : {3, 9})
    self->anon_send(admin_, admin_request{"user set", json{{"names", {"ann"}},
                                                           {"queue", "query"},
                                                           {"concurrency", cap}}
                                                        .dump()});
  settle();
  EXPECT_EQ((world_.control.limits[{"query", "ann"}].concurrency), 9u);
  EXPECT_EQ(audit_lines(), 2u);
}

TEST_F(admin_test, a_refused_proposal_is_answered_and_audited) {
  world_.refusal = caf::make_error(ec::store_failed, std::string{"disk full"});
  EXPECT_EQ(refusal("suspend", json::object(), ec::store_failed), "disk full");
  EXPECT_NE(log_.str().find("result=\"disk full\""), std::string::npos);
  world_.refusal = caf::error{};
  run("suspend");
}

TEST_F(admin_test, a_silent_shard_costs_one_timeout_and_no_more) {
  world_.shard_silent = true;
  auto reply =
    self->request(admin_, caf::infinite, admin_request{"suspend", "{}"});
  settle();
  advance(std::chrono::seconds{10});
  ASSERT_TRUE(self->has_next_message());
  reply.receive([](admin_reply&) { FAIL(); },
                [](caf::error& x) { EXPECT_EQ(x, ec::overloaded); });
  world_.shard_silent = false;
  run("suspend");
}

TEST_F(admin_test, unknown_commands_are_refused_with_a_clean_text) {
  EXPECT_EQ(
    refusal("make\x1b[31m tea", json::object(), ec::not_found).find('\x1b'),
    std::string::npos);
  refusal("kafka init", json::object(), ec::not_found);
  refusal("", json::object(), ec::not_found);
}

TEST_F(admin_test, arguments_that_are_no_object_are_refused) {
  for (const auto text : {"[", "7", "[]", "\"x\"", "{\"a\":}", "{} x"}) {
    const auto out = send("status", text);
    ASSERT_FALSE(out) << text;
    EXPECT_EQ(out.error(), ec::malformed) << text;
  }
  EXPECT_TRUE(send("status", ""));
  const auto deep = send("status", "{\"a\":" + std::string(100'000, '['));
  EXPECT_EQ(deep.error(), ec::malformed);
  const auto large = send("status", std::string(17 << 20, ' '));
  EXPECT_EQ(large.error(), ec::too_large);
}

TEST_F(admin_test, wrong_arguments_are_named) {
  const auto named = [&](const char* command, const json& arguments,
                         const char* name) {
    EXPECT_EQ(refusal(command, arguments).find(name), 0u) << arguments;
  };
  named("queue show", json::object(), "name");
  named("queue show", {{"name", 5}}, "name");
  named("queue peek", {{"name", "query"}, {"limit", 0}}, "limit");
  named("queue peek", {{"name", "query"}, {"limit", 1e30}}, "limit");
  named("queue set", {{"name", "query"}, {"allocation", -1}}, "allocation");
  named("queue set", {{"name", "query"}, {"concurrency", "many"}},
        "concurrency");
  named("queue set", {{"name", "query"}, {"concurrency", "default"}},
        "concurrency");
  named("queue set", {{"name", "query"}, {"speed", 1}}, "unknown argument");
  named("user set", {{"names", json::array()}}, "names");
  named("user set", {{"names", {".."}}, {"allocation", 1}}, "names");
  named("user set", {{"names", {"ann"}}}, "give an allocation");
  named("user set", {{"names", {"ann"}}, {"allocation", "none"}}, "allocation");
  named("user hold", {{"names", "ann"}}, "names");
  named("user add", {{"name", "a b"}, {"password_hash", a_hash}}, "name");
  named("user add",
        {{"name", "a"}, {"password_hash", a_hash}, {"prefixes", {"11.5"}}},
        "a prefix");
  named("sp add", {{"name", "a b"}}, "a processor");
  named("sp add", {{"name", "a"}, {"slots", 0}}, "slots");
  named("sp add", {{"name", "a"}, {"max_submission_size", 0}}, "a max_sub");
  named("sp add", {{"name", "a"}, {"exclude_users", "yes"}}, "exclude_users");
  named("sp add", {{"name", "a"}, {"preferred_users", {"a b"}}}, "\"a b\"");
  named("submission show", {{"id", -1}}, "id");
  named("submission show", {{"id", "4"}}, "id");
  named("submission show", {{"id", 18446744073709551615u}}, "id");
  named("park", {{"users", {".."}}}, "users");
  EXPECT_TRUE(world_.proposals.empty());
  EXPECT_TRUE(world_.parkings.empty());
}

} // namespace
} // namespace depositd::testing
