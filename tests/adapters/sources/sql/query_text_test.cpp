#include "adapters/sources/sql/query_text.hpp"

#include "messages/values/sql_pieces.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace depositd::sources::sql {

namespace {

using places = std::vector<placeholder>;

query_text rewritten(dialect to, std::string_view query) {
  auto out = query_for(to, query);
  EXPECT_TRUE(out) << query << ": " << render(out.error());
  return out ? std::move(*out) : query_text{};
}

} // namespace

TEST(a_query_text, has_parameters_as_its_dialect_writes_them) {
  const auto* query = "SELECT a FROM t WHERE b > :cursor AND c < :cursor "
                      "LIMIT :limit";
  const auto cursor = placeholder::cursor;
  const auto limit = placeholder::limit;
  EXPECT_EQ(rewritten(dialect::postgres, query),
            (query_text{"SELECT a FROM t WHERE b > $1 AND c < $1 LIMIT $2",
                        {cursor, limit}}));
  EXPECT_EQ(rewritten(dialect::sqlite, query),
            (query_text{"SELECT a FROM t WHERE b > ?1 AND c < ?1 LIMIT ?2",
                        {cursor, limit}}));
  EXPECT_EQ(rewritten(dialect::odbc, query),
            (query_text{"SELECT a FROM t WHERE b > ? AND c < ? LIMIT ?",
                        {cursor, cursor, limit}}));
}

TEST(a_query_text, needs_no_parameter) {
  const auto out = rewritten(dialect::postgres, "SELECT 1");
  EXPECT_EQ(out, (query_text{"SELECT 1", {}}));
  EXPECT_FALSE(out.has(placeholder::limit));
  EXPECT_FALSE(out.has(placeholder::cursor));
}

TEST(a_query_text, may_consist_of_a_parameter) {
  const auto out = rewritten(dialect::postgres, ":limit");
  EXPECT_EQ(out, (query_text{"$1", {placeholder::limit}}));
  EXPECT_TRUE(out.has(placeholder::limit));
  EXPECT_FALSE(out.has(placeholder::cursor));
}

TEST(a_query_text, finds_parameters_wherever_they_stand) {
  struct line {
    const char* query;
    const char* out;
  };
  for (const auto& x : {
         line{"SELECT (:limit)", "SELECT ( $1)"},
         line{"SELECT a+:limit", "SELECT a+ $1"},
         line{"LIMIT:limit", "LIMIT $1"},
         line{"LIMIT :limit;", "LIMIT $1;"},
         line{"f(:cursor,:limit)", "f( $1, $2)"},
         line{":cursor::bigint", "$1::bigint"},
         line{"a::text > :cursor", "a::text > $1"},
         line{"a :: text > :cursor", "a :: text > $1"},
         line{"'x':limit", "'x' $1"},
         line{"'it''s' || :cursor", "'it''s' || $1"},
         line{"-- why?\n:limit", "-- why?\n $1"},
         line{"-- it's\n:limit", "-- it's\n $1"},
         line{"/* it's */:limit", "/* it's */ $1"},
         line{"a - -:limit", "a - - $1"},
         line{"E'it\\'s' || :limit", "E'it\\'s' || $1"},
         line{"e'\\\\' || :limit", "e'\\\\' || $1"},
         line{"E'a''b\\'c' || :limit", "E'a''b\\'c' || $1"},
         line{"se'\\' || :limit", "se'\\' || $1"},
         line{"$$it's$$ || :limit", "$$it's$$ || $1"},
         line{"$a$ $$ $a$ || :limit", "$a$ $$ $a$ || $1"},
         line{"\xc3\xa4 = :limit", "\xc3\xa4 = $1"},
       }) {
    EXPECT_EQ(rewritten(dialect::postgres, x.query).text, x.out) << x.query;
  }
}

TEST(a_query_text, leaves_everything_else_alone) {
  for (const auto* query : {
         "SELECT ':limit'",
         "SELECT ':cursor' || ':limit'",
         "SELECT 'it''s :limit'",
         "SELECT \":limit\"",
         "SELECT \"a\"\":limit\"",
         "SELECT `:limit`",
         "SELECT a::limit",
         "SELECT a::cursor",
         "SELECT :limits, :limit_, :limit1, :cursors",
         "SELECT :Limit, :CURSOR",
         "SELECT :lim",
         "SELECT 1 -- :limit",
         "SELECT 1 -- :limit\n, 2",
         "SELECT 1 /* :limit */",
         "SELECT 1 /* /* */ :limit */",
         "SELECT 1 /* :limit",
         "SELECT $$ :limit $$",
         "SELECT $a$ :limit $b$ :limit $a$",
         "SELECT $$ :limit",
         "SELECT ':limit",
         "SELECT E'it\\'s :limit'",
         "SELECT E'\\\\\\' :limit'",
         "SELECT a[1:2]",
       }) {
    const auto out = rewritten(dialect::postgres, query);
    EXPECT_EQ(out.text, query);
    EXPECT_EQ(out.bound, places{}) << query;
    // Whoever checks settings sees the same.
    EXPECT_FALSE(names_place(query, sql_piece::what::limit)) << query;
    EXPECT_FALSE(names_place(query, sql_piece::what::cursor)) << query;
  }
}

TEST(a_query_text, is_a_query) {
  for (const std::string_view query :
       {std::string_view{""}, std::string_view{" \n\t"},
        std::string_view{" ; "}, std::string_view{"SELECT 1\0, 2", 12}}) {
    const auto out = query_for(dialect::sqlite, query);
    ASSERT_FALSE(out) << query;
    EXPECT_EQ(out.error(), ec::invalid_argument);
  }
}

} // namespace depositd::sources::sql
