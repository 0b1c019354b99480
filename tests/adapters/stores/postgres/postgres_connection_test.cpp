// What the stores have of a connection to the server.

#include "adapters/stores/postgres/connection.hpp"
#include "tests/adapters/stores/postgres/postgres_fixture.hpp"

namespace depositd {

namespace {

class postgres_connection : public postgres_fixture {};

} // namespace

TEST_F(postgres_connection, reads_no_further_than_it_is_wanted) {
  const auto line =
    postgres::connection::open({.url = schema->url(), .name = "a test"});
  ASSERT_TRUE(line) << render(line.error());
  int rows = 0;
  // All of them would take minutes.
  const auto ended = (*line)->stream(
    "SELECT generate_series(1, 1000000000)", {}, [&](const auto&) {
      return ++rows < 3 ? caf::error{}
                        : caf::make_error(ec::too_large, std::string{"enough"});
    });
  EXPECT_EQ(ended, ec::too_large);
  EXPECT_EQ(rows, 3);
  const auto after = (*line)->run("SELECT 7");
  ASSERT_TRUE(after) << render(after.error());
  EXPECT_EQ(after->number(0, 0), 7u) << "and goes on";
}

} // namespace depositd
