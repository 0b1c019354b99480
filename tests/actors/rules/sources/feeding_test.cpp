// Marks, progress, the table of failed records, and what is refused of
// settings.

#include "actors/rules/sources/failed_records.hpp"
#include "actors/rules/sources/marks.hpp"
#include "actors/rules/sources/progress.hpp"
#include "actors/rules/sources/settings.hpp"
#include "messages/values/sql_pieces.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace depositd::rules {

// -- marks --------------------------------------------------------------------

TEST(marks_test, feeds_up_to_the_high_mark_and_holds_down_to_the_low_one) {
  marks it{{.high = 4, .low = 1}};
  EXPECT_EQ(it.room(), 0u) << "nobody has told what is left";
  it.measured(2);
  EXPECT_EQ(it.room(), 2u);
  it.fed("u");
  it.fed("u");
  EXPECT_TRUE(it.holding());
  it.measured(2);
  EXPECT_EQ(it.room(), 0u);
  it.ended("u");
  EXPECT_FALSE(it.holding());
  EXPECT_EQ(it.room(), 3u);
  it.measured(1, 2);
  EXPECT_EQ(it.room(), 1u) << "what is on the way counts";
}

TEST(marks_test, the_low_mark_follows_the_high_one) {
  marks it{{.high = 10}};
  it.measured(10);
  it.measured(6);
  EXPECT_EQ(it.room(), 0u);
  it.measured(5);
  EXPECT_EQ(it.room(), 5u);
}

TEST(marks_test, new_marks_count_at_once) {
  marks it{{.high = 10, .low = 2}};
  it.measured(10);
  it.set({.high = 12, .low = 2});
  EXPECT_EQ(it.room(), 2u);
  it.set({.high = 5, .low = 2});
  EXPECT_EQ(it.room(), 0u);
  it.measured(4);
  EXPECT_EQ(it.room(), 0u);
}

TEST(marks_test, a_user_at_its_own_mark_holds_no_others_up) {
  marks it{{.high = 10, .high_per_user = 2}};
  it.measured(0);
  it.fed("ann");
  it.fed("ann");
  EXPECT_EQ(it.room("ann"), 0u);
  EXPECT_EQ(it.room("bob"), 2u);
  EXPECT_EQ(it.room(), 8u);
  it.ended("ann");
  EXPECT_EQ(it.room("ann"), 1u);
  it.measured_user("ann", 7);
  EXPECT_EQ(it.room("ann"), 0u);
  EXPECT_EQ(marks{{}}.room("ann"), no_mark);
}

TEST(marks_test, what_made_no_item_has_not_reached_the_mark) {
  marks it{{.high = 4, .low = 1}};
  it.measured(2);
  it.fed("u");
  it.fed("u");
  EXPECT_TRUE(it.holding());
  it.taken_back("u");
  EXPECT_EQ(it.room(), 1u);
  it.fed("u");
  it.measured(4);
  it.taken_back("u");
  EXPECT_TRUE(it.holding()) << "that many were counted";
}

RC_GTEST_PROP(marks_property, the_mark_is_never_exceeded, ()) {
  const auto high = *rc::gen::inRange<std::uint64_t>(1, 20);
  const auto low = *rc::gen::inRange<std::uint64_t>(0, high);
  const auto steps =
    *rc::gen::container<std::vector<bool>>(rc::gen::arbitrary<bool>());
  marks it{{.high = high, .low = low}};
  it.measured(0);
  std::uint64_t left = 0;
  for (const bool feed : steps) {
    const bool held = it.holding();
    if (feed && it.room() > 0) {
      it.fed("u");
      ++left;
    } else if (!feed && left > 0) {
      it.ended("u");
      --left;
    }
    RC_ASSERT(left <= high && it.left() == left);
    RC_ASSERT(!held || it.holding() == (left > low));
    RC_ASSERT(it.room() == (it.holding() ? 0 : high - left));
  }
}

// -- progress -----------------------------------------------------------------

TEST(progress_test, counts_the_last_ten_seconds) {
  constexpr micros s = 1'000'000;
  feed_rate rate;
  EXPECT_EQ(rate.per_second(5 * s), 0);
  rate.fed(100, 100 * s);
  EXPECT_EQ(rate.per_second(100 * s), 100);
  rate.fed(100, 104 * s);
  EXPECT_EQ(rate.per_second(104 * s), 50);
  EXPECT_EQ(rate.per_second(109 * s), 200.0 / 9);
  EXPECT_EQ(rate.per_second(111 * s), 10);
  EXPECT_EQ(rate.per_second(500 * s), 0);
}

TEST(progress_test, tells_the_time_left_only_if_somebody_can_say) {
  EXPECT_EQ(seconds_left(10, std::nullopt, 5), std::nullopt);
  EXPECT_EQ(seconds_left(10, 100, 0), std::nullopt);
  EXPECT_EQ(seconds_left(10, 100, 40), 3u);
  EXPECT_EQ(seconds_left(120, 100, 0), 0u);
}

// -- failed records -----------------------------------------------------------

TEST(failed_records_test, a_table_names_its_columns) {
  EXPECT_EQ(write_failed({{"a", "u", "no, \"really\"", "{\"b\":1}"}}),
            "key,user,error,body\r\n"
            "a,u,\"no, \"\"really\"\"\",\"{\"\"b\"\":1}\"\r\n");
}

TEST(failed_records_test, reads_what_somebody_edited) {
  const auto out = read_failed("\xEF\xBB\xBF"
                               "note,body,key,user\n"
                               "mine,\"{\n}\",a,u\n\nother,2,b,v",
                               9);
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(*out, (std::vector<failed_record>{{"a", "u", "", "{\n}"},
                                              {"b", "v", "", "2"}}));
}

TEST(failed_records_test, says_which_row_is_wrong) {
  const auto why = [](std::string_view text) {
    const auto out = read_failed(text, 2);
    return out ? "read" : render(out.error());
  };
  EXPECT_EQ(why("a,b\r\n"), "row 1: there is no column key");
  EXPECT_EQ(why("key,user,body\r\na,b\r\n"), "row 2: has 2 cells, not 3");
  EXPECT_EQ(why("key,user,body\r\na,b,\"c\r\n"), "row 2: a quote is wrong");
  EXPECT_EQ(why("key,user,body\r\n,b,c\r\n"), "row 2: has no key");
  EXPECT_EQ(why("key,user,body\na,b,c\na,b,c\na,b,c\n"),
            "the table has more than 3 rows");
  EXPECT_EQ(why(""), "the table is empty");
}

RC_GTEST_PROP(failed_records_property, come_back_as_they_were, ()) {
  const auto cell = rc::gen::container<std::string>(
    rc::gen::element('=', '\'', '"', ',', '\n', '\r', ' ', '-', 'a', '@'));
  const auto rows = *rc::gen::container<std::vector<failed_record>>(
    rc::gen::map(rc::gen::tuple(cell, cell, cell, cell), [](auto x) {
      return failed_record{"k" + std::get<0>(x), std::get<1>(x), std::get<2>(x),
                           std::get<3>(x)};
    }));
  const auto csv = write_failed(rows);
  const auto out = read_failed(csv, rows.size());
  RC_ASSERT(out);
  RC_ASSERT(*out == rows);
}

// -- settings -----------------------------------------------------------------

namespace {

source_settings
a_source(const std::string& kind,
         std::vector<std::pair<std::string, std::string>> with = {}) {
  source_settings out;
  EXPECT_FALSE(set_setting(out, "n", "kind", kind));
  with.insert(with.begin(), {"scheduler", "s"});
  for (const auto& [name, text] : with)
    EXPECT_FALSE(set_setting(out, "n", name, text)) << name;
  return out;
}

source_settings a_folder() {
  return a_source("folder", {{"path", "/data"}});
}

std::string said(const caf::error& why) {
  return why ? render(why) : "";
}

/// What is refused of a folder with one other setting.
std::string refusal(const std::string& name, const std::string& text) {
  auto x = a_folder();
  if (auto why = set_setting(x, "n", name, text))
    return render(why);
  return said(check("n", x));
}

} // namespace

TEST(source_settings_test, a_refusal_begins_with_its_setting) {
  const std::vector<std::vector<std::string>> cases{
    {"capacity", "0", "sources.n.capacity: expected a whole number"},
    {"capacity", "many", "sources.n.capacity: expected a whole number"},
    {"capacity", "1.5", "sources.n.capacity: expected a whole number"},
    {"capacity", "", "sources.n.capacity: expected a whole number"},
    {"replenish_threshold", "-1", "sources.n.replenish_threshold: expected"},
    {"replenish_threshold", "10000", "sources.n.capacity: 10000 is not more "},
    {"timeout_ms", "0", "sources.n.timeout_ms: expected"},
    {"retry_delay_ms", "70000", "sources.n.retry_delay_ms_max: 60000 is less"},
    {"ends", "yes", "sources.n.ends: expected true or false"},
    {"kind", "ftp", "sources.n.kind: expected sql, sqs"},
    {"colour", "red", "sources.n.colour: there is no such setting"},
    {"topic", "t", "sources.n.topic: is no setting of the kind folder"},
    {"claim_ttl_s", "5", "sources.n.claim_ttl_s: is no setting of the kind"},
    {"path", "", "sources.n.path: is required for the kind folder"},
    {"scheduler", "", "sources.n.scheduler: is required"},
  };
  for (const auto& x : cases)
    EXPECT_EQ(refusal(x[0], x[1]).substr(0, x[2].size()), x[2]);
  EXPECT_EQ(refusal("replenish_threshold", "9999"), "");
  EXPECT_EQ(refusal("replenish_threshold", "half"), "");
}

TEST(source_settings_test, names_are_short_and_no_words_of_the_grammar) {
  for (const auto* name : {"", "fair", "else", "a.b", "a b"})
    EXPECT_NE(said(check(name, a_folder())), "") << name;
  EXPECT_NE(said(check(std::string(65, 'a'), a_folder())), "");
  EXPECT_EQ(said(check("Fair_1-x", a_folder())), "");
}

TEST(source_settings_test, every_kind_needs_what_it_reads_from) {
  EXPECT_EQ(said(check("n", a_source("sql"))),
            "sources.n.url: is required for the kind sql");
  const auto with = [](const std::string& kind,
                       std::vector<std::pair<std::string, std::string>> x) {
    return said(check("n", a_source(kind, std::move(x))));
  };
  EXPECT_EQ(with("sql", {{"url", "sqlite:/a"}, {"query", "select 1"}}),
            "sources.n.key: is required for the kind sql");
  EXPECT_EQ(with("sql",
                 {{"url", "sqlite:/a"}, {"query", "select 1"}, {"key", "k"}}),
            "")
    << "which has no :cursor";
  EXPECT_EQ(with("sql", {{"url", "mysql://a"}, {"query", "q"}, {"key", "k"}})
              .substr(0, 14),
            "sources.n.url:");
  EXPECT_EQ(with("sqs", {{"url", "http://a/b"}}), "");
  EXPECT_EQ(with("queue", {{"url", "http://a/b"}}).substr(0, 14),
            "sources.n.url:");
  EXPECT_EQ(with("queue", {{"url", "http://h:1/queue/1/q"}}), "");
  EXPECT_EQ(with("kafka", {}), "sources.n.topic: is required for the kind "
                               "kafka");
  EXPECT_EQ(with("s3", {{"bucket", "b"}, {"endpoint", "x"}}).substr(0, 19),
            "sources.n.endpoint:");
  EXPECT_EQ(with("exec", {{"command", "a 'b"}, {"key", "k"}}),
            "sources.n.command: a quote is not closed");
  EXPECT_EQ(with("exec", {{"command", " "}, {"key", "k"}}),
            "sources.n.command: names no program");
}

TEST(source_settings_test, a_query_with_a_cursor_needs_column_and_start) {
  std::vector<std::pair<std::string, std::string>> x{
    {"url", "postgresql://h/d"},
    {"query", "select id from t where id > :cursor limit :limit"},
    {"key", "id"}};
  EXPECT_EQ(said(check("n", a_source("sql", x))),
            "sources.n.cursor: is required, as the query has :cursor");
  x.push_back({"cursor", "id"});
  EXPECT_EQ(said(check("n", a_source("sql", x))),
            "sources.n.cursor_start: is required, as the query has :cursor");
  x.push_back({"cursor_start", ""});
  EXPECT_EQ(said(check("n", a_source("sql", x))), "");
}

TEST(source_settings_test, every_setting_reads_as_it_is_shown) {
  for (const auto& name : source_setting_names()) {
    auto x = a_folder();
    const auto text = setting_text(x, name);
    EXPECT_FALSE(set_setting(x, "n", name, text)) << name;
    EXPECT_EQ(setting_text(x, name), text) << name;
  }
  scheduler_settings s;
  for (const auto& name : scheduler_setting_names()) {
    const auto text = setting_text(s, name);
    EXPECT_FALSE(set_setting(s, "s", name, text)) << name;
    EXPECT_EQ(setting_text(s, name), text) << name;
  }
  EXPECT_EQ(setting_text(s, "low"), "half");
  EXPECT_EQ(setting_text(s, "high_per_user"), "none");
}

TEST(scheduler_settings_test, are_refused_by_name) {
  const auto why = [](scheduler_settings x) { return said(check("s", x)); };
  EXPECT_EQ(why({}), "schedulers.s.queue: is required");
  EXPECT_EQ(why({.queue = "Q!"}), "schedulers.s.queue: is no name of a queue");
  EXPECT_EQ(why({.queue = "q", .high = 5, .low = 5}),
            "schedulers.s.high: 5 is not more than low 5");
  EXPECT_EQ(why({.queue = "q", .downstream = "ftp://x"}),
            "schedulers.s.downstream: expected http://... or postgresql://...");
  EXPECT_EQ(why({.queue = "q", .downstream = "postgresql://x"}),
            "schedulers.s.downstream_query: is required, as downstream is a "
            "database");
  EXPECT_EQ(why({.queue = "q"}), "");
}

TEST(scheduler_settings_test, go_together_with_their_sources) {
  source_table sources{{"x", a_folder()}, {"y", a_folder()}};
  scheduler_table schedulers{{"s", {.queue = "q", .strategy = "fair(x, y)"}},
                             {"t", {.queue = "q"}}};
  EXPECT_EQ(said(check(sources, schedulers)), "");
  schedulers["t"].strategy = "prefer x else fair(*)";
  EXPECT_EQ(said(check(sources, schedulers)),
            "schedulers.t.strategy: column 8: the scheduler has no source x");
  EXPECT_EQ(said(check_removal("x", sources, schedulers)),
            "schedulers.s.strategy: names the source x");
  schedulers["s"].strategy = "fair(*)";
  EXPECT_EQ(said(check_removal("x", sources, schedulers)), "");
  EXPECT_NE(said(check_scheduler_removal("s", sources)), "");
  EXPECT_EQ(said(check_scheduler_removal("t", sources)), "");
  schedulers.erase("s");
  EXPECT_EQ(said(check(sources, schedulers)),
            "sources.x.scheduler: there is no scheduler s");
}

// -- queries ------------------------------------------------------------------

TEST(sql_pieces_test, binds_only_what_is_neither_quoted_nor_a_cast) {
  using what = sql_piece::what;
  EXPECT_EQ(sql_pieces("a :limit b::text, :cursor"),
            (std::vector<sql_piece>{{what::text, "a "},
                                    {what::limit, ""},
                                    {what::text, " b::text, "},
                                    {what::cursor, ""}}));
  for (const auto* text :
       {"select ':limit'", "select 'it''s :limit'", "select \":limit\"",
        "-- :limit\n", "/* :limit */", "$$ :limit $$", "$a$ :limit $$ $a$",
        "x::limit", ":limits", "':limit", "::limit"})
    EXPECT_FALSE(names_place(text, what::limit)) << text;
  for (const auto* text : {"$1 :limit", "'':limit", "-- x\n:limit",
                           "/**/:limit", "$$$$:limit", "a$b$:limit"})
    EXPECT_TRUE(names_place(text, what::limit)) << text;
}

} // namespace depositd::rules
