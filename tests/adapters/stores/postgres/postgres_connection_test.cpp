// What the stores have of a connection to the server.

#include "adapters/stores/postgres/connection.hpp"
#include "adapters/stores/postgres/own_sessions.hpp"
#include "tests/adapters/stores/postgres/postgres_fixture.hpp"
#include "tests/support/captured_log.hpp"
#include "tests/support/loopback_listener.hpp"

#include <array>
#include <string>
#include <thread>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace depositd {

namespace {

class postgres_connection : public postgres_fixture {};

/// What PostgreSQL sends, as nobody sends it who is one.
std::string message_of(char kind, const std::string& content) {
  return std::string{kind, 0, 0, 0} + static_cast<char>(content.size() + 4)
         + content;
}

} // namespace

/// Lines of strangers, which a terminal obeys.
TEST(a_store, says_nothing_past_the_log_before_it_has_let_anybody_in) {
  const testing::loopback_listener listener;
  std::thread server{[&] {
    std::array<char, 1'000> greeting{};
    int peer = listener.accept();
    while (::recv(peer, greeting.data(), greeting.size(), 0) <= 0) {
      ::close(peer); // it only looked who is there
      peer = listener.accept();
    }
    const std::string nothing{'\0'};
    const auto said = message_of('R', std::string(4, '\0'))
                      + message_of('N', "SNOTICE" + nothing + "M\x1b[31mlook"
                                          + nothing + nothing)
                      + message_of('E', "SFATAL" + nothing + "C57P03" + nothing
                                          + "Mgo away" + nothing + nothing);
    EXPECT_GT(::send(peer, said.data(), said.size(), MSG_NOSIGNAL), 0);
    ::close(peer);
  }};
  ::testing::internal::CaptureStderr();
  const auto line = postgres::connection::open(
    {.url = "postgresql://u@127.0.0.1:" + std::to_string(listener.port())
            + "/db?sslmode=disable&gssencmode=disable"});
  server.join();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ASSERT_FALSE(line);
  EXPECT_NE(render(line.error()).find("go away"), std::string::npos)
    << render(line.error());
}

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

TEST_F(postgres_connection, begins_and_ends_nothing_within_a_transaction) {
  const auto line = schema->connect();
  ASSERT_TRUE(line) << render(line.error());
  ASSERT_FALSE((*line)->script("CREATE TABLE t (x int)"));
  const auto insert = [&] {
    return (*line)->script("INSERT INTO t SELECT generate_series(1, 1000)");
  };
  auto rows = 0;
  const auto streamed = (*line)->transact([&]() -> caf::error {
    if (auto failed = insert())
      return failed;
    for (auto twice = 0; twice < 2; ++twice)
      if (auto failed = (*line)->stream("SELECT x FROM t", {},
                                        [&](const auto&) {
                                          ++rows;
                                          return caf::error{};
                                        }))
        return failed;
    return caf::make_error(ec::too_large, std::string{"no more"});
  });
  EXPECT_EQ(streamed, ec::too_large);
  EXPECT_EQ(rows, 2'000);
  const auto nested = (*line)->transact([&]() -> caf::error {
    if (auto failed = insert())
      return failed;
    return (*line)->transact([] { return caf::error{}; });
  });
  EXPECT_EQ(nested, ec::store_failed);
  EXPECT_EQ(schema->number("SELECT count(*) FROM t"), 0u);
}

TEST_F(postgres_connection, has_not_committed_what_failed_unnoticed) {
  const auto line = schema->connect();
  ASSERT_TRUE(line) << render(line.error());
  const auto done = (*line)->transact([&]() -> caf::error {
    EXPECT_TRUE((*line)->script("SELECT 1 / 0"));
    return {};
  });
  EXPECT_EQ(done, ec::store_failed);
}

TEST_F(postgres_connection, writes_warnings_of_the_server_into_the_log) {
  const auto line = schema->connect();
  ASSERT_TRUE(line) << render(line.error());
  const testing::captured_log log;
  ASSERT_FALSE((*line)->script(
    "DO $$BEGIN RAISE NOTICE 'a detail'; RAISE WARNING 'soon full'; "
    "FOR i IN 1..100 LOOP RAISE WARNING 'again %', i; END LOOP; END$$"));
  EXPECT_EQ(log.count("postgres_warns"), 20u);
  EXPECT_EQ(log.count("soon"), 1u);
  EXPECT_EQ(log.count("\x1b"), 0);
  EXPECT_EQ(log.count("a detail"), 0u);
}

TEST_F(postgres_connection, is_ours_whatever_was_set_for_all_who_come) {
  postgres_server strict;
  const std::pair<std::string, std::string> ours[] = {
    {"idle_session_timeout", "0"},
    {"lock_timeout", "0"},
    {"default_transaction_isolation", "read committed"},
    {"synchronous_commit", "on"}};
  {
    const auto to = postgres::connection::open({.url = strict.url()});
    ASSERT_TRUE(to) << render(to.error());
    const auto* set = "ALTER DATABASE depositd SET ";
    for (const auto* x :
         {"idle_session_timeout = '1h'", "lock_timeout = '1ms'",
          "default_transaction_isolation = 'serializable'",
          "synchronous_commit = off"})
      ASSERT_FALSE((*to)->script(std::string{set} + x)) << x;
  }
  const auto to = postgres::connection::open({.url = strict.url()});
  ASSERT_TRUE(to) << render(to.error());
  for (const auto& [name, value] : ours) {
    const auto row = (*to)->run("SELECT current_setting('" + name + "')");
    ASSERT_TRUE(row) << render(row.error());
    EXPECT_EQ(row->raw(0, 0), value) << name;
  }
}

TEST_F(postgres_connection, is_over_once_its_server_takes_no_writes) {
  const auto to = schema->connect();
  ASSERT_TRUE(to) << render(to.error());
  EXPECT_TRUE((*to)->script("CREATE TABLE t (x int); SELECT 1 / 0"));
  EXPECT_FALSE((*to)->lost()) << "what fails for another reason leaves it";
  // As ALTER SYSTEM and a reload do to all that are there.
  ASSERT_FALSE((*to)->script("SET default_transaction_read_only = on"));
  EXPECT_FALSE((*to)->execute("SELECT 1"));
  EXPECT_EQ((*to)->execute("CREATE TABLE u (x int)"), ec::store_failed);
  EXPECT_TRUE((*to)->lost());
}

TEST_F(postgres_connection, is_not_one_of_several_in_a_session) {
  const auto one = schema->connect();
  const auto other = schema->connect();
  ASSERT_TRUE(one && other);
  EXPECT_FALSE(postgres::check_apart(**one, **other));
  EXPECT_FALSE(postgres::check_own_sessions({.url = schema->url()}));
  // As a pooler does that lends sessions out by the transaction.
  const auto shared = postgres::check_apart(**one, **one);
  EXPECT_EQ(shared, ec::store_failed);
  EXPECT_NE(render(shared).find("pool_mode = session"), std::string::npos);
}

TEST_F(postgres_connection, is_with_the_server_that_writes) {
  postgres_server copy;
  {
    const auto to = postgres::connection::open({.url = copy.url()});
    ASSERT_TRUE(to) << render(to.error());
    ASSERT_FALSE((*to)->script(
      "ALTER DATABASE depositd SET default_transaction_read_only = on"));
  }
  EXPECT_FALSE(postgres::connection::open({.url = copy.url()}));
  auto both = schema->url();
  both.insert(both.find("127.0.0.1:"),
              "127.0.0.1:" + std::to_string(port_of(copy.url())) + ",");
  const auto line = postgres::connection::open({.url = both});
  ASSERT_TRUE(line) << render(line.error());
  const auto port = (*line)->run("SELECT inet_server_port()");
  ASSERT_TRUE(port) << render(port.error());
  EXPECT_EQ(port->number(0, 0), port_of(schema->url()));
  EXPECT_TRUE(postgres::connection::open(
    {.url = copy.url() + "?target_session_attrs=any"}))
    << "unless the URL says so";
}

} // namespace depositd
