// Files of SQLite, natively and by ODBC: what holds for both.

#include "tests/adapters/sources/sql/sql_readers.hpp"
#include "tests/adapters/sources/sql/sqlite_file.hpp"

#include <chrono>
#include <filesystem>
#include <future>
#include <string>

namespace depositd::sources {

namespace {

class file_reader_test : public ::testing::TestWithParam<bool> {
protected:
  std::string url() const {
    return GetParam() ? file.odbc_url() : file.url();
  }

  source_settings source(const std::string& query) const {
    return sql_source(url(), query);
  }

  sqlite_file file;
};

} // namespace

INSTANTIATE_TEST_SUITE_P(, file_reader_test, ::testing::Bool(),
                         [](const auto& x) {
                           return std::string{x.param ? "odbc" : "sqlite"};
                         });

// -- rows ---------------------------------------------------------------------

TEST_P(file_reader_test, brings_rows_as_objects) {
  file.run("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, price REAL, "
           "data BLOB, lacking TEXT);"
           "INSERT INTO t VALUES(1, 'a \"b\" \xc3\xa9 \xf0\x9f\x98\x80', 1.5, "
           "x'00ff', NULL);"
           "INSERT INTO t VALUES(9007199254740993, '', 2.0, x'', 'x')");
  const auto out = next(*open_reader(source("SELECT * FROM t ORDER BY id")), 9);
  EXPECT_TRUE(out.bad.empty());
  EXPECT_FALSE(out.has_cursor);
  EXPECT_FALSE(out.has_total);
  EXPECT_FALSE(out.ended);
  EXPECT_EQ(keys_of(out), (texts{"1", "9007199254740993"}));
  EXPECT_EQ(bodies_of(out),
            (texts{"{\"id\":1,\"name\":\"a \\\"b\\\" \xc3\xa9 "
                   "\xf0\x9f\x98\x80\",\"price\":1.5,\"data\":\"AP8=\","
                   "\"lacking\":null}",
                   R"({"id":9007199254740993,"name":"","price":2.0,)"
                   R"("data":"","lacking":"x"})"}));
  EXPECT_EQ(out.records[0].user, "src");
}

// A driver describes what its connection knew of the table before.
TEST_P(file_reader_test, sees_at_once_that_a_table_was_made_anew) {
  file.run("CREATE TABLE t(id INTEGER, name TEXT); "
           "INSERT INTO t VALUES(1, 'a')");
  const auto reader = open_reader(source("SELECT * FROM t"));
  EXPECT_EQ(bodies_of(next(*reader, 9)), (texts{R"({"id":1,"name":"a"})"}));
  file.run("DROP TABLE t; CREATE TABLE t(id TEXT, price REAL, place TEXT); "
           "INSERT INTO t VALUES('x', 2.5, 'here')");
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(bodies_of(next(*reader, 9)),
              (texts{R"({"id":"x","price":2.5,"place":"here"})"}));
  // Only the kind of a column is another one.
  file.run("DROP TABLE t; CREATE TABLE t(id INTEGER, price TEXT, place TEXT); "
           "INSERT INTO t VALUES(7, '2.50', 'there')");
  EXPECT_EQ(bodies_of(next(*reader, 9)),
            (texts{R"({"id":7,"price":"2.50","place":"there"})"}));
}

TEST_P(file_reader_test, takes_users_from_their_column) {
  file.run("CREATE TABLE t(id TEXT, owner TEXT, number INTEGER);"
           "INSERT INTO t VALUES('a', 'ann', 1), ('b', NULL, 2), "
           "('c', 'cy', 3)");
  auto settings = source("SELECT * FROM t ORDER BY id");
  settings.user_field = "owner";
  const auto out = next(*open_reader(settings), 9);
  EXPECT_EQ(keys_of(out), (texts{"a", "c"}));
  EXPECT_EQ(out.records[1].user, "cy");
  ASSERT_EQ(out.bad.size(), 1u);
  EXPECT_EQ(out.bad[0].key, "b");
  EXPECT_EQ(out.bad[0].at, 1u);
  EXPECT_NE(out.bad[0].reason.find("owner"), std::string::npos);
  settings.user_field = "number";
  EXPECT_EQ(next(*open_reader(settings), 9).records[1].user, "2");
}

TEST_P(file_reader_test, passes_over_records_without_a_key) {
  file.run("CREATE TABLE t(id TEXT);"
           "INSERT INTO t VALUES('a'), (NULL), (''), ('d')");
  const auto out =
    next(*open_reader(source("SELECT id, rowid FROM t ORDER BY rowid")), 9);
  EXPECT_EQ(keys_of(out), (texts{"a", "d"}));
  ASSERT_EQ(out.bad.size(), 2u);
  EXPECT_NE(out.bad[0].reason.find("key"), std::string::npos);
  EXPECT_NE(out.bad[0].body.find("\"rowid\":2"), std::string::npos);
}

TEST_P(file_reader_test, passes_over_what_is_not_utf8) {
  file.run("CREATE TABLE t(id INTEGER, x TEXT);"
           "INSERT INTO t VALUES(1, 'a'), (2, CAST(x'61ff62' AS TEXT)), "
           "(3, 'c')");
  const auto out = next(*open_reader(source("SELECT * FROM t ORDER BY id")), 9);
  EXPECT_EQ(keys_of(out), (texts{"1", "3"}));
  ASSERT_EQ(out.bad.size(), 1u);
  EXPECT_NE(out.bad[0].reason.find("UTF-8"), std::string::npos);
  EXPECT_NE(out.bad[0].body.find("a\xef\xbf\xbd"
                                 "b"),
            std::string::npos);
}

TEST_P(file_reader_test, passes_over_what_is_too_large) {
  file.run("CREATE TABLE t(id INTEGER, x TEXT);"
           "INSERT INTO t VALUES(1, 'a'), "
           "(2, replace(hex(zeroblob(600000)), '0', 'x')), (3, 'c')");
  const auto out = next(*open_reader(source("SELECT * FROM t ORDER BY id")), 9);
  EXPECT_EQ(keys_of(out), (texts{"1", "3"}));
  ASSERT_EQ(out.bad.size(), 1u);
  EXPECT_NE(out.bad[0].reason.find("1000000"), std::string::npos);
}

TEST_P(file_reader_test, brings_long_values_as_a_whole) {
  file.run("CREATE TABLE t(id INTEGER, x TEXT, b BLOB);"
           "INSERT INTO t VALUES(1, replace(hex(zeroblob(100000)), '0', 'x'), "
           "zeroblob(150000))");
  const auto out = next(*open_reader(source("SELECT * FROM t")), 9);
  ASSERT_EQ(out.records.size(), 1u);
  EXPECT_EQ(out.records[0].body, "{\"id\":1,\"x\":\""
                                   + std::string(200'000, 'x') + "\",\"b\":\""
                                   + std::string(200'000, 'A') + "\"}");
}

TEST_P(file_reader_test, bears_types_that_change) {
  file.run("CREATE TABLE t(id INTEGER, n);"
           "INSERT INTO t VALUES(1, 1), (2, 'two'), (3, 3.5), (4, NULL)");
  const auto reader = open_reader(
    with_cursor(source("SELECT * FROM t WHERE id > :cursor ORDER BY id "
                       "LIMIT :limit"),
                "id", "0"));
  auto out = next(*reader, 2);
  EXPECT_EQ(bodies_of(out),
            (texts{R"({"id":1,"n":1})", R"({"id":2,"n":"two"})"}));
  file.run("DROP TABLE t; CREATE TABLE t(n TEXT, id INTEGER);"
           "INSERT INTO t VALUES('x', 3), (NULL, 4)");
  out = next(*reader, 2, out.cursor);
  EXPECT_EQ(bodies_of(out),
            (texts{R"({"n":"x","id":3})", R"({"n":null,"id":4})"}));
}

TEST_P(file_reader_test, brings_duplicate_keys_as_they_are) {
  file.run("CREATE TABLE t(id INTEGER, x TEXT);"
           "INSERT INTO t VALUES(1, 'a'), (1, 'b'), (1, 'a')");
  const auto out =
    next(*open_reader(source("SELECT * FROM t ORDER BY rowid")), 9);
  EXPECT_EQ(bodies_of(out), (texts{R"({"id":1,"x":"a"})", R"({"id":1,"x":"b"})",
                                   R"({"id":1,"x":"a"})"}));
}

TEST_P(file_reader_test, binds_what_stands_anywhere_but_in_quotes) {
  file.run("CREATE TABLE t(id INTEGER);"
           "INSERT INTO t VALUES(1), (2), (3), (4)");
  const auto reader = open_reader(with_cursor(
    source("SELECT id, ':limit' AS a, :limit AS \":cursor\", :cursor AS c "
           "/* :limit */ FROM t WHERE id > :cursor AND :limit > 0 "
           "ORDER BY id LIMIT :limit -- :cursor"),
    "id", "1"));
  EXPECT_EQ(bodies_of(next(*reader, 2)),
            (texts{R"({"id":2,"a":":limit",":cursor":2,"c":1})",
                   R"({"id":3,"a":":limit",":cursor":2,"c":1})"}));
}

// -- what cannot be -----------------------------------------------------------

TEST_P(file_reader_test, needs_its_columns) {
  file.run("CREATE TABLE t(id INTEGER, x TEXT)"); // even without rows
  const auto refused = [&](source_settings x, const std::string& column) {
    const auto error = fault(*open_reader(x));
    EXPECT_EQ(error, ec::invalid_argument);
    EXPECT_EQ(render(error), "the query has no column " + column);
  };
  refused(source("SELECT x FROM t"), "id");
  refused(source("SELECT id AS ID FROM t"), "id");
  auto users = source("SELECT id FROM t");
  users.user_field = "owner";
  refused(users, "owner");
  refused(with_cursor(source("SELECT id FROM t WHERE x > :cursor"), "x", ""),
          "x");
}

TEST_P(file_reader_test, refuses_what_is_not_one_query) {
  file.run("CREATE TABLE t(id INTEGER); INSERT INTO t VALUES(1)");
  for (const auto* query :
       {"SELECT id FROM t; SELECT id FROM t", "SELECT id FROM t; DROP TABLE t",
        "INSERT INTO t VALUES(2)", "DROP TABLE t", "SELEKT id FROM t",
        "SELECT nothing AS id FROM t", "SELECT id FROM t WHERE id > ?"})
    EXPECT_TRUE(fault(*open_reader(source(query)))) << query;
  EXPECT_EQ(keys_of(next(*open_reader(source("SELECT id FROM t;")), 9)),
            (texts{"1"}));
}

TEST_P(file_reader_test, does_not_write) {
  file.run("CREATE TABLE t(id INTEGER); INSERT INTO t VALUES(1)");
  EXPECT_TRUE(fault(*open_reader(source("DELETE FROM t"))));
  EXPECT_EQ(next(*open_reader(source("SELECT id FROM t")), 9).records.size(),
            1u);
}

TEST_P(file_reader_test, reads_again_when_a_table_that_vanished_is_back) {
  const auto reader = open_reader(source("SELECT id FROM t ORDER BY id"));
  for (int i = 0; i < 2; ++i) {
    const auto error = fault(*reader);
    EXPECT_NE(render(error).find("no such table"), std::string::npos)
      << render(error);
    file.run("CREATE TABLE t(id INTEGER); INSERT INTO t VALUES(1), (2)");
    EXPECT_EQ(keys_of(next(*reader, 9)), (texts{"1", "2"}));
    file.run("DROP TABLE t");
  }
}

TEST_P(file_reader_test, does_not_make_a_file_that_is_not_there) {
  const temporary_folder empty;
  const auto path = (empty.path() / "none.db").string();
  const auto reader = open_reader(
    sql_source(GetParam() ? "odbc:Driver=SQLite3;NoCreat=1;Database=" + path
                          : "sqlite:" + path,
               "SELECT 1 AS id"));
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(fault(*reader));
  EXPECT_FALSE(std::filesystem::exists(path));
}

// -- time ---------------------------------------------------------------------

TEST_P(file_reader_test, gives_a_query_up_after_its_time) {
  file.run("CREATE VIEW t AS " + endless("id"));
  const auto reader = open_reader(source("SELECT id FROM t"));
  const auto begun = std::chrono::steady_clock::now();
  const auto out = reader->next_batch({9, {}, std::chrono::milliseconds{100}});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_NE(render(out.error()).find("100 ms"), std::string::npos)
    << render(out.error());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::minutes{1});
  file.run("DROP VIEW t; CREATE TABLE t(id INTEGER); INSERT INTO t VALUES(7)");
  EXPECT_EQ(keys_of(next(*reader, 9)), (texts{"7"}));
}

TEST_P(file_reader_test, gives_a_query_up_when_it_is_cancelled) {
  file.run("CREATE VIEW t AS " + endless("id"));
  const auto reader = open_reader(source("SELECT id FROM t"));
  for (int i = 0; i < 2; ++i) {
    auto waiting =
      std::async(std::launch::async, [&] { return read_batch(*reader, 9); });
    file.await_reading();
    reader->cancel();
    const auto out = waiting.get();
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error(), ec::store_failed);
    EXPECT_NE(render(out.error()).find("cancelled"), std::string::npos)
      << render(out.error());
  }
  reader->cancel(); // none is under way: the next one is not touched
  file.run("DROP VIEW t; CREATE TABLE t(id INTEGER); INSERT INTO t VALUES(7)");
  EXPECT_EQ(keys_of(next(*reader, 9)), (texts{"7"}));
}

// -- how many there are -------------------------------------------------------

TEST_P(file_reader_test, counts_all) {
  file.run("CREATE TABLE t(id INTEGER); INSERT INTO t VALUES(1), (2), (3)");
  auto settings = source("SELECT id FROM t ORDER BY id LIMIT :limit");
  settings.from.total_query = "SELECT count(*) FROM t";
  const auto out = next(*open_reader(settings), 1);
  EXPECT_EQ(out.records.size(), 1u);
  EXPECT_TRUE(out.has_total);
  EXPECT_EQ(out.total, 3u);
}

TEST_P(file_reader_test, fails_if_nobody_can_count) {
  file.run("CREATE TABLE t(id INTEGER); INSERT INTO t VALUES(1), (2)");
  auto settings = source("SELECT id FROM t ORDER BY id LIMIT :limit");
  for (const auto* query :
       {"SELECT id FROM t", "SELECT 1, 2", "SELECT 'many'", "SELECT -1",
        "SELECT NULL", "SELECT id FROM gone"}) {
    settings.from.total_query = query;
    const auto error = fault(*open_reader(settings));
    EXPECT_EQ(render(error).rfind("total_query: ", 0), 0u)
      << query << ": " << render(error);
  }
}

} // namespace depositd::sources
