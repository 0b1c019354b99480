// What only the native reader of SQLite's files can do.

#include "tests/adapters/sources/sql/sql_readers.hpp"
#include "tests/adapters/sources/sql/sqlite_file.hpp"

#include <filesystem>
#include <fstream>
#include <future>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace depositd::sources {

namespace {

source_settings by_expression(const sqlite_file& file,
                              const std::string& column,
                              const std::string& start) {
  return with_cursor(sql_source(file.url(), "SELECT id, " + column
                                              + " AS c FROM t WHERE " + column
                                              + " > :cursor ORDER BY c "
                                                "LIMIT :limit"),
                     "c", start);
}

} // namespace

TEST(sqlite_reader_test, says_what_is_not_there) {
  const sqlite_file file;
  const auto table = open_reader(sql_source(file.url(), "SELECT id FROM t"));
  EXPECT_EQ(fault(*table), ec::not_found);
  const auto none =
    open_reader(sql_source(file.url() + ".none", "SELECT 1 AS id"));
  EXPECT_EQ(fault(*none), ec::not_found);
}

TEST(sqlite_reader_test, says_which_query_cannot_work) {
  const sqlite_file file{"CREATE TABLE t(id INTEGER)"};
  for (const auto* query :
       {"SELEKT 1", "SELECT nothing AS id FROM t", "DELETE FROM t",
        "SELECT 1 AS id; SELECT 2 AS id", "SELECT :other AS id",
        "SELECT ? AS id", "-- nothing"}) {
    const auto error = fault(*open_reader(sql_source(file.url(), query)));
    EXPECT_EQ(error, ec::invalid_argument) << query << ": " << render(error);
  }
}

TEST(sqlite_reader_test, does_not_read_what_is_no_database) {
  const temporary_folder folder;
  const auto path = folder.path() / "text.db";
  std::ofstream{path} << std::string(5'000, 'x');
  const auto reader =
    open_reader(sql_source("sqlite:" + path.string(), "SELECT 1 AS id FROM t"));
  EXPECT_EQ(fault(*reader), ec::store_failed);
}

/// Who opens a pipe waits for whoever writes into it.
TEST(sqlite_reader_test, does_not_open_what_is_no_file) {
  const temporary_folder folder;
  const auto pipe = (folder.path() / "pipe.db").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int writer = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  for (const auto& path : {pipe, folder.path().string()}) {
    const auto why = fault(
      *open_reader(sql_source("sqlite:" + path, "SELECT 1 AS id FROM t")));
    EXPECT_EQ(why, ec::store_failed);
    EXPECT_NE(render(why).find("is no file"), std::string::npos) << render(why);
  }
  ::close(writer);
}

TEST(sqlite_reader_test, compares_expressions_with_what_they_are) {
  const sqlite_file numbers{"CREATE TABLE t(id TEXT, n);"
                            "INSERT INTO t VALUES('a', 9), ('b', 10), "
                            "('c', 11)"};
  const auto integers = open_reader(by_expression(numbers, "(n + 0)", "0"));
  auto out = next(*integers, 2);
  EXPECT_EQ(out.cursor, "10");
  EXPECT_EQ(keys_of(next(*integers, 2, out.cursor)), (texts{"c"}));

  const auto reals = open_reader(by_expression(numbers, "(n / 3.0)", "0"));
  out = next(*reals, 2);
  EXPECT_EQ(keys_of(next(*reals, 2, out.cursor)), (texts{"c"}));

  const auto names = open_reader(by_expression(numbers, "('1' || n)", ""));
  out = next(*names, 2);
  EXPECT_EQ(keys_of(out), (texts{"b", "c"})) << "as texts: 110, 111, 19";
  EXPECT_EQ(keys_of(next(*names, 2, out.cursor)), (texts{"a"}));
}

TEST(sqlite_reader_test, keeps_each_value_of_a_column_without_a_type) {
  const sqlite_file file{"CREATE TABLE t(id INTEGER, n);"
                         "INSERT INTO t VALUES(1, 1), (2, 'two'), (3, 3.5), "
                         "(4, x'04'), (5, NULL), (6, 1e300), (7, 9e999)"};
  EXPECT_EQ(
    bodies_of(next(
      *open_reader(sql_source(file.url(), "SELECT * FROM t ORDER BY id")), 9)),
    (texts{R"({"id":1,"n":1})", R"({"id":2,"n":"two"})", R"({"id":3,"n":3.5})",
           R"({"id":4,"n":"BA=="})", R"({"id":5,"n":null})",
           R"({"id":6,"n":1.0e+300})", R"({"id":7,"n":"Inf"})"}));
}

TEST(sqlite_reader_test, reads_the_file_that_is_there_now) {
  const sqlite_file first{"CREATE TABLE t(id INTEGER); "
                          "INSERT INTO t VALUES(1)"};
  const sqlite_file second{"CREATE TABLE t(id INTEGER); "
                           "INSERT INTO t VALUES(2)"};
  const auto reader = open_reader(sql_source(first.url(), "SELECT id FROM t"));
  EXPECT_EQ(keys_of(next(*reader, 9)), (texts{"1"}));
  std::filesystem::rename(second.path(), first.path());
  EXPECT_EQ(keys_of(next(*reader, 9)), (texts{"2"}));
  std::filesystem::remove(first.path());
  EXPECT_EQ(fault(*reader), ec::not_found);
}

TEST(sqlite_reader_test, waits_for_whoever_writes_until_its_time_is_over) {
  const sqlite_file file{"CREATE TABLE t(id INTEGER); "
                         "INSERT INTO t VALUES(1)"};
  const auto reader = open_reader(sql_source(file.url(), "SELECT id FROM t"));
  sqlite3* writer = nullptr;
  ASSERT_EQ(sqlite3_open(file.path().c_str(), &writer), SQLITE_OK);
  const auto run = [&](const char* sql) {
    EXPECT_EQ(sqlite3_exec(writer, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  };
  run("BEGIN EXCLUSIVE");
  const auto late = reader->next_batch({9, {}, std::chrono::milliseconds{50}});
  EXPECT_FALSE(late);
  EXPECT_EQ(late.error(), ec::store_failed);
  auto waiting =
    std::async(std::launch::async, [&] { return read_batch(*reader, 9); });
  run("INSERT INTO t VALUES(2); COMMIT");
  const auto out = waiting.get();
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(out->records.size(), 2u);
  sqlite3_close(writer);
}

TEST(sql_reader_test, refuses_settings_that_cannot_work) {
  const sqlite_file file;
  const auto why = [](const source_settings& x) {
    const auto out = try_reader(x);
    EXPECT_FALSE(out);
    EXPECT_EQ(out.error(), ec::invalid_argument);
    return out ? "" : render(out.error());
  };
  EXPECT_EQ(why(sql_source(file.url(), "")), "query: there is no query");
  EXPECT_NE(why(sql_source(file.url(), "SELECT :cursor")).find("cursor_start"),
            std::string::npos);
  auto x = sql_source(file.url(), "SELECT :cursor AS id");
  x.from.cursor = "id";
  EXPECT_NE(why(x).find("cursor_start"), std::string::npos);
  x = sql_source(file.url(), "SELECT 1 AS id");
  x.from.total_query = "SELECT :limit";
  EXPECT_EQ(why(x).rfind("total_query: ", 0), 0u);
  x.from.total_query.clear();
  x.key.clear();
  EXPECT_EQ(why(x).rfind("key: ", 0), 0u);
  for (const auto* url : {"sqlite:relative.db", "mysql://db", ""})
    EXPECT_EQ(why(sql_source(url, "SELECT 1")).rfind("url: ", 0), 0u);
}

TEST(sql_reader_test, has_nothing_to_forget) {
  const sqlite_file file{"CREATE TABLE t(id INTEGER); "
                         "INSERT INTO t VALUES(1)"};
  const auto reader = open_reader(sql_source(file.url(), "SELECT id FROM t"));
  EXPECT_FALSE(reader->applied({"1", "2"}));
  EXPECT_EQ(next(*reader, 9).records.size(), 1u);
}

TEST(odbc_reader_test, says_no_password) {
  const auto reader = open_reader(
    sql_source("odbc:Driver=NoSuchDriver;UID=me;PWD=s3cret", "SELECT 1 AS id"));
  const auto error = fault(*reader);
  EXPECT_EQ(error, ec::store_failed);
  EXPECT_NE(render(error).find("NoSuchDriver"), std::string::npos)
    << render(error);
  EXPECT_EQ(render(error).find("s3cret"), std::string::npos);
}

} // namespace depositd::sources
