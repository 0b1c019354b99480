#include "adapters/doors/http/form.hpp"

#include <gtest/gtest.h>

using namespace depositd;
using namespace depositd::http;

namespace {

form read(std::string_view body, std::string_view boundary = "b") {
  auto out = read_multipart(body, boundary);
  EXPECT_TRUE(out) << render(out.error());
  return out ? std::move(*out) : form{};
}

std::string part(const std::string& disposition, const std::string& data) {
  return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n"
         + data + "\r\n";
}

} // namespace

TEST(http_form, reads_fields_and_files_with_their_bytes) {
  const std::string bytes{"\0\r\n--\r\nx\xff", 9};
  const auto body = part("name=\"usr\"", "me")
                    + part("name=f; filename=\"a.xml\"", bytes) + "--b--\r\n";
  const auto x = read(body);
  ASSERT_EQ(x.parts.size(), 2u);
  EXPECT_EQ(x.field("usr")->data, "me");
  EXPECT_TRUE(x.parts[1].has_file_name);
  EXPECT_EQ(x.parts[1].file_name, "a.xml");
  EXPECT_EQ(x.parts[1].data, bytes);
}

TEST(http_form, row_24_reads_no_more_fields_of_an_urlencoded_body) {
  request x;
  x.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  for (std::size_t i = 0; i < form_parts_max; ++i)
    x.body += "a&";
  EXPECT_EQ(read_form(x)->parts.size(), form_parts_max);
  x.body += "a";
  const auto above = read_form(x);
  ASSERT_FALSE(above);
  EXPECT_EQ(above.error(), ec::malformed);
  EXPECT_EQ(parse_urlencoded("a&b&c&d", 2).size(), 2u);
}

TEST(http_form, tells_an_empty_file_name_from_none) {
  const auto body =
    part("name=a; filename=\"\"", "x") + part("name=b", "y") + "--b--";
  const auto x = read(body);
  EXPECT_TRUE(x.parts[0].has_file_name);
  EXPECT_FALSE(x.parts[1].has_file_name);
  EXPECT_EQ(x.field("a"), nullptr);
}

TEST(http_form, keeps_file_names_verbatim) {
  const auto body =
    part("name=a; filename=\"../C:\\x\\y;z.xml\"", "")
    + part("name=b; filename*=UTF-8''na%C3%AFve.xml; filename=\"n.xml\"", "")
    + "--b--";
  const auto x = read(body);
  EXPECT_EQ(x.parts[0].file_name, "../C:\\x\\y;z.xml");
  EXPECT_EQ(x.parts[1].file_name, "na\xc3\xafve.xml");
}

// As libraries for mail write them.
TEST(http_form, joins_a_part_s_header_that_goes_on_in_the_next_line) {
  const auto body = "--b\r\nContent-Disposition: form-data;\r\n name=\"f\";"
                    "\r\n\tfilename=\"C: a\r\n b.xml\"\r\n"
                    "Content-Type:\r\n text/xml\r\n\r\n  x\r\n"
                    + part("name=a", " y") + "--b--";
  const auto x = read(body);
  ASSERT_EQ(x.parts.size(), 2u);
  EXPECT_EQ(x.parts[0].name, "f");
  EXPECT_EQ(x.parts[0].file_name, "C: a b.xml");
  EXPECT_EQ(x.parts[0].content_type, "text/xml");
  EXPECT_EQ(x.parts[0].data, "  x");
  EXPECT_EQ(x.field("a")->data, " y");
  const auto begin = "--b\r\nContent-Disposition: form-data; name=a;\r\n";
  std::string many;
  for (int i = 0; i < 2000; ++i)
    many += " x=123456;\r\n";
  EXPECT_FALSE(read_multipart(begin + many + "\r\n1\r\n--b--", "b"));
}

TEST(http_form, reads_what_is_there_of_a_body_that_is_never_closed) {
  const auto file = part("name=f; filename=x", "<a/>");
  const auto body = file + part("name=a", "1");
  EXPECT_EQ(read(body).parts.at(0).data, "<a/>");
  EXPECT_EQ(read(body).parts.at(1).data, "1");
  EXPECT_FALSE(read(body).parts.at(1).closed);
  const auto without_line_end = body.substr(0, body.size() - 2);
  EXPECT_EQ(read(without_line_end).parts.at(1).data, "1");
  const auto half_closed = file + "--b";
  EXPECT_EQ(read(half_closed).parts.at(0).data, "<a/>");
  const auto one_more = body + "--b\r\n";
  EXPECT_EQ(read(one_more).parts.size(), 2u);
  EXPECT_TRUE(read(one_more).parts.at(1).closed);
}

TEST(http_form, refuses_a_file_that_no_boundary_ends) {
  const auto file = part("name=f; filename=x", "<a/>");
  for (const std::string& cut :
       {file, part("name=a", "1") + file, file.substr(0, file.size() - 2),
        file + "--", file + "--b-", file + file}) {
    const auto x = read_multipart(cut, "b");
    ASSERT_FALSE(x) << cut;
    EXPECT_EQ(x.error(), ec::malformed) << cut;
  }
}

TEST(http_form, accepts_line_feeds_alone_and_a_preamble) {
  const auto x = read("hello\n--b\nContent-Disposition: form-data; name=a\n\n"
                      "one\ntwo\n--b--\nbye");
  ASSERT_EQ(x.parts.size(), 1u);
  EXPECT_EQ(x.parts[0].data, "one\ntwo");
}

TEST(http_form, does_not_take_a_longer_line_for_the_boundary) {
  const auto body = part("name=a", "x\r\n--bb\r\ny\r\n-- b") + "--b--";
  EXPECT_EQ(read(body).parts[0].data, "x\r\n--bb\r\ny\r\n-- b");
}

TEST(http_form, refuses_what_is_no_form) {
  const auto bad = [](std::string_view body, std::string_view boundary) {
    auto x = read_multipart(body, boundary);
    return !x && x.error() == ec::malformed;
  };
  EXPECT_TRUE(bad("", "b"));
  EXPECT_TRUE(bad("<xml/>", "b"));
  EXPECT_TRUE(bad("--b--\r\n", "b"));
  EXPECT_TRUE(bad("--b\r\n", "b"));
  EXPECT_TRUE(bad("--b\r\nno colon\r\n\r\nx\r\n--b--", "b"));
  EXPECT_TRUE(bad("--b\r\nContent-Disposition: form-data\r\n--b--", "b"));
  EXPECT_TRUE(bad(part("name=a", "") + "--b--", ""));
  EXPECT_TRUE(bad(part("name=a", "") + "--b--", std::string(300, 'b')));
  EXPECT_TRUE(bad("--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n"
                  "--c\r\n\r\nx\r\n--c--\r\n--b--",
                  "b"));
  std::string many;
  for (std::size_t i = 0; i <= form_parts_max; ++i)
    many += part("name=a", "");
  EXPECT_TRUE(bad(many + "--b--", "b"));
  EXPECT_TRUE(
    bad("--b\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n--b--", "b"));
}

TEST(http_form, survives_a_cut_at_every_byte) {
  const auto body =
    part("name=a", "1") + part("name=f; filename=\"x\"", "<a/>") + "--b--\r\n";
  for (std::size_t i = 0; i <= body.size(); ++i) {
    const auto x = read_multipart(std::string_view{body}.substr(0, i), "b");
    if (x && x->parts.size() == 2) {
      EXPECT_EQ(x->parts[1].data, "<a/>") << i;
    }
  }
}

TEST(http_form, chooses_by_content_type) {
  request x;
  x.body = "usr=a%26b+c&pwd=%25%2B%3D";
  EXPECT_FALSE(read_form(x));
  x.headers = {{"content-TYPE", "application/x-www-form-urlencoded; q=1"}};
  const auto urlencoded = read_form(x);
  ASSERT_TRUE(urlencoded);
  EXPECT_EQ(urlencoded->field("usr")->data, "a&b c");
  EXPECT_EQ(urlencoded->field("pwd")->data, "%+=");
  x.headers = {{"Content-Type", "multipart/form-data; boundary=\"b b\""}};
  x.body = "--b b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\nv\r\n"
           "--b b--";
  const auto multipart = read_form(x);
  ASSERT_TRUE(multipart);
  EXPECT_EQ(multipart->field("n")->data, "v");
  x.headers = {{"Content-Type", "text/xml"}};
  EXPECT_FALSE(read_form(x));
}
