#include "adapters/sources/sql/integer_text.hpp"
#include "adapters/sources/sql/session.hpp"
#include "tests/adapters/sources/sql/sql_readers.hpp"
#include "tests/support/loopback_listener.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace depositd::sources::sql {

namespace {

answer one(cell_kind kind, std::string text) {
  answer out;
  out.columns = {"n"};
  out.cells.push_back({kind, std::move(text)});
  return out;
}

/// What PostgreSQL sends, as nobody sends it who is one.
std::string message_of(char kind, const std::string& content) {
  return std::string{kind, 0, 0, 0} + static_cast<char>(content.size() + 4)
         + content;
}

} // namespace

/// Lines of strangers, which a terminal obeys.
TEST(a_postgres, says_nothing_past_the_log_before_it_has_let_anybody_in) {
  const testing::loopback_listener listener;
  std::thread server{[&] {
    const int peer = listener.accept();
    std::array<char, 1'000> greeting{};
    EXPECT_GT(::recv(peer, greeting.data(), greeting.size(), 0), 0);
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
  const auto reader = open_reader(sql_source(
    "postgresql://u@127.0.0.1:" + std::to_string(listener.port())
      + "/db?sslmode=disable",
    "SELECT 1 AS id"));
  const auto why = fault(*reader);
  server.join();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(render(why).find("go away"), std::string::npos) << render(why);
}

TEST(an_answer, ends_at_its_most_rows) {
  answer_filler to{2};
  to.set_columns({"a"});
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(to.begin_row());
    to.add(cell_kind::integer, std::to_string(i));
    ASSERT_TRUE(to.end_row());
  }
  EXPECT_FALSE(to.begin_row());
  const auto out = to.take();
  EXPECT_EQ(out.rows(), 2u);
  EXPECT_TRUE(out.more);
}

TEST(an_answer, ends_before_the_row_that_is_too_much) {
  answer_filler to{100};
  to.set_columns({"a", "b"});
  ASSERT_TRUE(to.begin_row());
  to.add(cell_kind::integer, "1");
  to.add(cell_kind::null);
  ASSERT_TRUE(to.end_row());
  ASSERT_TRUE(to.begin_row());
  to.add(cell_kind::integer, "2");
  to.add(cell_kind::text, std::string(answer_bytes_max, 'x'));
  EXPECT_FALSE(to.end_row());
  const auto out = to.take();
  ASSERT_EQ(out.rows(), 1u);
  EXPECT_EQ(out.at(0, 0).text, "1");
  EXPECT_TRUE(out.more);
}

TEST(an_answer, is_a_number_if_it_is_one) {
  const auto number = [](cell_kind kind, const char* text) {
    const auto out = number_of(one(kind, text));
    EXPECT_TRUE(out) << render(out.error());
    return out ? *out : ~std::uint64_t{0};
  };
  EXPECT_EQ(number(cell_kind::integer, "17"), 17u);
  EXPECT_EQ(number(cell_kind::number, "17.0"), 17u);
  EXPECT_EQ(number(cell_kind::number, "17.2"), 18u);
  EXPECT_EQ(number(cell_kind::text, "17"), 17u);
  EXPECT_EQ(number(cell_kind::integer, "0"), 0u);
}

TEST(an_answer, is_no_number_otherwise) {
  answer two = one(cell_kind::integer, "1");
  two.cells.push_back({cell_kind::integer, "2"});
  answer wide = one(cell_kind::integer, "1");
  wide.columns.emplace_back("m");
  wide.cells.push_back({cell_kind::integer, "2"});
  answer none = one(cell_kind::integer, "1");
  none.cells.clear();
  for (const auto& x :
       {two, wide, none, one(cell_kind::null, ""),
        one(cell_kind::integer, "-1"), one(cell_kind::number, "NaN"),
        one(cell_kind::number, "1e300"), one(cell_kind::text, "many"),
        one(cell_kind::boolean, "true"), one(cell_kind::bytes, "1")}) {
    const auto out = number_of(x);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error(), ec::malformed);
    EXPECT_NE(render(out.error()).find("instead of one number"),
              std::string::npos);
  }
}

TEST(an_address, is_one_of_a_database_that_is_known) {
  EXPECT_EQ(dialect_of("postgresql://db/name"), dialect::postgres);
  EXPECT_EQ(dialect_of("sqlite:/a/b"), dialect::sqlite);
  EXPECT_EQ(dialect_of("odbc:DSN=x"), dialect::odbc);
  for (const auto* url :
       {"", "mysql://db", "sqlite:", "sqlite:relative", "odbc:",
        "postgresql://me:s3cret@db:notanumber?what=ever", "http://db"}) {
    const auto out = make_session(url, "test");
    ASSERT_FALSE(out) << url;
    EXPECT_EQ(out.error(), ec::invalid_argument) << url;
    EXPECT_EQ(render(out.error()).find("s3cret"), std::string::npos);
  }
}

TEST(an_integer, is_read_only_as_it_would_be_written) {
  EXPECT_EQ(read_integer("0"), 0);
  EXPECT_EQ(read_integer("-17"), -17);
  EXPECT_EQ(read_integer("9223372036854775807"), 9223372036854775807);
  for (const auto* text :
       {"", "007", "+1", "-0", "1.0", "1 ", "9223372036854775808", "abc"})
    EXPECT_EQ(read_integer(text), std::nullopt) << text;
}

} // namespace depositd::sources::sql
