#include "tests/actors/operators/admin_fixture.hpp"

#include "actors/operators/command.hpp"

namespace depositd::testing {
namespace {

using admin_input_test = admin_fixture;

TEST_F(admin_input_test,
       changes_sent_at_once_are_made_in_order_and_none_is_lost) {
  for (const auto side : {"allocation", "concurrency"})
    self->request(
      admin_, caf::infinite,
      admin_request{
        "user set",
        json{{"names", {"ann"}}, {"queue", "query"}, {side, 7}}.dump()});
  settle();
  EXPECT_EQ((world_.control.limits[{"query", "ann"}]),
            (user_limits_changed{"query", "ann", true, 7, true, 7}));
  EXPECT_EQ(audit_lines(), 2u);
}

TEST_F(admin_input_test, of_two_operators_the_last_wins_and_both_are_audited) {
  for (const int cap : {3, 9})
    self->request(admin_, caf::infinite,
                  admin_request{"user set", json{{"names", {"ann"}},
                                                 {"queue", "query"},
                                                 {"concurrency", cap}}
                                              .dump()});
  settle();
  EXPECT_EQ((world_.control.limits[{"query", "ann"}].concurrency), 9u);
  EXPECT_EQ(audit_lines(), 2u);
}

TEST_F(admin_input_test, a_refused_proposal_is_answered_and_audited) {
  world_.refusal = caf::make_error(ec::store_failed, std::string{"disk full"});
  EXPECT_EQ(refusal("suspend", json::object(), ec::store_failed), "disk full");
  EXPECT_NE(log_.str().find("result=\"disk full\""), std::string::npos);
  world_.refusal = caf::error{};
  run("suspend");
}

TEST_F(admin_input_test, a_silent_shard_costs_one_timeout_and_no_more) {
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

TEST_F(admin_input_test, unknown_commands_are_refused_with_a_clean_text) {
  EXPECT_EQ(
    refusal("make\x1b[31m tea", json::object(), ec::not_found).find('\x1b'),
    std::string::npos);
  refusal("strategy list", json::object(), ec::not_found);
  refusal("", json::object(), ec::not_found);
}

TEST_F(admin_input_test, every_command_is_published_as_it_is_checked) {
  const auto table = parse_command_table(*send(publish_commands, "{}"));
  ASSERT_TRUE(table);
  for (const auto& row : table->commands) {
    ASSERT_TRUE(operators::find_command(row.words)) << row.words;
    EXPECT_FALSE(row.help.empty()) << row.words;
    EXPECT_EQ(refusal(row.words, {{"no such", 1}}).find("unknown argument")
                == 0,
              std::none_of(row.arguments.begin(), row.arguments.end(),
                           [](const auto& x) {
                             return x.required
                                    || x.kind == value_kind::password
                                    || x.kind == value_kind::api_key;
                           }))
      << row.words;
    // Only what changes nothing may be repeated without asking.
    EXPECT_FALSE(row.reads && !row.question.empty()) << row.words;
  }
  EXPECT_EQ(to_json_text(*table),
            to_json_text(operators::published_commands()));
}

TEST_F(admin_input_test, what_is_secret_is_known_by_its_kind) {
  using kind = value_kind;
  const command_spec row{.words = "x",
                         .help = "",
                         .arguments = {{"--a", "first", kind::password},
                                       {"--b", "second", kind::api_key},
                                       {"c", "third", kind::files},
                                       {"--d", "fourth", kind::text}}};
  const auto in = operators::admin_arguments::parse(
    R"({"first":"hidden","second":"hidden","third":"hidden",
        "fourth":"plain","key":"hidden"})");
  ASSERT_TRUE(in);
  const auto text = in->redacted(row);
  EXPECT_EQ(text.find("hidden"), std::string::npos) << text;
  EXPECT_NE(text.find("plain"), std::string::npos) << text;
}

TEST_F(admin_input_test, arguments_that_are_no_object_are_refused) {
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

TEST_F(admin_input_test, wrong_arguments_are_named) {
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
