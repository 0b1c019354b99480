#include "adapters/sources/gauges/make_gauge.hpp"
#include "tests/support/postgres_schema.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace depositd::sources {

namespace {

class postgres_gauge_test : public ::testing::Test {
protected:
  void SetUp() override {
    if (!postgres_installed())
      GTEST_SKIP() << "POSTGRESQL IS NOT INSTALLED";
    schema = std::make_unique<postgres_schema>();
  }

  std::unique_ptr<downstream_gauge> gauge(const std::string& query) const {
    scheduler_settings x;
    x.queue = "work";
    x.downstream = schema->url();
    x.downstream_query = query;
    auto out = make_gauge(x, {});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

  static caf::expected<std::uint64_t>
  left(downstream_gauge& of,
       std::chrono::milliseconds timeout = std::chrono::minutes{1}) {
    return of.left(timeout);
  }

  std::unique_ptr<postgres_schema> schema;
};

} // namespace

TEST_F(postgres_gauge_test, counts_each_time) {
  schema->run("CREATE TABLE t(id int)");
  const auto it = gauge("SELECT count(*) FROM t");
  for (std::uint64_t i = 0; i < 3; ++i) {
    const auto out = left(*it);
    ASSERT_TRUE(out) << render(out.error());
    EXPECT_EQ(*out, i);
    schema->run("INSERT INTO t VALUES(1)");
  }
}

TEST_F(postgres_gauge_test, refuses_what_is_not_one_number) {
  for (const auto* query :
       {"SELECT -1", "SELECT NULL::int", "SELECT 1 WHERE false",
        "SELECT 1 UNION ALL SELECT 2", "SELECT 1, 2", "SELECT 'many'",
        "SELECT true", "SELECT 'NaN'::float8"}) {
    const auto out = left(*gauge(query));
    ASSERT_FALSE(out) << query;
    EXPECT_EQ(out.error(), ec::malformed) << query;
  }
}

TEST_F(postgres_gauge_test, says_that_nobody_answers) {
  const auto it = gauge("SELECT count(*) FROM t");
  auto out = left(*it);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_EQ(render(out.error()).rfind("downstream_query: ", 0), 0u);
  schema->run("CREATE VIEW t AS SELECT 1 FROM pg_sleep(600)");
  out = left(*it, std::chrono::milliseconds{200});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
  schema->run("DROP VIEW t; CREATE TABLE t(id int)");
  out = left(*it);
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(*out, 0u);
}

} // namespace depositd::sources
