// What is too much for this door. Row numbers are those of the table of bad
// inputs.

#include "adapters/doors/http/form.hpp"
#include "tests/adapters/doors/crossref/door_world.hpp"
#include "tests/adapters/processing/crossref/deposit_builder.hpp"

using namespace depositd;
using namespace depositd::testing;

namespace {

class crossref_bounds : public door_world {
protected:
  const std::string xml = a_deposit().with_article("10.5555/a").text();
  const std::string login = "login_id=psychoceramics&login_passwd=" + secret;
};

} // namespace

TEST_F(crossref_bounds, row_24_fields_alone_are_never_much) {
  start();
  const std::string fields(http::urlencoded_bytes_max, 'a');
  for (const auto* target :
       {"/servlet/deposit", "/v2/deposits", "/servlet/submissionDownload"}) {
    const auto much = post_urlencoded(target, fields + 'a');
    EXPECT_EQ(much.status, 413u) << target;
    EXPECT_NE(much.body.find("<h2>FAILURE</h2>"), std::string::npos) << target;
    EXPECT_NE(post_urlencoded(target, fields).status, 413u) << target;
  }
}

TEST_F(crossref_bounds, row_13_a_long_file_name_is_400) {
  start();
  const std::string most(file_name_bytes_max, 'x');
  EXPECT_EQ(deposit(most, xml).status, 200u);
  EXPECT_EQ(last().submission.file_name, most);
  EXPECT_EQ(deposit(most + 'x', xml).status, 400u);
  const auto target = "/servlet/deposit?" + login + "&fname=x" + most;
  EXPECT_EQ(post_form(target, form_text{}.file("f", "", xml).closed()).status,
            400u);
  EXPECT_EQ(count(), 1u);
}

TEST_F(crossref_bounds, row_02_who_may_not_enter_has_nothing_unpacked) {
  start();
  for (const auto* target :
       {"/servlet/deposit", "/v2/deposits", "/servlet/submissionDownload"}) {
    const auto x =
      ask(std::string{"POST "} + target
          + "?login_id=nobody&login_passwd=x HTTP/1.1\r\nHost: a\r\n"
            "Content-Encoding: gzip\r\nContent-Length: 7\r\n\r\nno gzip");
    EXPECT_EQ(x.status, 401u) << target;
  }
}
