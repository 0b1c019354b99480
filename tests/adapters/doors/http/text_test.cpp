#include "adapters/doors/http/text.hpp"

#include <gtest/gtest.h>

using namespace depositd::http;

TEST(http_text, decodes_percent_and_plus_by_the_rule_of_forms) {
  EXPECT_EQ(form_decode("a%20b+c%2Bd%26e%25"), "a b c+d&e%");
  EXPECT_EQ(percent_decode("a+b%2fc"), "a+b/c");
}

TEST(http_text, keeps_a_percent_sign_that_starts_no_sequence) {
  EXPECT_EQ(form_decode("100%"), "100%");
  EXPECT_EQ(form_decode("%zz%4"), "%zz%4");
  EXPECT_EQ(form_decode("%%41"), "%A");
}

TEST(http_text, splits_a_query_and_keeps_order_and_repeats) {
  const auto x = parse_urlencoded("a=1&b=&c&a=2&&d=x=y");
  const parameters expected{
    {"a", "1"}, {"b", ""}, {"c", ""}, {"a", "2"}, {"d", "x=y"}};
  EXPECT_EQ(x, expected);
  EXPECT_EQ(*find(x, "a"), "1");
  EXPECT_EQ(find(x, "z"), nullptr);
}

TEST(http_text, reads_parameters_of_a_header) {
  const auto x = parse_header_value(
    "Form-Data; name=\"a;b\"; FileName=\"C:\\x\\\"y\\\".xml\"; flag; n = 3 ");
  EXPECT_EQ(x.token, "form-data");
  EXPECT_EQ(*find(x.fields, "name"), "a;b");
  EXPECT_EQ(*find(x.fields, "filename"), "C:\\x\"y\".xml");
  EXPECT_EQ(*find(x.fields, "n"), "3");
}

TEST(http_text, survives_header_values_that_end_anywhere) {
  const std::string whole = "form-data; name=\"a\\\"b\"; filename*=UTF-8''%C3";
  for (std::size_t i = 0; i <= whole.size(); ++i)
    parse_header_value(std::string_view{whole}.substr(0, i));
  EXPECT_EQ(*find(parse_header_value("x; n=\"open").fields, "n"), "open");
}

TEST(http_text, escapes_what_a_page_or_a_terminal_would_obey) {
  EXPECT_EQ(escape_html("<a href=\"'&'\">"),
            "&lt;a href=&quot;&#39;&amp;&#39;&quot;&gt;");
  EXPECT_EQ(printable("a\r\n\x1b[2J\"\xc3"), "a\\x0d\\x0a\\x1b[2J\\x22\\xc3");
  EXPECT_EQ(printable(std::string(500, 'a')).size(), 200u);
}
