// The grammar of strategies, and what they pick, against naive models.

#include "actors/rules/sources/strategy.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace depositd::rules {

namespace {

const std::vector<std::string> names{"w", "x", "y", "z", "10", "Zoo_1-a"};

bool is_source(std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string canonical(std::string_view text) {
  const auto out = parse_strategy(text, is_source);
  if (const auto* why = std::get_if<strategy_error>(&out))
    return why->text();
  return to_string(std::get<strategy_tree>(out));
}

std::size_t column_of(std::string_view text) {
  const auto out = parse_strategy(text, is_source);
  const auto* why = std::get_if<strategy_error>(&out);
  return why ? why->column : 0;
}

/// Sources w, x, y, z with counts; picks as a text, "-" for none.
class feeding {
public:
  explicit feeding(const std::string& text)
    : strategy_(std::get<strategy_tree>(parse_strategy(text, is_source)),
                {"w", "x", "y", "z"}) {}

  char pick() {
    const auto at = strategy_.pick(ready, now_us);
    if (!at)
      return '-';
    --ready[*at];
    return "wxyz"[*at];
  }
  std::string picks(int count) {
    std::string out;
    for (int i = 0; i < count; ++i)
      out += pick();
    return out;
  }

  std::vector<std::uint64_t> ready{1000, 1000, 1000, 1000};
  micros now_us = 1'000'000;
  strategy strategy_;
};

} // namespace

// -- the grammar --------------------------------------------------------------

TEST(strategy_grammar, reads_what_it_writes) {
  for (const auto* text :
       {"x", "10", "fair(*)", "fair(x)", "fair(x, y)", "priority(x, y, z)",
        "prefer z else fair(x, weighted(y:3, w:1))", "limit(1/s, fair(*))",
        "limit(1000000/s, Zoo_1-a)",
        "prefer prefer x else y else prefer z else w",
        "weighted(fair(x, y):1000000, limit(5/s, z):1)"})
    EXPECT_EQ(canonical(text), text);
  EXPECT_EQ(canonical(" prefer\tz else  fair ( x,weighted(y : 3,w:1) ) "),
            "prefer z else fair(x, weighted(y:3, w:1))");
  EXPECT_EQ(canonical("limit ( 10 /s , 10 )"), "limit(10/s, 10)");
}

TEST(strategy_grammar, points_at_the_word_that_does_not_fit) {
  const std::vector<std::pair<const char*, std::size_t>> cases{
    {"", 1},
    {"   ", 4},
    {"fair", 5},
    {"fair(", 6},
    {"fair(x", 7},
    {"fair(x,", 8},
    {"fair(x,)", 8},
    {"fair()", 6},
    {"fair(x) y", 9},
    {"fair(x y)", 8},
    {"fair(x, nobody)", 9},
    {"nobody", 1},
    {"Fair(x)", 1},
    {"x(y)", 2},
    {"fair(x, *)", 9},
    {"fair(*, x)", 7},
    {"fair(x, y, x)", 12},
    {"fair(fair(*), fair(*))", 20},
    {"priority(*)", 10},
    {"weighted(x)", 11},
    {"weighted(x:0)", 12},
    {"weighted(x:1000001)", 12},
    {"weighted(x:-1)", 12},
    {"weighted(x:1.5)", 13},
    {"weighted(x:y)", 12},
    {"limit(x)", 7},
    {"limit(5, x)", 8},
    {"limit(5/m, x)", 8},
    {"limit(5/sec, x)", 8},
    {"limit(5/s)", 10},
    {"limit(5/s, x, y)", 13},
    {"prefer x", 9},
    {"prefer x y", 10},
    {"prefer x else", 14},
    {"else", 1},
    {"x else y", 3},
    {"fair(x, \xc3\xa9)", 9},
    {"fair(x) ;", 9},
  };
  for (const auto& [text, column] : cases)
    EXPECT_EQ(column_of(text), column) << text << ": " << canonical(text);
}

TEST(strategy_grammar, says_what_was_expected) {
  EXPECT_EQ(canonical("fair(x, nobody)"),
            "column 9: the scheduler has no source nobody");
  EXPECT_EQ(canonical("fair(x, x)"), "column 9: source x may stand only once");
  EXPECT_EQ(canonical("weighted(x:0)"),
            "column 12: expected a whole number from 1 to 1000000");
}

TEST(strategy_grammar, has_bounds) {
  std::string deep;
  for (int i = 0; i < 100; ++i)
    deep += "fair(";
  EXPECT_NE(canonical(deep).find("nested deeper"), std::string::npos);
  EXPECT_EQ(column_of(std::string(strategy_bytes_max + 1, ' ')),
            strategy_bytes_max + 1);
  EXPECT_EQ(canonical("x" + std::string(strategy_bytes_max - 1, ' ')), "x");
}

TEST(strategy_grammar, knows_whom_it_names) {
  const auto tree =
    std::get<strategy_tree>(parse_strategy("prefer x else fair(*)", is_source));
  EXPECT_TRUE(names_source(tree, "x"));
  EXPECT_FALSE(names_source(tree, "y"));
}

RC_GTEST_PROP(strategy_grammar, survives_any_text, ()) {
  const auto words =
    *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "fair", "weighted", "priority", "prefer", "else", "limit", "(", ")", ",",
      ":", "/s", "*", "x", "y", "7", " ", "\xff"));
  std::string text;
  for (const auto& word : words)
    text += word + " ";
  const auto out = parse_strategy(text, is_source);
  if (const auto* why = std::get_if<strategy_error>(&out)) {
    RC_ASSERT(why->column >= 1 && why->column <= text.size() + 1);
  } else {
    const auto& tree = std::get<strategy_tree>(out);
    RC_ASSERT(
      std::get<strategy_tree>(parse_strategy(to_string(tree), is_source))
      == tree);
  }
}

// -- picks --------------------------------------------------------------------

TEST(strategy_test, fair_takes_one_each_in_turn_as_written) {
  feeding all{"fair(z, x, y)"};
  EXPECT_EQ(all.picks(7), "zxyzxyz");
  all.ready[1] = 0;
  EXPECT_EQ(all.picks(4), "yzyz");
  all.ready[1] = 2; // nothing was saved up for it
  EXPECT_EQ(all.picks(5), "xyzxy");
}

TEST(strategy_test, weighted_is_spread_and_exact_over_a_round) {
  EXPECT_EQ(feeding{"weighted(x:5, y:1, z:1)"}.picks(14), "xxyxzxxxxyxzxx");
  EXPECT_EQ(feeding{"weighted(y:3, w:1)"}.picks(8), "yywyyywy");
}

TEST(strategy_test, priority_takes_the_first_that_has_any) {
  feeding all{"priority(z, x, y)"};
  all.ready = {9, 2, 9, 1};
  EXPECT_EQ(all.picks(4), "zxxy");
  all.ready[3] = 1;
  EXPECT_EQ(all.picks(2), "zy");
  all.ready = {9, 0, 0, 0};
  EXPECT_EQ(all.picks(1), "-") << "a source named nowhere waits";
}

TEST(strategy_test, prefer_falls_back_and_comes_back) {
  feeding all{"prefer z else fair(x, y)"};
  all.ready = {0, 9, 9, 1};
  EXPECT_EQ(all.picks(3), "zxy");
  all.ready[3] = 1;
  EXPECT_EQ(all.picks(2), "zx");
}

TEST(strategy_test, a_nested_strategy_counts_as_one) {
  EXPECT_EQ(feeding{"fair(x, fair(y, z))"}.picks(8), "xyxzxyxz");
}

TEST(strategy_test, a_star_is_all_that_stand_nowhere_else_also_later_ones) {
  feeding all{"prefer z else fair(*)"};
  all.ready[3] = 1;
  EXPECT_EQ(all.picks(5), "zwxyw");
  all.strategy_.set_sources({"new", "w", "x", "y", "z"});
  all.ready = {9, 9, 9, 9, 0};
  std::string out;
  for (int i = 0; i < 4; ++i)
    out += "nwxyz"[*all.strategy_.pick(all.ready, 1)];
  EXPECT_EQ(out, "xynw");
}

TEST(strategy_test, a_source_that_is_gone_is_passed_over) {
  feeding all{"fair(x, y)"};
  all.strategy_.set_sources({"y"});
  const std::vector<std::uint64_t> ready{3};
  EXPECT_EQ(all.strategy_.pick(ready, 1), 0u);
  EXPECT_EQ(all.strategy_.pick(ready, 1), 0u);
}

TEST(strategy_test, a_limit_lets_so_many_through_and_no_more) {
  feeding all{"limit(100/s, x)"};
  EXPECT_EQ(all.picks(12), "xxxxxxxxxx--");
  EXPECT_EQ(all.strategy_.next_us(all.ready, all.now_us), all.now_us + 10'000);
  all.now_us += 9'999;
  EXPECT_EQ(all.pick(), '-');
  all.now_us += 1;
  EXPECT_EQ(all.picks(2), "x-");
  all.now_us += 1'000'000'000'000;
  EXPECT_EQ(all.picks(11), "xxxxxxxxxx-") << "no more than its depth";
  all.now_us -= 5'000'000; // a clock that went back gives nothing
  EXPECT_EQ(all.pick(), '-');
  EXPECT_EQ(feeding{"limit(3/s, x)"}.picks(2), "x-") << "at least one";
}

TEST(strategy_test, a_limit_says_to_the_microsecond_when_it_lets_one_through) {
  feeding thirds{"limit(3/s, x)"};
  EXPECT_EQ(thirds.picks(2), "x-");
  const auto next = thirds.now_us + 333'334;
  EXPECT_EQ(thirds.strategy_.next_us(thirds.ready, thirds.now_us), next);
  thirds.now_us = next - 1; // a millionth of a record is missing
  EXPECT_EQ(thirds.pick(), '-');
  EXPECT_EQ(thirds.strategy_.next_us(thirds.ready, thirds.now_us), next);
  thirds.now_us = next;
  EXPECT_EQ(thirds.picks(2), "x-");
}

TEST(strategy_test, of_limits_in_a_limit_those_that_hold_nobody_are_passed_by) {
  feeding all{"limit(1/s, limit(2/s, x))"};
  EXPECT_EQ(all.picks(2), "x-");
  all.now_us += 500'000; // one for the inner, just so, and half for the outer
  EXPECT_EQ(all.pick(), '-');
  EXPECT_EQ(all.strategy_.next_us(all.ready, all.now_us), all.now_us + 500'000);
}

TEST(strategy_test, who_is_held_by_a_limit_is_passed_over) {
  feeding all{"fair(limit(1/s, x), y)"};
  EXPECT_EQ(all.picks(5), "xyyyy");
  EXPECT_EQ(all.strategy_.next_us(all.ready, all.now_us), never);
}

RC_GTEST_PROP(strategy_property, shares_are_exact_over_every_round, ()) {
  const auto weights =
    *rc::gen::container<std::vector<int>>(4, rc::gen::inRange(1, 20));
  feeding all{"weighted(w:" + std::to_string(weights[0]) + ",x:"
              + std::to_string(weights[1]) + ",y:" + std::to_string(weights[2])
              + ",z:" + std::to_string(weights[3]) + ")"};
  const auto sum = std::accumulate(weights.begin(), weights.end(), 0);
  std::vector<int> got(4);
  for (int i = 1; i <= 5 * sum; ++i) {
    ++got[std::string{"wxyz"}.find(all.pick())];
    for (std::size_t s = 0; s < 4; ++s) {
      // Never more than one turn of each other from the ideal share.
      const auto ideal = static_cast<double>(i) * weights[s] / sum;
      RC_ASSERT(std::abs(got[s] - ideal) < 4);
      if (i % sum == 0)
        RC_ASSERT(got[s] == i / sum * weights[s]);
    }
  }
}

// Sources come and go at random: whoever has records all the time is picked
// within a bound, and nobody is picked who has none.
RC_GTEST_PROP(strategy_property, nobody_starves_whoever_comes_and_goes, ()) {
  const auto text = *rc::gen::element<std::string>(
    "fair(w, x, y, z)", "weighted(w:1, x:7, y:3, z:2)", "fair(*)",
    "fair(w, weighted(x:1, y:9), z)", "weighted(fair(w, x):1, fair(y, z):5)",
    "prefer limit(1/s, z) else weighted(w:1, x:1, y:1)");
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  feeding all{text};
  auto state = seed;
  const auto choose = [&state](std::uint32_t n) {
    state = state * 1664525 + 1013904223;
    return (state >> 16) % n;
  };
  int waited = 0;
  for (int i = 0; i < 3000; ++i) {
    for (std::size_t s = 1; s < 4; ++s)
      all.ready[s] = choose(3);
    all.ready[0] = 5; // w has some all the time
    const auto before = all.ready;
    const auto who = all.pick();
    RC_ASSERT(who != '-');
    RC_ASSERT(before[std::string{"wxyz"}.find(who)] > 0);
    waited = who == 'w' ? 0 : waited + 1;
    RC_ASSERT(waited < 80);
  }
}

RC_GTEST_PROP(strategy_property, a_limit_holds_over_any_stretch, ()) {
  const auto rate = *rc::gen::inRange(1, 500);
  const auto steps =
    *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 40'000));
  feeding all{"limit(" + std::to_string(rate) + "/s, fair(x, y))"};
  std::vector<micros> given;
  for (const auto step : steps) {
    all.now_us += step;
    if (all.pick() != '-')
      given.push_back(all.now_us);
    all.ready = {9, 9, 9, 9};
  }
  const auto depth = std::max(1.0, rate / 10.0);
  for (std::size_t i = 0; i < given.size(); ++i)
    for (auto j = i; j < given.size(); ++j)
      RC_ASSERT(static_cast<double>(j - i + 1)
                <= depth
                     + 1e-6 * static_cast<double>(rate)
                         * static_cast<double>(given[j] - given[i])
                     + 1e-6);
}

// -- explaining ---------------------------------------------------------------

TEST(strategy_test, explains_the_next_pick_and_changes_nothing) {
  feeding all{"prefer z else fair(x, y)"};
  all.ready = {9, 2, 9, 0};
  const auto out = all.strategy_.explain(all.ready, all.now_us, 5);
  EXPECT_EQ(out.next, 1u);
  EXPECT_EQ(out.picks, (std::vector<std::size_t>{1, 2, 1, 2, 2}));
  EXPECT_EQ(out.why, "z can give nothing, so fair(x, y) is next in prefer z "
                     "else fair(x, y); it is the turn of x in fair(x, y); x "
                     "has 2 buffered.");
  EXPECT_EQ(all.picks(5), "xyxyy");
}

TEST(strategy_test, explains_that_nobody_has_any) {
  feeding all{"fair(x, y)"};
  all.ready = {9, 0, 0, 9};
  const auto out = all.strategy_.explain(all.ready, all.now_us, 5);
  EXPECT_EQ(out.next, std::nullopt);
  EXPECT_TRUE(out.picks.empty());
  EXPECT_NE(out.why.find("No source"), std::string::npos);
}

TEST(strategy_test, a_dry_run_lets_time_go_on_for_limits) {
  feeding all{"limit(2/s, x)"};
  EXPECT_EQ(all.picks(2), "x-");
  const auto out = all.strategy_.explain(all.ready, all.now_us, 3);
  EXPECT_EQ(out.next, 1u);
  EXPECT_EQ(out.picks.size(), 3u);
  EXPECT_EQ(out.why.find("In 500 ms"), 0u) << out.why;
  EXPECT_EQ(all.strategy_.explain(all.ready, all.now_us, 0).picks.size(), 0u);
}

} // namespace depositd::rules
