#include "adapters/shell/completion.hpp"
#include "adapters/shell/grammar.hpp"
#include "adapters/shell/words.hpp"

#include "actors/operators/command.hpp"

#include <gtest/gtest.h>

#include <map>

namespace depositd::shell {
namespace {

using json = nlohmann::json;

understood read_call(const std::vector<std::string>& words) {
  return shell::read_call(operators::published_commands(), words);
}

understood read_line(const std::vector<std::string>& words) {
  return shell::read_line(operators::published_commands(), words);
}

/// Names by the command that lists them.
using known_names = std::map<std::string, std::vector<std::string>>;

std::vector<std::string> completions(const std::string& line,
                                     const known_names& names) {
  return shell::completions(
    operators::published_commands(), line, [&](const auto& list) {
      const auto at = names.find(list);
      return at == names.end() ? std::vector<std::string>{} : at->second;
    });
}

invocation call_of(const std::string& line) {
  const auto said = read_call(*split_words(line));
  EXPECT_TRUE(said.call) << line << ": " << said.text;
  return said.call ? *said.call : invocation{};
}

struct spelled {
  const char* line;
  const char* command;
  const char* arguments;
};

class spelling : public ::testing::TestWithParam<spelled> {};

TEST_P(spelling, means_this_command) {
  const auto& x = GetParam();
  for (const bool call : {true, false}) {
    const auto words = *split_words(x.line);
    const auto said = call ? read_call(words) : read_line(words);
    ASSERT_TRUE(said.call) << said.text;
    EXPECT_EQ(said.call->row.words, x.command);
    EXPECT_EQ(said.call->arguments, json::parse(x.arguments));
  }
}

INSTANTIATE_TEST_SUITE_P(
  grammar, spelling,
  ::testing::Values(
    spelled{"status", "status", "{}"}, spelled{"suspend", "suspend", "{}"},
    spelled{"resume --json", "resume", "{}"}, spelled{"shards", "shards", "{}"},
    spelled{"queue list", "queue list", "{}"},
    spelled{"queue show status", "queue show", R"({"name":"status"})"},
    spelled{"queue peek query --limit 3", "queue peek",
            R"({"name":"query","limit":3})"},
    spelled{"queue set query --concurrency none --allocation 2", "queue set",
            R"({"name":"query","concurrency":"none","allocation":2})"},
    spelled{"user list --queue query --after b --limit 5", "user list",
            R"({"queue":"query","after":"b","limit":5})"},
    spelled{"user show queue", "user show", R"({"name":"queue"})"},
    spelled{"user show -- -x", "user show", R"({"name":"-x"})"},
    spelled{"user set ann,bob cyd --allocation 2 --concurrency default",
            "user set",
            R"({"names":["ann","bob","cyd"],"allocation":2,
                "concurrency":"default"})"},
    spelled{"user set 'ann bob' --queue query --allocation default", "user set",
            R"({"names":["ann","bob"],"queue":"query",
                "allocation":"default"})"},
    spelled{"user prohibit creftest, taylor", "user prohibit",
            R"({"names":["creftest","taylor"]})"},
    spelled{"user add ann --password-stdin --prefix 10.1 --prefix 10.2",
            "user add", R"({"name":"ann","prefixes":["10.1","10.2"]})"},
    spelled{"user add --prefix 10.1 ann --password-stdin", "user add",
            R"({"name":"ann","prefixes":["10.1"]})"},
    spelled{"key list", "key list", "{}"},
    spelled{"key add loader --permit 'queue|post|a' --permit 'queue|poll|b*' "
            "--role queue_post --replace",
            "key add",
            R"({"name":"loader","permits":["queue|post|a","queue|poll|b*"],
                "roles":["queue_post"],"replace":true})"},
    spelled{"key remove loader", "key remove", R"({"name":"loader"})"},
    spelled{"sp add p --types metadata,query --slots 2 --userFilter a,b "
            "--excludeUsers --preferredUsers c --lowPriorityUsers d "
            "--maxSubmissionSize 1000",
            "sp add",
            R"({"name":"p","types":["metadata","query"],"slots":2,
                "user_filter":["a","b"],"exclude_users":true,
                "preferred_users":["c"],"low_priority_users":["d"],
                "max_submission_size":1000})"},
    spelled{"sp set p --userFilter '' --excludeUsers=false", "sp set",
            R"({"name":"p","user_filter":[],"exclude_users":false})"},
    spelled{"sp set p --max-submission-size none", "sp set",
            R"({"name":"p","max_submission_size":"none"})"},
    spelled{"submission list --user ann --status queued", "submission list",
            R"({"user":"ann","status":"queued"})"},
    spelled{"why 17", "submission why", R"({"id":17})"},
    spelled{"submission why 17", "submission why", R"({"id":17})"},
    spelled{"why 17 --user ann", "submission why", R"({"id":17,"user":"ann"})"},
    spelled{"park --from 2026-03-01T06:00:00Z --to 2026-03-01T10:00 --user a,b",
            "park",
            R"({"from_us":1772344800000000,"to_us":1772359200000000,
                "users":["a","b"]})"},
    spelled{"unpark --queue query", "unpark", R"({"queue":"query"})"},
    spelled{"drop suspend", "drop suspend", "{}"},
    spelled{"backup /x/../y", "backup", R"({"folder":"/y"})"},
    spelled{"kafka init", "kafka init", "{}"},
    spelled{"source add x --kind sql --replenish-threshold half --ends true",
            "source add",
            R"({"name":"x","kind":"sql","replenish_threshold":"half",
                "ends":"true"})"},
    spelled{"source record x 'a/b c'", "source record",
            R"({"name":"x","key":"a/b c"})"},
    spelled{"strategy set s 'prefer z else fair(*)'", "strategy set",
            R"x({"name":"s","strategy":"prefer z else fair(*)"})x"},
    spelled{"queue set q --fair-by bytes", "queue set",
            R"({"name":"q","fair_by":"bytes"})"}));

TEST(grammar, a_group_without_commands_is_passed_on) {
  auto table = operators::published_commands();
  table.groups.push_back({"tea", "Tea"});
  const auto said = shell::read_call(table, {"tea", "brew", "--deep"});
  ASSERT_TRUE(said.call) << said.text;
  EXPECT_EQ(said.call->row.words, "tea brew");
  EXPECT_EQ(said.call->arguments, json::object());
}

INSTANTIATE_TEST_SUITE_P(
  three_words, spelling,
  ::testing::Values(
    spelled{"operator token list", "operator token list", "{}"},
    spelled{"operator token add ben --token-name page", "operator token add",
            R"({"name":"ben","token_name":"page"})"},
    spelled{"operator token remove ben page", "operator token remove",
            R"({"name":"ben","token_name":"page"})"}));

TEST(grammar, the_engine_can_be_named_before_or_after_the_command) {
  for (const auto line : {"--connect h:1 status", "status --connect h:1"})
    EXPECT_EQ(read_connection(*split_words(line))->connect, "h:1");
  EXPECT_EQ(read_connection({"status"})->connect, "127.0.0.1:4747");
  EXPECT_EQ(read_connection({"user", "show", "--", "--connect"})->connect,
            "127.0.0.1:4747");
  EXPECT_FALSE(read_connection({"status", "--connect"}));
  EXPECT_EQ(read_line({"status", "--connect", "h:1"}).exit_code, 2);
}

TEST(grammar, without_a_command_it_is_interactive) {
  EXPECT_TRUE(read_call({}).interactive);
  EXPECT_TRUE(read_call({"--connect", "h:1"}).interactive);
  EXPECT_FALSE(read_call({"status"}).interactive);
}

TEST(grammar, flags_stand_anywhere) {
  EXPECT_TRUE(call_of("queue purge a --yes --json").yes);
  EXPECT_TRUE(call_of("--json queue list").json);
  EXPECT_TRUE(call_of("queue --json list").json);
  EXPECT_FALSE(call_of("queue list").json);
}

TEST(grammar, what_destroys_asks_and_what_counts_counts_first) {
  EXPECT_FALSE(call_of("queue purge a").row.question.empty());
  EXPECT_FALSE(call_of("user remove a").row.question.empty());
  EXPECT_FALSE(call_of("key remove a").row.question.empty());
  EXPECT_TRUE(call_of("submission cancel 7").row.counts_first);
  EXPECT_TRUE(call_of("park").row.counts_first);
  EXPECT_EQ(call_of("unpark --count").arguments["count_only"], true);
  EXPECT_TRUE(call_of("user password a --password-stdin")
                .row.find(value_kind::password));
}

TEST(grammar, files_stay_on_this_side) {
  const auto x = call_of("submit a.xml 'b c.xml' --user ann --operation doX");
  EXPECT_EQ(x.files, (std::vector<std::string>{"a.xml", "b c.xml"}));
  EXPECT_EQ(x.arguments, (json{{"user", "ann"}, {"operation", "doX"}}));
}

TEST(grammar, watch_repeats_a_command_that_only_reads) {
  auto x = call_of("watch queue list --json");
  EXPECT_EQ(x.row.words, "queue list");
  EXPECT_EQ(x.watch->seconds, 2u);
  EXPECT_TRUE(x.json);
  x = call_of("--connect h:1 watch --times 3 5 user show ann");
  EXPECT_EQ(x.watch->seconds, 5u);
  EXPECT_EQ(x.watch->times, 3u);
  EXPECT_EQ(x.arguments, (json{{"name", "ann"}}));
}

class wrong_usage : public ::testing::TestWithParam<const char*> {};

TEST_P(wrong_usage, is_exit_2_with_a_text) {
  const auto said = read_call(*split_words(GetParam()));
  EXPECT_FALSE(said.call);
  EXPECT_FALSE(said.interactive);
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_FALSE(said.text.empty());
}

INSTANTIATE_TEST_SUITE_P(
  grammar, wrong_usage,
  ::testing::Values(
    "frob", "queue", "queue frob", "queue show", "queue show a b",
    "queue list --bogus", "status extra", "queue peek a --limit x",
    "queue peek a --limit -1", "user set --allocation 1",
    "user set a --allocation", "user set a --allocation 1.5",
    "user set a --allocation 99999999999999999999", "why", "why x", "why -1",
    "park --from yesterday", "park --from 2026-13-01", "submit a.xml",
    "submit --user ann", "backup", "watch", "watch frob", "watch suspend",
    "watch 0 status", "watch watch status", "sp add", "--connect"));

TEST(grammar, help_is_an_answer) {
  for (const auto line : {"--help", "queue --help", "queue set --help"}) {
    const auto said = read_call(*split_words(line));
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_NE(said.text.find("Usage"), std::string::npos);
  }
}

TEST(grammar, every_command_of_the_table_has_help_and_a_place) {
  for (const auto& spec : operators::published_commands().commands) {
    auto words = *split_words(spec.words);
    words.push_back("--help");
    const auto said = read_call(words);
    EXPECT_EQ(said.exit_code, 0) << spec.words;
    EXPECT_NE(said.text.find(spec.help), std::string::npos) << spec.words;
  }
}

// -- completion ---------------------------------------------------------------

using words = std::vector<std::string>;

const known_names some_names{
  {"queue list", {"metadata", "query"}},
  {"user list", {"ann", "anna", "bob"}},
  {"sp list", {"p1"}}};

TEST(completion, offers_commands_then_subcommands) {
  EXPECT_EQ(completions("su", some_names),
            (words{"submission", "submit", "suspend"}));
  EXPECT_EQ(completions("queue p", some_names), (words{"peek", "purge"}));
  EXPECT_EQ(completions("nonsense ", some_names).empty(), false);
}

TEST(completion, offers_names_where_they_belong) {
  EXPECT_EQ(completions("queue show m", some_names), words{"metadata"});
  EXPECT_EQ(completions("user set an", some_names), (words{"ann", "anna"}));
  EXPECT_EQ(completions("user set bob,ann", some_names),
            (words{"bob,ann", "bob,anna"}));
  EXPECT_EQ(completions("user set bob --queue ", some_names),
            (words{"metadata", "query"}));
  EXPECT_EQ(completions("sp stop ", some_names)[2], "p1");
  EXPECT_EQ(completions("watch 3 queue show q", some_names), words{"query"});
}

TEST(completion, offers_options) {
  EXPECT_EQ(completions("queue peek metadata --l", some_names),
            words{"--limit"});
}

TEST(completion, offers_the_words_that_an_argument_may_be) {
  EXPECT_EQ(completions("submission list --status q", some_names),
            words{"queued"});
  EXPECT_EQ(completions("key add a --role queue_po", some_names),
            (words{"queue_poll", "queue_post"}));
}

TEST(completion, of_a_broken_line_is_nothing) {
  EXPECT_TRUE(completions("user show 'an", some_names).empty());
}

TEST(completion, knows_what_all_begin_with) {
  EXPECT_EQ(common_start({"ann", "anna"}), "ann");
  EXPECT_EQ(common_start({"a", "b"}), "");
  EXPECT_EQ(common_start({}), "");
}

} // namespace
} // namespace depositd::shell
