// Against a server of its own.

#include "tests/adapters/sources/sql/sql_readers.hpp"
#include "tests/support/cutting_proxy.hpp"
#include "tests/support/postgres_schema.hpp"

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>

namespace depositd::sources {

namespace {

class postgres_reader_test : public ::testing::Test {
protected:
  void SetUp() override {
    if (!postgres_installed())
      GTEST_SKIP() << "POSTGRESQL IS NOT INSTALLED";
    schema = std::make_unique<postgres_schema>();
  }

  source_settings source(const std::string& query) const {
    return sql_source(schema->url(), query);
  }

  /// Sessions of readers, in that state if one is given.
  std::uint64_t sessions(const std::string& state = "%") const {
    return schema->number("SELECT count(*) FROM pg_stat_activity WHERE "
                          "application_name = 'depositd source src' AND "
                          "state LIKE '"
                          + state + "'");
  }

  void await_active(std::uint64_t count) const {
    while (sessions("active") != count)
      std::this_thread::yield();
  }

  std::unique_ptr<postgres_schema> schema;
};

} // namespace

// -- rows ---------------------------------------------------------------------

TEST_F(postgres_reader_test, brings_rows_as_objects) {
  schema->run(
    "CREATE TABLE t(id bigint, n numeric, f float8, yes boolean, j json, "
    "b jsonb, x bytea, d timestamp, a int[], s text, nothing int);"
    "INSERT INTO t VALUES(9007199254740993, 1.50, 0.1, true, '{\"k\": [1, 2]}',"
    " '{\"b\": null, \"a\": \"x\"}', '\\x00ff', '2024-01-02 03:04:05.678', "
    "'{1,2}', 'it''s \"quoted\" \xc3\xa9', NULL)");
  const auto out = next(*open_reader(source("SELECT * FROM t")), 9);
  EXPECT_EQ(
    bodies_of(out),
    (texts{R"({"id":9007199254740993,"n":1.50,"f":0.1,"yes":true,)"
           R"("j":{"k":[1,2]},"b":{"a":"x","b":null},"x":"AP8=",)"
           R"("d":"2024-01-02 03:04:05.678","a":"{1,2}",)"
           "\"s\":\"it's \\\"quoted\\\" \xc3\xa9\",\"nothing\":null}"}));
  EXPECT_EQ(keys_of(out), (texts{"9007199254740993"}));
  EXPECT_EQ(out.records[0].user, "src");
}

TEST_F(postgres_reader_test, brings_what_is_no_number_as_text) {
  const auto out =
    next(*open_reader(source("SELECT 1 AS id, 'NaN'::float8 AS a, "
                             "'-Infinity'::float4 AS b, 'NaN'::numeric AS c, "
                             "1e20::float8 AS d, false AS e")),
         9);
  EXPECT_EQ(bodies_of(out), (texts{R"({"id":1,"a":"NaN","b":"-Infinity",)"
                                   R"("c":"NaN","d":1e+20,"e":false})"}));
}

TEST_F(postgres_reader_test, binds_what_stands_anywhere_but_in_quotes) {
  schema->run("CREATE TABLE t(id int); INSERT INTO t VALUES(1), (2), (3), (4)");
  const auto reader = open_reader(with_cursor(
    source("SELECT id::bigint, ':limit' AS a, :limit AS n, $$:cursor$$ AS b, "
           "E'it\\'s :cursor' AS c /* /* */ :limit */ FROM t "
           "WHERE id > :cursor AND :limit > 0 ORDER BY id LIMIT:limit; -- x"),
    "id", "1"));
  EXPECT_EQ(bodies_of(next(*reader, 2)),
            (texts{R"({"id":2,"a":":limit","n":2,"b":":cursor",)"
                   R"("c":"it's :cursor"})",
                   R"({"id":3,"a":":limit","n":2,"b":":cursor",)"
                   R"("c":"it's :cursor"})"}));
}

TEST_F(postgres_reader_test, passes_over_bad_records) {
  schema->run("CREATE TABLE t(n int, id text, owner text);"
              "INSERT INTO t VALUES(1, 'a', 'x'), (2, NULL, 'x'), "
              "(3, 'c', NULL), (4, 'd', 'y'), (5, 'd', 'z')");
  auto settings = with_cursor(source("SELECT * FROM t WHERE n > :cursor "
                                     "ORDER BY n LIMIT :limit"),
                              "n", "0");
  settings.user_field = "owner";
  const auto out = next(*open_reader(settings), 9);
  EXPECT_EQ(keys_of(out), (texts{"a", "d", "d"})) << "whatever their payload";
  ASSERT_EQ(out.bad.size(), 2u);
  EXPECT_EQ(out.bad[1].key, "c");
  EXPECT_EQ(out.cursor, "5");
}

TEST_F(postgres_reader_test, passes_over_what_is_not_utf8) {
  schema->run("CREATE DATABASE records_ascii ENCODING 'SQL_ASCII' "
              "LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
  const auto server = shared_postgres().url();
  const auto reader = open_reader(
    sql_source(server.substr(0, server.rfind('/')) + "/records_ascii",
               "SELECT 1 AS id, E'a\\xff' AS x UNION ALL "
               "SELECT 2, 'b' ORDER BY id"));
  const auto out = next(*reader, 9);
  EXPECT_EQ(keys_of(out), (texts{"2"}));
  ASSERT_EQ(out.bad.size(), 1u);
  EXPECT_NE(out.bad[0].reason.find("UTF-8"), std::string::npos);
}

TEST_F(postgres_reader_test, bears_types_that_change) {
  schema->run("CREATE TABLE t(id int, x int); INSERT INTO t VALUES(1, 7)");
  const auto reader = open_reader(with_cursor(
    source("SELECT * FROM t WHERE id > :cursor ORDER BY id"), "id", "0"));
  auto out = next(*reader, 9);
  EXPECT_EQ(bodies_of(out), (texts{R"({"id":1,"x":7})"}));
  schema->run("DROP TABLE t; CREATE TABLE t(x json, id numeric);"
              "INSERT INTO t VALUES('[]', 2)");
  out = next(*reader, 9, out.cursor);
  EXPECT_EQ(bodies_of(out), (texts{R"({"x":[],"id":2})"}));
}

// -- cursors ------------------------------------------------------------------

TEST_F(postgres_reader_test, goes_on_by_columns_of_every_type) {
  struct line {
    const char* type;
    const char* start;
    const char* values;
  };
  for (const auto& x :
       {line{"int", "0", "('a', 9), ('b', 10), ('c', 100)"},
        line{"bigint", "0", "('a', 9), ('b', 10), ('c', 9007199254740993)"},
        line{"numeric", "0", "('a', 0.10), ('b', 9.5), ('c', 10)"},
        line{"float8", "0", "('a', 0.1), ('b', 0.1::float8 + 0.2), ('c', 1)"},
        line{"text", "", "('a', '10'), ('b', '5'), ('c', '9')"},
        line{"timestamptz", "2000-01-01",
             "('a', '2024-01-01 00:00:00.000001+02'), "
             "('b', '2024-01-01 00:00:00.000002+02'), ('c', '2024-06-01')"},
        line{"uuid", "00000000-0000-0000-0000-000000000000",
             "('a', '10000000-0000-0000-0000-000000000000'), "
             "('b', '20000000-0000-0000-0000-000000000000'), "
             "('c', 'f0000000-0000-0000-0000-000000000000')"}}) {
    schema->run("DROP TABLE IF EXISTS t; CREATE TABLE t(id text, n "
                + std::string{x.type} + "); INSERT INTO t VALUES" + x.values);
    const auto reader = open_reader(
      with_cursor(source("SELECT * FROM t WHERE n > :cursor ORDER BY n "
                         "LIMIT :limit"),
                  "n", x.start));
    texts keys;
    std::string cursor;
    for (int i = 0; i < 4; ++i) {
      const auto batch = next(*reader, 1, cursor);
      for (const auto& key : keys_of(batch))
        keys.push_back(key);
      cursor = batch.cursor;
    }
    EXPECT_EQ(keys, (texts{"a", "b", "c"})) << x.type;
  }
}

TEST_F(postgres_reader_test, reads_no_more_than_it_needs) {
  // Rows are made while they are sent: all of them would take too long.
  const auto reader = open_reader(with_cursor(
    source("SELECT id FROM (SELECT generate_series(1, 2000000000) AS id) all_ "
           "WHERE id > :cursor"),
    "id", "0"));
  const auto first = next(*reader, 3);
  EXPECT_EQ(keys_of(first), (texts{"1", "2", "3"}));
  EXPECT_EQ(keys_of(next(*reader, 3, first.cursor)), (texts{"4", "5", "6"}));
}

TEST_F(postgres_reader_test, counts_all) {
  auto settings = source("SELECT 1 AS id");
  settings.from.total_query = "SELECT count(*) FROM generate_series(1, 17)";
  EXPECT_EQ(next(*open_reader(settings), 9).total, 17u);
  settings.from.total_query = "SELECT 17.0::numeric";
  EXPECT_EQ(next(*open_reader(settings), 9).total, 17u);
  settings.from.total_query = "SELECT 1 FROM nothing";
  const auto error = fault(*open_reader(settings));
  EXPECT_EQ(error, ec::not_found);
  EXPECT_EQ(render(error).rfind("total_query: ", 0), 0u);
}

// -- sessions -----------------------------------------------------------------

TEST_F(postgres_reader_test, keeps_its_session) {
  const auto reader = open_reader(source("SELECT pg_backend_pid() AS id"));
  EXPECT_EQ(sessions(), 0u) << "none is opened before it is needed";
  const auto first = keys_of(next(*reader, 9));
  EXPECT_EQ(keys_of(next(*reader, 9)), first);
  EXPECT_EQ(sessions("idle"), 1u);
}

TEST_F(postgres_reader_test, opens_another_session_when_it_loses_one) {
  const auto reader = open_reader(source("SELECT pg_backend_pid() AS id"));
  const auto first = keys_of(next(*reader, 9));
  schema->run("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
              "WHERE application_name = 'depositd source src'");
  const auto second = keys_of(next(*reader, 9));
  EXPECT_EQ(second.size(), 1u);
  EXPECT_NE(second, first);
}

TEST_F(postgres_reader_test, does_not_write) {
  schema->run("CREATE TABLE t(id int)");
  const auto error = fault(
    *open_reader(source("WITH x AS (INSERT INTO t VALUES(1) RETURNING id) "
                        "SELECT id FROM x")));
  EXPECT_EQ(error, ec::invalid_argument) << render(error);
  EXPECT_EQ(schema->number("SELECT count(*) FROM t"), 0u);
}

TEST_F(postgres_reader_test, says_what_cannot_be) {
  schema->run("CREATE TABLE t(id int)");
  const auto code = [&](const std::string& query) {
    return fault(*open_reader(source(query)));
  };
  EXPECT_EQ(code("SELECT id FROM gone"), ec::not_found);
  EXPECT_EQ(code("SELECT id FROM gone.t"), ec::not_found);
  EXPECT_EQ(code("SELEKT id"), ec::invalid_argument);
  EXPECT_EQ(code("SELECT nothing AS id FROM t"), ec::invalid_argument);
  EXPECT_EQ(code("SELECT 1 AS id; SELECT 2 AS id"), ec::invalid_argument);
  EXPECT_EQ(code("SET search_path = x"), ec::invalid_argument);
  EXPECT_EQ(code("COPY (SELECT 1) TO STDOUT"), ec::invalid_argument);
  EXPECT_EQ(code("SELECT 1 AS other"), ec::invalid_argument);
  EXPECT_EQ(code("SELECT 1 / 0 AS id"), ec::store_failed);
}

TEST_F(postgres_reader_test, goes_on_after_a_failure) {
  const auto reader = open_reader(
    with_cursor(source("SELECT id FROM t WHERE id > :cursor"), "id", "0"));
  EXPECT_EQ(fault(*reader), ec::not_found);
  schema->run("CREATE TABLE t(id int); INSERT INTO t VALUES(1)");
  EXPECT_EQ(keys_of(next(*reader, 9)), (texts{"1"}));
  EXPECT_EQ(fault(*reader, "not a number"), ec::store_failed);
  EXPECT_EQ(keys_of(next(*reader, 9)), (texts{"1"}));
  schema->run("DROP TABLE t");
  EXPECT_EQ(fault(*reader), ec::not_found);
}

TEST_F(postgres_reader_test, says_no_password) {
  for (const auto* url : {"postgresql://me:s3cret@127.0.0.1:1/none",
                          "postgresql://me@127.0.0.1:1/none?password=s3cret",
                          "postgresql://me:s3cret/x@127.0.0.1:1/none"}) {
    const auto error = fault(*open_reader(sql_source(url, "SELECT 1 AS id")));
    EXPECT_EQ(error, ec::store_failed) << url;
    EXPECT_FALSE(render(error).empty());
    EXPECT_EQ(render(error).find("s3cret"), std::string::npos) << render(error);
  }
}

// -- time ---------------------------------------------------------------------

TEST_F(postgres_reader_test, gives_a_query_up_after_its_time) {
  schema->run("CREATE VIEW t AS SELECT 1 AS id FROM pg_sleep(600)");
  const auto reader = open_reader(source("SELECT id FROM t"));
  const auto begun = std::chrono::steady_clock::now();
  const auto out = reader->next_batch({9, {}, std::chrono::milliseconds{300}});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed) << render(out.error());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::minutes{1});
  await_active(0); // the server has given it up, too
  schema->run("DROP VIEW t; CREATE VIEW t AS SELECT 7 AS id");
  EXPECT_EQ(keys_of(next(*reader, 9)), (texts{"7"}));
}

TEST_F(postgres_reader_test, gives_up_a_server_that_stands_still) {
  auto url = schema->url();
  const auto port = url.find("127.0.0.1:") + 10;
  const auto end = url.find_first_not_of("0123456789", port);
  auto line = std::make_unique<cutting_proxy>(
    static_cast<std::uint16_t>(std::stoi(url.substr(port, end - port))));
  url.replace(port, end - port, std::to_string(line->port()));
  const auto reader = open_reader(sql_source(url, "SELECT 7 AS id"));
  EXPECT_EQ(keys_of(next(*reader, 9)), (texts{"7"}));
  line->swallow(true);
  auto waiting = std::async(std::launch::async, [&] {
    return reader->next_batch({9, {}, std::chrono::milliseconds{300}});
  });
  EXPECT_EQ(waiting.wait_for(std::chrono::minutes{1}),
            std::future_status::ready)
    << "nobody bounds how long it waits";
  line.reset(); // ends whatever waits
  const auto out = waiting.get();
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed) << render(out.error());
}

TEST_F(postgres_reader_test, gives_a_query_up_when_it_is_cancelled) {
  schema->run("CREATE VIEW t AS SELECT 1 AS id FROM pg_sleep(600)");
  const auto reader = open_reader(source("SELECT id FROM t"));
  for (int i = 0; i < 2; ++i) {
    auto waiting =
      std::async(std::launch::async, [&] { return read_batch(*reader, 9); });
    await_active(1);
    reader->cancel();
    const auto out = waiting.get();
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error(), ec::store_failed);
    EXPECT_NE(render(out.error()).find("cancelled"), std::string::npos)
      << render(out.error());
    await_active(0);
  }
  schema->run("DROP VIEW t; CREATE VIEW t AS SELECT 7 AS id");
  EXPECT_EQ(keys_of(next(*reader, 9)), (texts{"7"}));
}

} // namespace depositd::sources
