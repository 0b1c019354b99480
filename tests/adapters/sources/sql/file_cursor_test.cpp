// Going on behind a cursor, in files of SQLite, natively and by ODBC.

#include "tests/adapters/sources/sql/sql_readers.hpp"
#include "tests/adapters/sources/sql/sqlite_file.hpp"

#include <cstdint>
#include <set>
#include <string>

namespace depositd::sources {

namespace {

class file_cursor_test : public ::testing::TestWithParam<bool> {
protected:
  /// By the column `column` of the table t.
  source_settings source(const std::string& column, const std::string& start,
                         const std::string& compared = ">",
                         const std::string& end = " LIMIT :limit") const {
    return with_cursor(sql_source(GetParam() ? file.odbc_url() : file.url(),
                                  "SELECT * FROM t WHERE " + column + " "
                                    + compared + " :cursor ORDER BY " + column
                                    + end),
                       column, start);
  }

  /// Keys of all batches until one brings nothing that is new. A reader of its
  /// own for each batch: as after restarts.
  static std::set<std::string> all(const source_settings& x,
                                   std::uint64_t limit, bool restarts) {
    std::set<std::string> seen;
    std::string cursor;
    auto reader = open_reader(x);
    for (int i = 0; i < 200; ++i) {
      if (restarts)
        reader = open_reader(x);
      const auto batch = next(*reader, limit, cursor);
      const auto before = seen.size();
      for (const auto& key : keys_of(batch))
        seen.insert(key);
      if (seen.size() == before
          && (!batch.has_cursor || batch.cursor == cursor))
        return seen;
      if (batch.has_cursor)
        cursor = batch.cursor;
    }
    ADD_FAILURE() << "never ends";
    return seen;
  }

  sqlite_file file;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(, file_cursor_test, ::testing::Bool(),
                         [](const auto& x) {
                           return std::string{x.param ? "odbc" : "sqlite"};
                         });

TEST_P(file_cursor_test, goes_on_behind_the_last_row) {
  file.run("CREATE TABLE t(id INTEGER);"
           "INSERT INTO t VALUES(1), (2), (9), (10), (11)");
  const auto reader = open_reader(source("id", "0"));
  const auto first = next(*reader, 2);
  EXPECT_EQ(keys_of(first), (texts{"1", "2"}));
  EXPECT_TRUE(first.has_cursor);
  EXPECT_EQ(first.cursor, "2");
  EXPECT_EQ(first.records[0].cursor, "1");
  EXPECT_EQ(first.records[1].cursor, "2");
  const auto second = next(*reader, 2, first.cursor);
  EXPECT_EQ(keys_of(second), (texts{"9", "10"}));
  const auto third = next(*reader, 2, second.cursor);
  EXPECT_EQ(keys_of(third), (texts{"11"}));
  const auto none = next(*reader, 2, third.cursor);
  EXPECT_TRUE(none.records.empty());
  EXPECT_EQ(none.cursor, "11");
  EXPECT_EQ(keys_of(next(*reader, 2, "1")), (texts{"2", "9"})) << "back";
}

TEST_P(file_cursor_test, has_none_before_there_is_a_row) {
  file.run("CREATE TABLE t(id INTEGER)");
  const auto reader = open_reader(source("id", "0"));
  EXPECT_FALSE(next(*reader, 2).has_cursor);
  file.run("INSERT INTO t VALUES(1)");
  EXPECT_EQ(next(*reader, 2).cursor, "1");
}

TEST_P(file_cursor_test, goes_on_past_bad_records) {
  file.run("CREATE TABLE t(id TEXT, n INTEGER);"
           "INSERT INTO t VALUES(NULL, 1), ('b', 2), (NULL, 3), ('d', 4)");
  const auto reader = open_reader(source("n", "0"));
  const auto first = next(*reader, 3);
  EXPECT_EQ(keys_of(first), (texts{"b"}));
  EXPECT_EQ(first.bad.size(), 2u);
  EXPECT_EQ(first.cursor, "3");
  EXPECT_EQ(keys_of(next(*reader, 3, first.cursor)), (texts{"d"}));
}

TEST_P(file_cursor_test, passes_over_rows_without_one) {
  file.run("CREATE TABLE t(id TEXT, n INTEGER);"
           "INSERT INTO t VALUES('a', 1), ('b', NULL), ('c', 3)");
  const auto settings =
    with_cursor(sql_source(GetParam() ? file.odbc_url() : file.url(),
                           "SELECT id, n FROM t WHERE n IS NULL OR n > :cursor "
                           "ORDER BY id"),
                "n", "0");
  const auto out = next(*open_reader(settings), 9);
  EXPECT_EQ(keys_of(out), (texts{"a", "c"}));
  ASSERT_EQ(out.bad.size(), 1u);
  EXPECT_EQ(out.bad[0].key, "b");
  EXPECT_NE(out.bad[0].reason.find("its column n is null"), std::string::npos);
  EXPECT_EQ(out.cursor, "3");
}

TEST_P(file_cursor_test, takes_no_more_than_the_limit_of_a_query_without_one) {
  file.run("CREATE TABLE t(id INTEGER);"
           "INSERT INTO t VALUES(1), (2), (3), (4), (5)");
  const auto settings = source("id", "0", ">", "");
  const auto reader = open_reader(settings);
  const auto first = next(*reader, 2);
  EXPECT_EQ(keys_of(first), (texts{"1", "2"}));
  EXPECT_EQ(keys_of(next(*reader, 2, first.cursor)), (texts{"3", "4"}));
  EXPECT_EQ(all(settings, 2, false).size(), 5u);
}

TEST_P(file_cursor_test, takes_all_of_a_query_that_has_neither) {
  file.run("CREATE TABLE t(id INTEGER);"
           "INSERT INTO t VALUES(1), (2), (3), (4), (5)");
  const auto settings = sql_source(GetParam() ? file.odbc_url() : file.url(),
                                   "SELECT id FROM t ORDER BY id");
  const auto out = next(*open_reader(settings), 2);
  EXPECT_EQ(out.records.size(), 5u) << "else the last ones never come";
  EXPECT_EQ(out.records[0].cursor, "");
}

TEST_P(file_cursor_test, works_by_columns_of_every_type) {
  const char* const tables[] = {
    "n INTEGER); INSERT INTO t VALUES('a', 9), ('b', 10), ('c', 100)",
    "n REAL); INSERT INTO t VALUES('a', 0.1), ('b', 0.30000000000000004), "
    "('c', 1e300)",
    "n TEXT); INSERT INTO t VALUES('a', '10'), ('b', '5'), ('c', '9')",
    "n TEXT); INSERT INTO t VALUES('a', '007'), ('b', '1.10'), ('c', '1.2')",
    "n TEXT); INSERT INTO t VALUES('a', '2024-01-01 00:00:00'), "
    "('b', '2024-01-02 00:00:00'), ('c', '2024-01-02 00:00:01')",
    "n TIMESTAMP); INSERT INTO t VALUES('a', '2024-01-01 00:00:00'), "
    "('b', '2024-01-02 00:00:00'), ('c', '2024-01-02 00:00:01')"};
  for (const auto* table : tables) {
    file.run("DROP TABLE IF EXISTS t; CREATE TABLE t(id TEXT, "
             + std::string{table});
    for (const bool restarts : {false, true})
      EXPECT_EQ(all(source("n", "0"), 1, restarts),
                (std::set<std::string>{"a", "b", "c"}))
        << table << (restarts ? " with restarts" : "");
  }
}

TEST_P(file_cursor_test, skips_nothing_that_repeats_if_asked_from_it) {
  file.run("CREATE TABLE t(id INTEGER, n INTEGER);"
           "INSERT INTO t VALUES(1, 0), (2, 1), (3, 1), (4, 1), (5, 1), "
           "(6, 1), (7, 2), (8, 2), (9, 3)");
  for (const auto* end : {" LIMIT :limit", ""})
    for (std::uint64_t limit = 1; limit < 11; ++limit)
      for (const bool restarts : {false, true})
        EXPECT_EQ(all(source("n", "0", ">=", end), limit, restarts).size(), 9u)
          << end << " " << limit << (restarts ? " with restarts" : "");
}

TEST_P(file_cursor_test, skips_nothing_that_is_seen_to_repeat) {
  file.run("CREATE TABLE t(id INTEGER, n INTEGER);"
           "INSERT INTO t VALUES(1, 1), (2, 1), (3, 2), (4, 2), (5, 2), "
           "(6, 2), (7, 2), (8, 3), (9, 4)");
  for (std::uint64_t limit = 2; limit < 11; ++limit)
    EXPECT_EQ(all(source("n", "0"), limit, false).size(), 9u) << limit;
}

TEST_P(file_cursor_test, tells_records_amid_a_value_where_it_begins) {
  file.run("CREATE TABLE t(id INTEGER, n INTEGER);"
           "INSERT INTO t VALUES(1, 1), (2, 2), (3, 2), (4, 3)");
  const auto out = next(*open_reader(source("n", "0")), 9);
  ASSERT_EQ(out.records.size(), 4u);
  EXPECT_EQ(out.records[0].cursor, "1");
  EXPECT_EQ(out.records[1].cursor, "1");
  EXPECT_EQ(out.records[2].cursor, "2");
  EXPECT_EQ(out.records[3].cursor, "3");
  EXPECT_EQ(out.cursor, "3");
}

TEST_P(file_cursor_test, refuses_an_order_that_does_not_ascend) {
  file.run("CREATE TABLE t(id INTEGER); INSERT INTO t VALUES(9), (10), (11)");
  const auto url = GetParam() ? file.odbc_url() : file.url();
  const auto refused = [&](const std::string& query, const std::string& from) {
    const auto error =
      fault(*open_reader(with_cursor(sql_source(url, query), "id", "0")), from);
    EXPECT_EQ(error, ec::invalid_argument);
    EXPECT_NE(render(error).find("does not ascend"), std::string::npos)
      << render(error);
  };
  refused("SELECT id FROM t WHERE id > :cursor ORDER BY id DESC", "");
  refused("SELECT id FROM t WHERE id > :cursor ORDER BY CAST(id AS TEXT)", "");
  refused("SELECT id FROM t WHERE :cursor > 0 ORDER BY id", "100");
}

} // namespace depositd::sources
