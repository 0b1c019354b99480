#include "tests/actors/operators/admin_fixture.hpp"

namespace depositd::testing {
namespace {

class admin_test : public admin_fixture {
protected:
  /// The user has a place in the ring of the queue.
  void stands(const std::string& queue, const std::string& user,
              const eligibility_report& report = {}) {
    ring_report ring;
    ring.queue = queue;
    ring.out_of_turn = {{user, report}};
    world_.rings.rings.push_back(std::move(ring));
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

TEST_F(admin_test, status_shows_a_page_of_queues_and_sums_of_all) {
  for (auto& queue : world_.queues.queues) {
    queue.ready = 5;
    queue.in_flight = 2;
  }
  const auto all = run("status");
  EXPECT_FALSE(all.contains("next"));
  auto page = run("status", {{"limit", 2}});
  ASSERT_EQ(page["queues"].size(), 2u);
  EXPECT_EQ(page["next"], page["queues"][1]["name"]);
  EXPECT_EQ(page["queues_total"], 3);
  EXPECT_EQ(page["ready"], 15);
  EXPECT_EQ(page["in_flight"], 6);
  page = run("status", {{"limit", 2}, {"after", page["next"]}});
  ASSERT_EQ(page["queues"].size(), 1u);
  EXPECT_EQ(page["queues"][0], all["queues"][2]);
  EXPECT_FALSE(page.contains("next"));
}

TEST_F(admin_test, status_tells_logs_by_shard_and_who_does_not_answer) {
  const auto reading = pose<intake_actor>({[](report_intake) {
    return intake_report{{{"in/0", 4, 9}}, 7, 1, ""};
  }});
  const auto writing = pose<publisher_actor>(
    {[](report_publisher) -> caf::result<publisher_report> {
      return caf::make_error(ec::store_failed, std::string{"no broker"});
    }});
  world_.logs = {{3, reading, writing}, {1, reading, writing}};
  const auto logs = run("status")["record_logs"];
  ASSERT_EQ(logs.size(), 2u);
  EXPECT_EQ(logs[0]["shard"], 1);
  EXPECT_EQ(logs[1]["shard"], 3);
  EXPECT_EQ(logs[1]["intake"]["accepted"], 7);
  EXPECT_EQ(logs[1]["intake"]["partitions"][0]["lag"], 5);
  EXPECT_EQ(logs[1]["publisher"]["trouble"], "no answer: no broker");
}

TEST_F(admin_test, status_tells_the_logs_of_other_engines) {
  const auto reading =
    pose<intake_actor>({[](report_intake) { return intake_report{}; }});
  const auto writing = pose<publisher_actor>(
    {[](report_publisher) { return publisher_report{}; }});
  world_.logs = {{1, reading, writing}};
  const auto engine = [&](const std::string& answer) {
    return pose<admin_actor>(
      {[=](const admin_request& x) -> caf::result<admin_reply> {
        EXPECT_EQ(x.command, "kafka status");
        if (answer.empty())
          return caf::make_error(ec::draining, std::string{"no"});
        return admin_reply{answer};
      }});
  };
  world_.other_engines = {
    {"b", engine(R"({"record_logs":[{"shard":0,"trouble":"x"},7]})")},
    {"c", engine("")},
    {"d", engine("[]")}};
  const auto x = run("status");
  ASSERT_EQ(x["record_logs"].size(), 2u);
  EXPECT_EQ(x["record_logs"][0]["shard"], 0);
  EXPECT_EQ(x["record_logs"][1]["shard"], 1);
  EXPECT_EQ(x["engines_silent"], (json{"c", "d"}));
  const auto own = run("kafka status")["record_logs"];
  ASSERT_EQ(own.size(), 1u);
  EXPECT_EQ(own[0]["shard"], 1);
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
  // Delayed and parked items count: neither ready nor in process.
  EXPECT_EQ(run("queue size", {{"name", "loose"}}),
            (json{{"name", "loose"},
                  {"size", 9},
                  {"ready", 3},
                  {"in_flight", 2}}));
  const auto peeked = run("queue peek", {{"name", "query"}, {"limit", 1}});
  EXPECT_EQ(peeked["items"][0]["id"], 12);
  EXPECT_EQ(peeked["items"][0]["state"], "pending");
  EXPECT_EQ(world_.all_queues_asked, 2u) << "for the list and what is shown";
}

TEST_F(admin_test, unknown_queues_are_refused_by_every_queue_command) {
  for (const auto command : {"queue show", "queue size", "queue peek",
                             "queue purge", "queue suspend", "queue set"})
    refusal(command, {{"name", "nowhere"}}, ec::not_found);
  EXPECT_TRUE(world_.purged.empty());
}

TEST_F(admin_test, purge_reaches_the_shard_and_the_audit) {
  EXPECT_EQ(run("queue purge", {{"name", "query"}})["purged"], true);
  EXPECT_EQ(world_.all_queues_asked, 0u);
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
  EXPECT_EQ(proposed<user_eligibility_changed>(),
            (user_eligibility_changed{"ann", true, true}));
  EXPECT_EQ(x["users"][0]["held"], true);
  run("user release", {{"names", {"ann"}}});
  EXPECT_EQ(proposed<user_eligibility_changed>(),
            (user_eligibility_changed{"ann", false, true}));
  run("user allow", {{"names", {"ann"}}});
  EXPECT_EQ(proposed<user_eligibility_changed>(),
            (user_eligibility_changed{"ann", false, false}));
}

TEST_F(admin_test, accounts_are_added_changed_and_removed) {
  const auto x = run(
    "user add",
    {{"name", "ann"}, {"password_hash", a_hash}, {"prefixes", {"10.5555"}}});
  EXPECT_EQ(x["prefixes"], json{"10.5555"});
  EXPECT_EQ(proposed<account_changed>(),
            (account_changed{"ann", a_hash, {"10.5555"}}));
  for (const auto name : {"ann", "Ann", "ANN"})
    refusal("user add", {{"name", name}, {"password_hash", a_hash}},
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

TEST_F(admin_test, contacts_are_set_part_by_part) {
  run("user contact", {{"name", "ann"}, {"mail", "ann@example.org"}});
  EXPECT_EQ(proposed<contact_changed>(),
            (contact_changed{"ann", "ann@example.org", ""}));
  const auto x = run("user contact",
                     {{"name", "ann"}, {"callback", "https://a.example/told"}});
  EXPECT_EQ(x["mail"], "ann@example.org");
  EXPECT_EQ(x["callback"], "https://a.example/told");
  // Whoever is called back needs a queue to wait in.
  ASSERT_EQ(world_.proposals.back().size(), 2u);
  const auto& queue = std::get<queue_changed>(world_.proposals.back().back());
  EXPECT_EQ(queue.queue, "crossref.notify");
  EXPECT_EQ(queue.settings.kind, queue_kind::outbox);
  run("user contact", {{"name", "ann"}, {"mail", ""}});
  EXPECT_EQ(proposed<contact_changed>(),
            (contact_changed{"ann", "", "https://a.example/told"}));
  for (const auto mail : {"ann", "a b@example.org", "@", "a@b@c"})
    refusal("user contact", {{"name", "ann"}, {"mail", mail}});
  for (const auto url : {"ftp://a.example", "a.example", "http://"})
    refusal("user contact", {{"name", "ann"}, {"callback", url}});
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
  world_.control.eligibilities["bob"] = {true, false};
  world_.control.limits[{"query", "cyd"}] = {"query", "cyd", true, 5, false, 0};
  eligibility_report place;
  place.state = eligibility::eligible;
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
    world_.control.eligibilities[name] = {true, false};
  const auto first = run("user list", {{"limit", 2}});
  EXPECT_EQ(first["total"], 3);
  EXPECT_EQ(first["more"], true);
  EXPECT_EQ(first["next"], "b");
  const auto second = run("user list", {{"limit", 2}, {"after", "b"}});
  EXPECT_EQ(second["users"][0]["user"], "c");
  EXPECT_EQ(second["more"], false);
  EXPECT_FALSE(second.contains("next"));
}

TEST_F(admin_test, a_page_of_users_has_all_their_places) {
  world_.users.queues = {{"metadata", {{"dan", {}}, {"ann", {}}, {"cyd", {}}}},
                         {"query", {{"bob", {}}, {"ann", {}}}}};
  world_.control.accounts["bob"] = {"bob", a_hash, {}};
  const auto first = run("user list", {{"limit", 2}});
  EXPECT_EQ(first["total"], 4);
  ASSERT_EQ(first["users"].size(), 2u);
  EXPECT_EQ(first["users"][0]["queues"].size(), 2u);
  EXPECT_EQ(first["users"][1]["user"], "bob");
  EXPECT_EQ(first["next"], "bob");
  const auto second = run("user list", {{"limit", 2}, {"after", "bob"}});
  EXPECT_EQ(second["users"][0]["user"], "cyd");
  EXPECT_EQ(second["users"][1]["queues"][0]["queue"], "metadata");
  EXPECT_FALSE(second.contains("next"));
}

TEST_F(admin_test, long_lists_of_queues_and_keys_come_in_pages) {
  const auto first = run("queue list", {{"limit", 2}});
  EXPECT_EQ(first["queues"][1]["name"], "metadata");
  EXPECT_EQ(first["next"], "metadata");
  const auto second = run("queue list", {{"after", first["next"]}});
  ASSERT_EQ(second["queues"].size(), 1u);
  EXPECT_EQ(second["queues"][0]["name"], "query");
  EXPECT_FALSE(second.contains("next"));
  for (const auto name : {"a", "b"})
    world_.control.keys[name] = {name, "", {}};
  EXPECT_EQ(run("key list", {{"limit", 1}})["next"], "a");
  EXPECT_EQ(run("key list", {{"after", "a"}})["keys"][0]["name"], "b");
}

TEST_F(admin_test, a_page_of_large_entries_ends_before_its_limit) {
  for (const auto name : {"a", "b", "c"})
    world_.control.keys[name] = {
      name, "", {{queue_right::post, std::string(3 << 20, 'x')}}};
  const auto first = run("key list");
  EXPECT_EQ(first["keys"].size(), 2u);
  EXPECT_EQ(first["next"], "b");
  const auto second = run("key list", {{"after", "b"}});
  EXPECT_EQ(second["keys"].size(), 1u);
  EXPECT_FALSE(second.contains("next"));
}

TEST_F(admin_test, an_entry_larger_than_a_page_is_a_page) {
  for (const auto name : {"a", "b"})
    world_.control.keys[name] = {
      name, "", {{queue_right::post, std::string(9 << 20, 'x')}}};
  const auto first = run("key list");
  EXPECT_EQ(first["keys"].size(), 1u);
  EXPECT_EQ(first["next"], "a");
}

TEST_F(admin_test, who_had_the_most_turns_comes_first) {
  const auto after = [](std::uint64_t turns) {
    eligibility_report out;
    out.turns_taken = turns;
    return out;
  };
  world_.users.queues = {{"metadata", {{"ann", after(3)}, {"bob", after(8)}}},
                         {"query", {{"ann", after(5)}}}};
  EXPECT_EQ(run("user served", {{"limit", 2}})["users"],
            json::parse(R"([{"user":"bob","queue":"metadata","turns_taken":8},
                            {"user":"ann","queue":"query","turns_taken":5}])"));
  refusal("user served", {{"queue", "nowhere"}}, ec::not_found);
}

TEST_F(admin_test, one_user_is_shown_with_what_waits) {
  // Nobody else is asked for: there may be a million of them.
  stands("metadata", "ann");
  stands("query", "bob");
  stands("query", "ann");
  const auto x = run("user show", {{"name", "ann"}});
  EXPECT_EQ(x["user"], "ann");
  ASSERT_EQ(x["queues"].size(), 2u);
  EXPECT_EQ(x["queues"][1]["pending"], 5);
  EXPECT_EQ(x["queues"][1]["pending_limit"], 10'000);
  refusal("user show", {{"name", "zoe"}}, ec::not_found);
}

TEST_F(admin_test, one_user_is_shown_though_a_queue_is_only_in_a_ring) {
  eligibility_report moving;
  moving.ready = 2;
  stands("metadata", "ann");
  stands("move/x", "ann", moving);
  world_.own_queues = {"move/x"};
  const auto x = run("user show", {{"name", "ann"}});
  ASSERT_EQ(x["queues"].size(), 2u);
  EXPECT_EQ(x["queues"][1]["queue"], "move/x");
  EXPECT_EQ(x["queues"][1]["pending"], 2);
  EXPECT_EQ(x["queues"][1]["pending_limit"], nullptr);
}

TEST_F(admin_test, who_has_only_finished_submissions_is_known) {
  world_.submissions.resize(1);
  const auto x = run("user show", {{"name", "zoe"}});
  EXPECT_EQ(x["user"], "zoe");
  EXPECT_EQ(x["queues"], json::array());
  ASSERT_EQ(world_.queries.size(), 1u);
  EXPECT_EQ(world_.queries[0].user, "zoe");
  EXPECT_EQ(world_.queries[0].count_max, 1u);
}

} // namespace
} // namespace depositd::testing
