// Sources, schedulers and what queues share out, in the settings file.

#include "config/source_settings.hpp"

#include "actors/rules/sources/settings.hpp"
#include "tests/config/read_settings.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace depositd::source_settings_test {
namespace {

using testing::refusal_of;
using testing::settings_of;

/// A scheduler, and a source with these settings more.
std::string with_source(const std::string& more) {
  return "schedulers: {s: {queue: q}}\n"
         "sources:\n"
         "  a:\n"
         "    scheduler: s\n"
         + more;
}

const std::string a_folder = "    kind: folder\n    path: /srv/in\n";

TEST(source_settings, reach_their_fields_in_any_order) {
  const auto x = settings_of(
    "sources:\n"
    "  invoices:\n"
    "    url: 'postgresql://h/d?a=b'\n"
    "    query: |\n"
    "      select id from invoices\n"
    "      where id > :cursor limit :limit\n"
    "    key: id\n"
    "    cursor: id\n"
    "    cursor_start: ''\n"
    "    capacity: 20\n"
    "    ends: true\n"
    "    scheduler: billing\n"
    "    kind: sql\n"
    "schedulers:\n"
    "  billing: {queue: invoices, strategy: 'prefer invoices else fair(*)',\n"
    "            high: 90, high_per_user: 5, low: half}\n");
  const auto& source = x.sources.at("invoices");
  EXPECT_EQ(source.kind, source_kind::sql);
  EXPECT_EQ(source.from.query, "select id from invoices\n"
                               "where id > :cursor limit :limit\n");
  EXPECT_TRUE(source.from.has_cursor_start);
  EXPECT_EQ(source.threshold(), 10u);
  EXPECT_TRUE(source.ends);
  EXPECT_EQ(source.timeout_ms, 30'000u);
  const auto& scheduler = x.schedulers.at("billing");
  EXPECT_EQ(scheduler.queue, "invoices");
  EXPECT_EQ(scheduler.low_mark(), 45u);
  EXPECT_EQ(scheduler.high_per_user, 5u);
  const auto seen = configured_sources(x);
  ASSERT_EQ(seen.sources.size(), 1u);
  EXPECT_EQ(seen.sources[0].name, "invoices");
  EXPECT_EQ(seen.sources[0].settings, source);
  ASSERT_EQ(seen.schedulers.size(), 1u);
  EXPECT_EQ(seen.schedulers[0].settings, scheduler);
}

TEST(source_settings, come_from_the_command_line_too) {
  const auto given = [](const std::string& key, const std::string& value) {
    return given_setting{key, {value}, false, false, "--set " + key};
  };
  const auto x = make_settings(
    {given("sources.a.kind", "exec"),
     given("sources.a.command", "bring --since=x 'a b'"),
     given("sources.a.key", "id"), given("sources.a.scheduler", "s"),
     given("sources.a.capacity", "7"), given("sources.a.capacity", "8"),
     given("schedulers.s.queue", "q"), given("queues.q.fair_by", "seconds")});
  ASSERT_TRUE(x) << render(x.error());
  EXPECT_EQ(x->sources.at("a").from.command, "bring --since=x 'a b'");
  EXPECT_EQ(x->sources.at("a").capacity, 8u) << "a later value wins";
  EXPECT_EQ(configured_fairness(*x),
            (fairness_seen{{{"q", fair_by::seconds}}}));
}

struct refused_case {
  std::string yaml;
  const char* begins;
};

TEST(source_settings, are_refused_by_name_and_place) {
  for (const auto& x :
       {refused_case{with_source(a_folder + "    capacity: many\n"),
                     "sources.a.capacity: expected a whole number"},
        refused_case{with_source(a_folder
                                 + "    capacity: 5\n"
                                   "    replenish_threshold: 5\n"),
                     "sources.a.capacity: 5 is not more than"},
        refused_case{with_source(a_folder + "    colour: red\n"),
                     "sources.a.colour: there is no such setting"},
        refused_case{with_source(a_folder + "    bucket: b\n"),
                     "sources.a.bucket: is no setting of the kind folder"},
        refused_case{with_source(a_folder + "    path.x: b\n"),
                     "sources.a.path.x: there is no such setting"},
        refused_case{with_source("    kind: folder\n"),
                     "sources.a.path: is required"},
        refused_case{with_source("    kind: folder\n    path: [a, b]\n"),
                     "sources.a.path: must be one text"},
        refused_case{with_source("    path: /x\n"),
                     "sources.a.kind: is required"},
        refused_case{with_source("    kind: ftp\n"),
                     "sources.a.kind: expected sql"},
        refused_case{"sources: {a: {kind: folder, path: /x, scheduler: t}}",
                     "sources.a.scheduler: there is no scheduler t"},
        refused_case{"sources: {a: {kind: folder, path: /x}}",
                     "sources.a.scheduler: is required"},
        refused_case{"sources: {'a b': {kind: folder}}",
                     "sources.a b: a name has"},
        refused_case{"sources: {fair: {kind: folder}}",
                     "sources.fair: a name has"},
        refused_case{"sources: {a: 7}", "sources.a: must have settings"},
        refused_case{"sources: [a]", "sources: must have names"},
        refused_case{"schedulers: {s: {}}", "schedulers.s.queue: is required"},
        refused_case{"schedulers: {s: {queue: metadata}}",
                     "schedulers.s.queue: metadata is a queue of the kind"},
        refused_case{"schedulers: {s: {queue: q, high: 4, low: 4}}",
                     "schedulers.s.high: 4 is not more than low 4"},
        refused_case{"schedulers: {s: {queue: q, strategy: 'fair(zz)'}}",
                     "schedulers.s.strategy: column 6: "},
        refused_case{"queues: {q: {fair_by: luck}}",
                     "queues.q.fair_by: must be one of turns, bytes"}}) {
    const auto why = refusal_of(x.yaml);
    EXPECT_EQ(why.find(x.begins), 0u) << why;
  }
  EXPECT_NE(refusal_of(with_source(a_folder + "    capacity: 0\n"))
              .find("(test.yaml:7)"),
            std::string::npos);
}

TEST(source_settings, there_are_at_most_so_many) {
  std::string yaml = "schedulers: {s: {queue: q}}\nsources:\n";
  for (int i = 0; i < 1'025; ++i)
    yaml +=
      "  s" + std::to_string(i) + ": {kind: folder, path: /x, scheduler: s}\n";
  EXPECT_EQ(refusal_of(yaml).find("sources: there are more than 1024"), 0u);
}

TEST(source_settings, empty_sections_say_nothing) {
  EXPECT_EQ(settings_of("sources:\nschedulers:\n"), depositd_settings{});
}

TEST(source_settings, queues_are_fair_by_turns_unless_something_is_said) {
  const auto x = settings_of("queues: {a: {fair_by: bytes}, b: {fair_by: "
                             "turns}, c.d: {fair_by: bytes}}");
  EXPECT_EQ(x.fairness.size(), 2u);
  EXPECT_TRUE(x.fairness.contains("c.d"));
  EXPECT_TRUE(x.queues.contains("b"));
}

TEST(source_settings, the_default_file_tells_of_every_one) {
  std::ifstream in{DEPOSITD_DEFAULTS_FILE};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  const auto told = text.substr(text.find("\nsources:"));
  for (const auto& names :
       {rules::source_setting_names(), rules::scheduler_setting_names()})
    for (const auto& name : names)
      EXPECT_NE(told.find("  #   " + name + ": "), std::string::npos) << name;
}

} // namespace
} // namespace depositd::source_settings_test
