// Who changed what.

#include "tests/actors/operators/admin_access_fixture.hpp"

namespace depositd::testing {
namespace {

class admin_audits_test : public admin_access_test {
protected:
  json entry(const std::string& line) {
    world_.audited.lines = {line};
    const auto out = run("audit list")["audit"];
    EXPECT_EQ(out.size(), 1u);
    return out.at(0);
  }
};

TEST_F(admin_audits_test, a_line_is_an_entry_whatever_is_said_in_it) {
  EXPECT_EQ(
    entry("2026-11-24T05:00:00.000Z info audit who=\"a command=b\" "
          "command=\"queue set\" arguments={\"name\":\"q\"} before=null "
          "after={\"x\":[1]} result=\"done\""),
    json::parse(R"({"time":"2026-11-24T05:00:00.000Z","who":"a command=b",
      "command":"queue set","arguments":{"name":"q"},"before":null,
      "after":{"x":[1]},"result":"done"})"));
}

TEST_F(admin_audits_test, lines_of_the_other_format_are_the_same) {
  const auto plain = entry("T info audit who=\"a\" command=\"b\" "
                           "arguments={} before=null after=null result=\"c\"");
  const json other{{"ts", "T"},
                   {"message", "audit who=\"a\" command=\"b\" arguments={} "
                               "before=null after=null result=\"c\""}};
  EXPECT_EQ(entry(other.dump()), plain);
  EXPECT_EQ(plain["who"], "a");
}

TEST_F(admin_audits_test, what_is_no_audit_is_shown_as_it_is) {
  EXPECT_EQ(entry("T info node_joined name=n"),
            json::parse(R"({"time":"T","text":"T info node_joined name=n"})"));
  EXPECT_EQ(entry("T info audit who=nobody"),
            json::parse(R"({"time":"T","text":"audit who=nobody"})"));
  EXPECT_EQ(entry("{broken")["text"], "{broken");
}

TEST_F(admin_audits_test, pages_go_on) {
  world_.audited.next = "audit-2026-01.log@7";
  EXPECT_EQ(run("audit list", {{"text", "ann"}, {"limit", 5}, {"after", "p"}}),
            json::parse(R"({"audit":[],"next":"audit-2026-01.log@7"})"));
  ASSERT_EQ(world_.audit_queries.size(), 1u);
  EXPECT_EQ(world_.audit_queries[0].text, "ann");
  EXPECT_EQ(world_.audit_queries[0].count_max, 5u);
  EXPECT_EQ(world_.audit_queries[0].after, "p");
}

TEST_F(admin_audits_test, settings_are_those_of_the_start) {
  EXPECT_EQ(run("settings"), json::parse(R"({"settings":[{"key":"data.folder",
    "value":"/d","origin":"--set data.folder"}]})"));
}

} // namespace
} // namespace depositd::testing
