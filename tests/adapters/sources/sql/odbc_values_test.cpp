#include "adapters/sources/sql/odbc_values.hpp"

#include <string>

#include <gtest/gtest.h>

namespace depositd::sources::sql {

namespace {

std::string bytes_of(std::u16string_view text) {
  return {reinterpret_cast<const char*>(text.data()), text.size() * 2};
}

} // namespace

TEST(a_wide_text, becomes_utf8) {
  EXPECT_EQ(narrowed(bytes_of(u"")), "");
  EXPECT_EQ(narrowed(bytes_of(u"a\u00e9\u20ac")), "a\xc3\xa9\xe2\x82\xac");
  EXPECT_EQ(narrowed(bytes_of(u"\U0001F600!")), "\xf0\x9f\x98\x80!");
}

TEST(a_wide_text, with_half_a_pair_is_no_utf8) {
  for (const auto& text : {std::u16string(1, 0xd83d), std::u16string(1, 0xde00),
                           std::u16string(2, 0xd83d)})
    EXPECT_NE(narrowed(bytes_of(text)).find('\xff'), std::string::npos);
}

TEST(a_type_of_odbc, says_how_its_values_are_asked_for) {
  EXPECT_EQ(transfer_type(SQL_WVARCHAR), SQL_C_WCHAR);
  EXPECT_EQ(transfer_type(SQL_VARCHAR), SQL_C_CHAR);
  EXPECT_EQ(transfer_type(SQL_DECIMAL), SQL_C_CHAR);
  EXPECT_EQ(transfer_type(SQL_LONGVARBINARY), SQL_C_BINARY);
}

TEST(a_type_of_odbc, is_a_kind_of_value) {
  EXPECT_EQ(odbc_kind(SQL_BIGINT), cell_kind::integer);
  EXPECT_EQ(odbc_kind(SQL_DECIMAL), cell_kind::number);
  EXPECT_EQ(odbc_kind(SQL_BIT), cell_kind::boolean);
  EXPECT_EQ(odbc_kind(SQL_VARBINARY), cell_kind::bytes);
  EXPECT_EQ(odbc_kind(SQL_TYPE_TIMESTAMP), cell_kind::text);
  EXPECT_EQ(odbc_kind(SQL_UNKNOWN_TYPE), cell_kind::text);
}

} // namespace depositd::sources::sql
