// How collections, batches, jobs and pipelines are spelled.

#include "adapters/shell/grammar.hpp"
#include "adapters/shell/words.hpp"

#include "actors/operators/command.hpp"

#include <gtest/gtest.h>

namespace depositd::shell {
namespace {

using json = nlohmann::json;

understood said(const std::vector<std::string>& words) {
  return read_call(operators::published_commands(), words);
}

invocation call_of(const std::string& line) {
  const auto out = said(*split_words(line));
  EXPECT_TRUE(out.call) << line << ": " << out.text;
  return out.call ? *out.call : invocation{};
}

struct spelled {
  const char* line;
  const char* command;
  const char* arguments;
};

class work_spelling : public ::testing::TestWithParam<spelled> {};

TEST_P(work_spelling, means_this_command) {
  const auto& x = GetParam();
  const auto call = call_of(x.line);
  EXPECT_EQ(call.row.words, x.command);
  EXPECT_EQ(call.arguments, json::parse(x.arguments));
}

INSTANTIATE_TEST_SUITE_P(
  commands, work_spelling,
  ::testing::Values(
    spelled{"collection add c1 --owner ann --submitters bob,cyd "
            "--pipeline merritt --storage local,vault --notify a@b.c "
            "--callback http://h/x --priority 7 --mails none",
            "collection add",
            R"({"name":"c1","owner":"ann","submitters":["bob","cyd"],
                "pipeline":"merritt","storage":["local","vault"],
                "notify":["a@b.c"],"callback":"http://h/x","priority":7,
                "mails":"none"})"},
    spelled{"collection set c1 --submitters '' --callback '' "
            "--priority none --callback-may-fail=false",
            "collection set",
            R"({"name":"c1","submitters":[],"callback":"",
                "priority":"none","callback_may_fail":false})"},
    spelled{"collection release c1 --jobs", "collection release",
            R"({"name":"c1","jobs":true})"},
    spelled{"batch list --collection c1 --state update-reporting --limit 5",
            "batch list",
            R"({"collection":"c1","state":"update-reporting","limit":5})"},
    spelled{"batch show bid-1", "batch show", R"({"id":"bid-1"})"},
    spelled{"batch cleanup", "batch cleanup", "{}"},
    spelled{"batch delete 7", "batch delete", R"({"id":"7"})"},
    spelled{"job list --identifier ark:/1/2 --local-id l --title t "
            "--file-name f --state held --batch 4 --needs-review --after 9",
            "job list",
            R"({"identifier":"ark:/1/2","local_id":"l","title":"t",
                "file_name":"f","state":"held","batch":"4",
                "needs_review":true,"after":"9"})"},
    spelled{"job requeue 9 --to download", "job requeue",
            R"({"id":"9","to":"download"})"},
    spelled{"job release --collection c1 --user ann", "job release",
            R"({"collection":"c1","user":"ann"})"},
    spelled{"job fail --all --count", "job fail",
            R"({"all":true,"count_only":true})"},
    spelled{"job note 9 'look at this'", "job note",
            R"({"id":"9","note":"look at this"})"},
    spelled{"job why jid-1", "job why", R"({"id":"jid-1"})"},
    spelled{"review list", "review list", "{}"},
    spelled{"pipeline set merritt.store --workers 2 --buffer 1 "
            "--attempts-max 3",
            "pipeline set",
            R"({"name":"merritt.store","workers":2,"buffer":1,
                "attempts_max":3})"},
    spelled{"pipeline pause merritt", "pipeline pause",
            R"({"name":"merritt"})"}));

INSTANTIATE_TEST_SUITE_P(
  submissions_and_objects, work_spelling,
  ::testing::Values(
    spelled{"submission cancel 17 --note wrong", "submission cancel",
            R"({"id":17,"note":"wrong"})"},
    spelled{"submission cancel --user a,b --queue query --all",
            "submission cancel",
            R"({"users":["a","b"],"queue":"query","all":true})"},
    spelled{"submission requeue 17", "submission requeue", R"({"id":17})"},
    spelled{"object find 'a map'", "object find", R"({"text":"a map"})"},
    spelled{"object events a --type ingestion", "object events",
            R"({"identifier":"a","type":"ingestion"})"},
    spelled{"object history ark:/1/a --limit 5", "object history",
            R"({"identifier":"ark:/1/a","limit":5})"},
    spelled{"object files ark:/1/a --version 2", "object files",
            R"({"identifier":"ark:/1/a","version":2})"},
    spelled{"object list --owner ann --local-id x", "object list",
            R"({"user":"ann","local_id":"x"})"},
    spelled{"collection use --since 2026-03-01", "collection use",
            R"({"since_us":1772323200000000})"},
    spelled{"report month 2026-11 --csv", "report month",
            R"({"month":"2026-11","csv":true})"}));

TEST(work_grammar, a_key_for_callbacks_is_read_and_not_written) {
  const auto x = call_of("collection add c1 --owner ann --callback-key-stdin");
  EXPECT_EQ(x.arguments, (json{{"name", "c1"}, {"owner", "ann"}}));
  EXPECT_EQ(x.secret_texts, std::vector<std::string>{"callback_key"});
  EXPECT_TRUE(call_of("collection set c1").secret_texts.empty());
  EXPECT_FALSE(
    said({"collection", "set", "c1", "--callback-key-stdin", "s3cret"}).call)
    << "nobody shall write it where others see it";
}

INSTANTIATE_TEST_SUITE_P(
  orders, work_spelling,
  ::testing::Values(
    spelled{"object restore inst/bag", "object restore",
            R"({"identifier":"inst/bag"})"},
    spelled{"object delete inst/a,inst/b --reason old", "object delete",
            R"({"identifiers":["inst/a","inst/b"],"reason":"old"})"},
    spelled{"object delete --identifier 'inst/a b, c' --identifier inst/d",
            "object delete", R"({"identifier":["inst/a b, c","inst/d"]})"},
    spelled{"file restore inst/bag 'data/a b'", "file restore",
            R"({"identifier":"inst/bag","path":"data/a b"})"},
    spelled{"glacier restore inst/bag --file data/a", "glacier restore",
            R"({"identifier":"inst/bag","path":"data/a"})"},
    spelled{"fixity run inst/bag --force", "fixity run",
            R"({"identifier":"inst/bag","force":true})"},
    spelled{"deletion reject del-1", "deletion reject",
            R"({"reference":"del-1"})"}));

TEST(work_grammar, many_jobs_are_counted_before_something_is_done) {
  for (const auto line : {"job hold", "job release", "job requeue", "job fail",
                          "job delete", "batch delete 1"}) {
    const auto row = call_of(line).row;
    EXPECT_TRUE(row.counts_first) << line;
    EXPECT_FALSE(row.question.empty()) << line;
  }
}

TEST(work_grammar, knows_what_is_missing_or_too_much) {
  for (const auto line :
       {"collection add c1", "collection add --owner ann", "batch show",
        "job show", "job note 1", "job list --bogus", "job show 1 2",
        "job list --state lost --limit x", "pipeline set",
        "pipeline set a.b --workers x", "review"}) {
    const auto out = said(*split_words(line));
    EXPECT_FALSE(out.call) << line;
    EXPECT_EQ(out.exit_code, 2) << line;
  }
}

} // namespace
} // namespace depositd::shell
