#include "tests/actors/operators/admin_fixture.hpp"

namespace depositd::testing {
namespace {

class admin_keys_test : public admin_fixture {
protected:
  json adding(const std::string& name, const json& permits,
              char filler = 'a') const {
    return {{"name", name},
            {"digest", std::string(64, filler)},
            {"permits", permits}};
  }
};

TEST_F(admin_keys_test, a_key_is_added_with_what_it_may_do) {
  const auto x =
    run("key add", adding("loader", {"queue|post|orders", "queue|poll|in-*",
                                     "queue|get_status|*", "queue|*|__sys"}));
  EXPECT_EQ(proposed<key_changed>(),
            (key_changed{"loader",
                         std::string(64, 'a'),
                         {{queue_right::post, "orders"},
                          {queue_right::poll, "in-*"},
                          {queue_right::get_status, "*"},
                          {queue_right::any, "__sys"}}}));
  EXPECT_EQ(x["name"], "loader");
  EXPECT_EQ(x["permits"], (json{"queue|post|orders", "queue|poll|in-*",
                                "queue|get_status|*", "queue|*|__sys"}));
}

TEST_F(admin_keys_test, roles_stand_for_permits) {
  const auto digest_of = [](char last) { return std::string(63, 'b') + last; };
  const auto granted = [&](const char* role, char last) {
    return run("key add", {{"name", role},
                           {"digest", digest_of(last)},
                           {"roles", {role}}})["permits"];
  };
  EXPECT_EQ(granted("queue_post", '1'),
            (json{"queue|post|*", "queue|get_status|*"}));
  EXPECT_EQ(granted("queue_poll", '2'),
            (json{"queue|poll|*", "queue|get_status|*"}));
  EXPECT_EQ(granted("queue_standard", '3'),
            (json{"queue|post|*", "queue|poll|*", "queue|get_status|*"}));
  EXPECT_EQ(granted("queue_admin", '4'), (json{"queue|*|*", "queue|*|__*"}));
}

TEST_F(admin_keys_test, permits_and_roles_add_up_without_repeating) {
  auto arguments = adding("a", {"queue|post|*", "queue|post|__x"});
  arguments["roles"] = {"queue_post"};
  EXPECT_EQ(run("key add", arguments)["permits"],
            (json{"queue|post|*", "queue|post|__x", "queue|get_status|*"}));
}

TEST_F(admin_keys_test, a_name_is_replaced_only_on_purpose) {
  run("key add", adding("a", {"queue|post|x"}, 'a'));
  auto other = adding("a", {"queue|poll|y"}, 'b');
  const auto text = refusal("key add", other, ec::already_exists);
  EXPECT_NE(text.find("--replace"), std::string::npos);
  EXPECT_EQ(world_.control.keys["a"].digest, std::string(64, 'a'));
  other["replace"] = true;
  run("key add", other);
  EXPECT_EQ(world_.control.keys["a"].digest, std::string(64, 'b'));
  EXPECT_EQ(world_.control.keys["a"].permits.size(), 1u);
}

TEST_F(admin_keys_test, one_key_has_one_name) {
  run("key add", adding("a", {"queue|post|x"}));
  refusal("key add", adding("b", {"queue|post|x"}), ec::already_exists);
  EXPECT_FALSE(world_.control.keys.count("b"));
}

TEST_F(admin_keys_test, keys_are_listed_by_name_and_permits_alone) {
  run("key add", adding("b", {"queue|post|x"}, 'b'));
  run("key add", adding("a", {"queue|*|*"}, 'a'));
  EXPECT_EQ(run("key list"),
            (json{{"keys",
                   {{{"name", "a"}, {"permits", {"queue|*|*"}}},
                    {{"name", "b"}, {"permits", {"queue|post|x"}}}}}}));
}

TEST_F(admin_keys_test, a_key_is_removed_once) {
  run("key add", adding("a", {"queue|post|x"}));
  EXPECT_EQ(run("key remove", {{"name", "a"}}),
            (json{{"name", "a"}, {"removed", true}}));
  EXPECT_EQ(proposed<key_changed>(), (key_changed{"a", "", {}}));
  refusal("key remove", {{"name", "a"}}, ec::not_found);
}

TEST_F(admin_keys_test, a_second_key_overlaps_with_the_first) {
  run("key add", adding("ann", {"queue|post|x"}, 'a'));
  auto second = adding("ann", {"queue|post|x"}, 'b');
  second["another"] = true;
  const auto x = run("key add", second);
  EXPECT_EQ(x["name"], "ann~2");
  EXPECT_EQ(x["user"], "ann");
  EXPECT_EQ(world_.control.keys.at("ann").digest, std::string(64, 'a'));
  EXPECT_EQ(user_of_key(world_.control, "ann~2"), "ann");
  auto third = adding("ann", {"queue|post|x"}, 'c');
  third["another"] = true;
  refusal("key add", third, ec::already_exists);
  third["replace"] = true;
  refusal("key add", third);
  third["replace"] = false;
  run("key remove", {{"name", "ann"}});
  refusal("key remove", {{"name", "ann"}}, ec::not_found);
  // Whoever has a key is not given one by chance.
  refusal("key add", adding("ann", {"queue|post|x"}, 'c'), ec::already_exists);
  EXPECT_EQ(run("key add", third)["name"], "ann");
  run("key remove", {{"name", "ann~2"}});
  EXPECT_TRUE(world_.control.key_terms.empty());
  EXPECT_EQ(world_.control.keys.size(), 1u);
}

TEST_F(admin_keys_test, a_time_that_is_over_is_no_expiry) {
  auto wanted = adding("ann", {"queue|post|x"});
  for (const auto over : {micros{1'577'836'800'000'000}, micros{0}}) {
    wanted["expires"] = over;
    EXPECT_EQ(refusal("key add", wanted),
              "expires must be a time that is yet to come");
  }
  EXPECT_TRUE(world_.control.keys.empty());
}

TEST_F(admin_keys_test, expiry_number_of_queues_and_last_use_are_shown) {
  auto wanted = adding("ann", {"queue|post|x"});
  wanted["expires"] = micros{1'800'000'000} * 1'000'000;
  wanted["queues_max"] = 7;
  run("key add", wanted);
  world_.control.keys_used["ann"] = {"ann", micros{1'700'000'000} * 1'000'000};
  EXPECT_EQ(run("key list")["keys"][0],
            (json{{"name", "ann"},
                  {"permits", {"queue|post|x"}},
                  {"expires_at", "2027-01-15T08:00:00.000Z"},
                  {"queues_max", 7},
                  {"last_used_at", "2023-11-14T22:13:20.000Z"}}));
  // A new key has not been used, and has no other terms than it is given.
  auto next = adding("ann", {"queue|post|x"}, 'b');
  next["replace"] = true;
  run("key add", next);
  EXPECT_EQ(run("key list")["keys"][0],
            (json{{"name", "ann"}, {"permits", {"queue|post|x"}}}));
}

TEST_F(admin_keys_test, wrong_permits_are_refused_with_what_is_wrong) {
  for (const auto permit :
       {"", "queue", "queue|post", "queue|post|", "sor|post|a", "queue||a",
        "queue|read|a", "queue|POST|a", "queue|post|A", "queue|post|a b",
        "queue|post|_x", "queue|post|_*", "queue|post|a*b", "queue|post|**",
        "queue|post|a|b", "queue|post|.", " queue|post|a"}) {
    const auto text = refusal("key add", adding("a", {permit}));
    EXPECT_EQ(text.find("a permit must look like"), 0u) << permit << text;
  }
  EXPECT_TRUE(world_.proposals.empty());
}

TEST_F(admin_keys_test, what_is_missing_or_malformed_is_refused) {
  refusal("key add", adding("a", json::array()));
  refusal("key add", adding("a b", {"queue|post|x"}));
  refusal("key add", {{"name", "a"}, {"permits", {"queue|post|x"}}});
  refusal("key add",
          {{"name", "a"}, {"digest", "abc"}, {"permits", {"queue|post|x"}}});
  refusal("key add", adding("a", {"queue|post|x"}, 'A'));
  auto arguments = adding("a", json::array());
  arguments["roles"] = {"admin"};
  EXPECT_EQ(refusal("key add", arguments).find("a role is"), 0u);
  refusal("key list", {{"name", "a"}});
  EXPECT_TRUE(world_.proposals.empty());
}

TEST_F(admin_keys_test, neither_keys_nor_digests_reach_the_log) {
  run("key add", adding("loader", {"queue|post|x"}, 'd'));
  auto wrong = adding("loader", {"queue|post|x"}, 'd');
  wrong["key"] = "very-secret-value";
  refusal("key add", wrong);
  EXPECT_EQ(audit_lines(), 2u);
  EXPECT_NE(log_.str().find("loader"), std::string::npos);
  EXPECT_EQ(log_.str().find("dddd"), std::string::npos);
  EXPECT_EQ(log_.str().find("very-secret"), std::string::npos);
}

} // namespace
} // namespace depositd::testing
