// Rows 1 to 19 of the case table of Crossref's deposit contract: what comes in.

#include "tests/adapters/doors/crossref/door_world.hpp"
#include "tests/adapters/processing/crossref/deposit_builder.hpp"
#include "tests/support/captured_log.hpp"

using namespace depositd;
using namespace depositd::testing;

namespace {

class crossref_posts : public door_world {
protected:
  const std::string xml = a_deposit().with_article("10.5555/a").text();
  const std::string login = "login_id=psychoceramics&login_passwd=" + secret;

  /// The file in a part of this name; everything else in the query.
  void accepts_part(const std::string& name) {
    const auto x = post_form("/servlet/deposit?operation=doMDUpload&" + login,
                             form_text{}.file(name, "f.xml", xml).closed());
    EXPECT_EQ(x.status, 200u);
    EXPECT_EQ(last().submission.file_name, "f.xml");
    EXPECT_EQ(bytes_of(last()), xml);
  }
};

} // namespace

TEST_F(crossref_posts, row_01_form_fields_and_the_file_are_a_success) {
  start();
  const auto x = deposit("f.xml", xml);
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(x.header("content-type"), "text/html;charset=ISO-8859-1");
  EXPECT_EQ(x.body.size(), 144u);
  EXPECT_NE(x.body.find("<title>SUCCESS</title>"), std::string::npos);
  EXPECT_NE(x.body.find("<h2>SUCCESS</h2>"), std::string::npos);
  EXPECT_NE(
    x.body.find("<p>Your batch submission was successfully received.</p>"),
    std::string::npos);
  const auto row = last();
  EXPECT_EQ(row.user, "psychoceramics");
  EXPECT_EQ(row.queue, "metadata");
  EXPECT_EQ(row.submission.operation, "doMDUpload");
  EXPECT_EQ(row.submission.login, "psychoceramics");
  EXPECT_EQ(row.submission.source, "http");
  EXPECT_EQ(row.submission.size, xml.size());
  EXPECT_EQ(bytes_of(row), xml);
}

TEST_F(crossref_posts, carry_the_trace_context_that_they_came_with) {
  start();
  const std::string trace =
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  for (const auto& [given, kept] :
       {std::pair{trace, trace}, {trace + "x", std::string{}}}) {
    const auto x = ask(
      post_text("/servlet/deposit?operation=doMDUpload&" + login,
                "multipart/form-data; boundary=xYzZY\r\nTraceparent: " + given,
                form_text{}.file("fname", "f.xml", xml).closed()));
    EXPECT_EQ(x.status, 200u);
    EXPECT_EQ(last().submission.trace, kept);
  }
}

TEST_F(crossref_posts, several_files_in_a_form_are_told_that_one_was_taken) {
  start();
  const captured_log log;
  const auto x = post_form("/servlet/deposit?" + login,
                           form_text{}
                             .file("fname", "f.xml", xml)
                             .file("fname", "g.xml", xml)
                             .closed());
  EXPECT_EQ(x.status, 200u);
  EXPECT_NE(
    x.body.find("<p>Your batch submission was successfully received.</p>"),
    std::string::npos);
  EXPECT_NE(x.body.find("Only the first of the 2 files"), std::string::npos);
  EXPECT_EQ(last().submission.file_name, "f.xml");
  EXPECT_NE(log.text().find("files_not_taken user=psychoceramics"),
            std::string::npos);
}

TEST_F(crossref_posts, row_02_without_an_operation_it_is_a_deposit) {
  start();
  const auto x =
    post_form("/servlet/deposit", form_text{}
                                    .field("login_id", "psychoceramics")
                                    .field("login_passwd", secret)
                                    .file("fname", "f.xml", xml)
                                    .closed());
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(last().submission.operation, "doMDUpload");
}

TEST_F(crossref_posts, row_03_credentials_in_the_query_string) {
  start();
  accepts_part("fname");
}

TEST_F(crossref_posts, row_04_file_part_named_mdFile) {
  start();
  const auto x =
    post_form("/servlet/deposit", form_text{}
                                    .file("mdFile", "f.xml", xml)
                                    .field("operation", "doMDUpload")
                                    .field("login_id", "psychoceramics")
                                    .field("login_passwd", secret)
                                    .closed());
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(bytes_of(last()), xml);
}

TEST_F(crossref_posts, row_05_file_part_named_file) {
  start();
  accepts_part("file");
}

TEST_F(crossref_posts, row_06_file_part_named_after_the_file) {
  start();
  accepts_part("f.xml");
}

TEST_F(crossref_posts, row_07_usr_pwd_and_mdFile_at_the_deposit_door) {
  start();
  const auto x = post_form("/servlet/deposit", form_text{}
                                                 .field("usr", "psychoceramics")
                                                 .field("pwd", secret)
                                                 .file("mdFile", "f.xml", xml)
                                                 .closed());
  EXPECT_EQ(x.status, 200u);
}

TEST_F(crossref_posts, row_08_the_name_comes_from_the_part) {
  start();
  const auto x = post_form("/servlet/deposit?fname=query.xml&" + login,
                           form_text{}.file("file", "part.xml", xml).closed());
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(last().submission.file_name, "part.xml");
  post_form("/servlet/deposit?fname=query.xml&" + login,
            form_text{}.field("file", xml).closed());
  EXPECT_EQ(last().submission.file_name, "query.xml");
  EXPECT_EQ(bytes_of(last()), xml);
}

TEST_F(crossref_posts, row_08_an_input_where_no_file_was_chosen_is_no_file) {
  start();
  auto form = form_text{}.file("a", "", "").field("subType", "cm");
  EXPECT_EQ(post_form("/servlet/deposit?" + login, form.closed()).status, 400u);
  EXPECT_EQ(count(), 0u);
  const auto& chosen = form.file("b", "mine.xml", xml).file("c", "", "");
  EXPECT_EQ(post_form("/servlet/deposit?" + login, chosen.closed()).status,
            200u);
  EXPECT_EQ(last().submission.file_name, "mine.xml");
  EXPECT_EQ(count(), 1u);
}

TEST_F(crossref_posts, row_09_any_content_type_of_the_part) {
  start();
  for (const std::string type : {"application/octet-stream", "text/xml",
                                 "application/xml; charset=utf-8", ""}) {
    const auto x =
      post_form("/servlet/deposit?" + login,
                form_text{}.file("fname", "f.xml", xml, type).closed());
    EXPECT_EQ(x.status, 200u) << type;
    EXPECT_EQ(bytes_of(last()), xml) << type;
  }
}

TEST_F(crossref_posts, row_10_file_names_are_kept_verbatim) {
  start();
  for (const std::string name :
       {"upload", "RackMultipart20201103-1-abc", "../../etc/passwd",
        "C:\\x\\y.xml", "a;b=c.xml", "na\xc3\xafve \x1b[2J<b>.xml"}) {
    EXPECT_EQ(deposit(name, xml).status, 200u) << name;
    EXPECT_EQ(last().submission.file_name, name);
  }
}

TEST_F(crossref_posts, row_11_utf_8_comes_back_as_it_was_sent) {
  start();
  const auto text = a_deposit()
                      .with_batch_id("b\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80")
                      .with_article("10.5555/a")
                      .text();
  EXPECT_EQ(deposit("utf8.xml", text).status, 200u);
  EXPECT_EQ(poll("type=contents&file_name=utf8.xml").body, text);
}

TEST_F(crossref_posts, row_12_a_personal_login_is_queued_as_its_role) {
  start();
  const auto x = post_form("/servlet/deposit",
                           form_text{}
                             .field("login_id", "me@example.org/psychoceramics")
                             .field("login_passwd", secret)
                             .file("fname", "f.xml", xml)
                             .closed());
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(last().user, "psychoceramics");
  EXPECT_EQ(last().submission.login, "me@example.org/psychoceramics");
}

TEST_F(crossref_posts, row_13_a_wrong_password_is_401_with_the_page) {
  start();
  for (const std::string target :
       {"/servlet/deposit", "/servlet/deposit?login_id=psychoceramics"
                            "&login_passwd=wrong"}) {
    const auto x = post_form(target, form_text{}
                                       .field("login_id", "psychoceramics")
                                       .field("login_passwd", "wrong")
                                       .file("fname", "f.xml", xml)
                                       .closed());
    EXPECT_EQ(x.status, 401u);
    EXPECT_EQ(x.header("content-type"), "text/html;charset=ISO-8859-1");
    EXPECT_FALSE(x.header("www-authenticate").empty());
    EXPECT_NE(x.body.find("<h2>FAILURE</h2>"), std::string::npos);
    EXPECT_NE(x.body.find("Your XML batch submission failed. [Wrong "
                          "credentials. Incorrect username or password.]"),
              std::string::npos);
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(crossref_posts, row_14_an_unknown_user_looks_like_a_wrong_password) {
  start();
  const auto with_user = [&](const std::string& user) {
    return post_form("/servlet/deposit", form_text{}
                                           .field("login_id", user)
                                           .field("login_passwd", "wrong")
                                           .file("fname", "f.xml", xml)
                                           .closed());
  };
  const auto unknown = with_user("nobody");
  EXPECT_EQ(unknown.status, 401u);
  EXPECT_EQ(unknown.body, with_user("psychoceramics").body);
  for (const std::string user :
       {"../../etc", "a/", "psychoceramics ", "PSYCHOCERAMICS",
        "\xf0\x9f\x98\x80", "\xe2\x80\xaepsychoceramics"})
    EXPECT_EQ(with_user(user).body, unknown.body) << user;
}

TEST_F(crossref_posts, row_15_an_empty_or_malformed_form_is_400) {
  start();
  const auto target = "/servlet/deposit?" + login;
  EXPECT_EQ(post_form(target, "").status, 400u);
  EXPECT_EQ(post_form(target, "   ").status, 400u);
  EXPECT_EQ(post_form(target, xml).status, 400u);
  EXPECT_EQ(post_form(target, "--xYzZY--\r\n").status, 400u);
  EXPECT_EQ(post_form(target, form_text{}.field("a", "b").closed()).status,
            400u);
  EXPECT_EQ(ask(post_text(target, "text/xml", xml)).status, 400u);
  EXPECT_EQ(ask(post_text(target, "multipart/form-data", "--x\r\n")).status,
            400u);
  EXPECT_EQ(
    ask(post_text(target,
                  "multipart/form-data; boundary=" + std::string(300, 'x'),
                  "--" + std::string(300, 'x') + "\r\n"))
      .status,
    400u);
  EXPECT_EQ(count(), 0u);
}

TEST_F(crossref_posts, row_15_a_form_that_is_never_closed_is_read_anyway) {
  start();
  const auto x =
    post_form("/servlet/deposit", form_text{}
                                    .file("fname", "open.xml", xml)
                                    .field("login_id", "psychoceramics")
                                    .field("login_passwd", secret)
                                    .open());
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(bytes_of(last()), xml);
}

TEST_F(crossref_posts, row_15_a_file_that_was_cut_off_is_400) {
  start();
  const auto target = "/servlet/deposit?fname=cut.xml&" + login;
  for (const auto& body :
       {form_text{}.file("fname", "cut.xml", xml).open(),
        form_text{}.field("a", "b").file("fname", "cut.xml", xml).open(),
        form_text{}.field("file", xml).open()}) {
    const auto x = post_form(target, body);
    EXPECT_EQ(x.status, 400u) << body;
    EXPECT_EQ(x.body.find("SUCCESS"), std::string::npos);
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(crossref_posts, row_15_a_form_without_a_file_part_is_400) {
  start();
  EXPECT_EQ(post_urlencoded("/servlet/deposit?" + login, "fname=x.xml").status,
            400u);
  EXPECT_EQ(
    post_urlencoded("/servlet/deposit", login + "&file=%3Ca/%3E").status, 400u);
  EXPECT_EQ(post_urlencoded("/v2/deposits",
                            "usr=psychoceramics&pwd=" + secret + "&mdFile=x")
              .status,
            400u);
  EXPECT_EQ(count(), 0u);
}

TEST_F(crossref_posts, row_16_a_full_queue_is_429_with_retry_after) {
  engine->pending_limit = 2;
  start({.retry_after_s = 77});
  EXPECT_EQ(deposit("1", xml).status, 200u);
  EXPECT_EQ(deposit("2", xml).status, 200u);
  const auto x = deposit("3", xml);
  EXPECT_EQ(x.status, 429u);
  EXPECT_EQ(x.header("retry-after"), "77");
  EXPECT_EQ(count(), 2u);
}

TEST_F(crossref_posts, row_16_a_full_queue_is_said_before_the_body_is_read) {
  engine->pending_limit = 1;
  start();
  EXPECT_EQ(deposit("1", xml).status, 200u);
  raw_client client{server->port()};
  client.send("POST /servlet/deposit?operation=doMDUpload&" + login
              + " HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; "
                "boundary=b\r\nContent-Length: 1000000\r\n\r\n");
  const auto x = client.receive();
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 429u);
  EXPECT_EQ(x->header("retry-after"), "60");
}

TEST_F(crossref_posts, row_16_a_full_queue_does_not_stop_the_other_one) {
  engine->pending_limit = 1;
  start();
  EXPECT_EQ(deposit("1", xml).status, 200u);
  // The operation is only in the form, so the query alone says nothing.
  {
    const std::lock_guard lock{engine->guard};
    engine->rows[0].user = "psychoceramics";
    engine->rows[0].status = submission_status::in_process;
  }
  const auto x =
    post_form("/servlet/deposit?" + login,
              form_text{}
                .field("operation", "doQueryUpload")
                .file("fname", "q.txt", "|Journal|Hardy||||2020||k|")
                .closed());
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(last().queue, "query");
}

TEST_F(crossref_posts, row_17_a_service_that_is_down_says_503) {
  start();
  for (const auto why :
       {ec::draining, ec::store_failed, ec::fenced, ec::overloaded}) {
    {
      const std::lock_guard lock{engine->guard};
      engine->submit_fails = why;
    }
    const auto x = deposit("f.xml", xml);
    EXPECT_EQ(x.status, 503u);
    EXPECT_NE(x.body.find("503 Service Unavailable"), std::string::npos);
    EXPECT_NE(x.body.find("No server is available to handle this request."),
              std::string::npos);
    EXPECT_FALSE(x.header("retry-after").empty());
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(crossref_posts, row_18_what_is_wrong_inside_the_file_is_said_later) {
  start();
  const std::string doctype = "<!DOCTYPE doi_batch>" + xml;
  const std::string bomb =
    "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><x>&b;</x>";
  const std::pair<std::string, std::string> files[] = {
    {"pdf", "%PDF-1.4\n\xe2\xe3\xcf\xd3"},
    {"text", "not XML"},
    {"root", "<html/>"},
    {"doctype", doctype},
    {"bomb", bomb},
    {"empty", ""},
    {"cut", xml.substr(0, xml.size() / 2)}};
  for (const auto& [name, bytes] : files) {
    const auto x = result_of(name, bytes);
    EXPECT_NE(x.find("status=\"completed\""), std::string::npos) << name;
    EXPECT_NE(x.find("status=\"Failure\""), std::string::npos) << name;
  }
}

TEST_F(crossref_posts, row_19_a_file_above_10_mb_is_413) {
  start();
  constexpr std::size_t limit = 10 * 1024 * 1024;
  EXPECT_EQ(deposit("full", std::string(limit, 'x')).status, 200u);
  const auto x = deposit("above", std::string(limit + 1, 'x'));
  EXPECT_EQ(x.status, 413u);
  // An honest length above all reason is refused before the body.
  raw_client client{server->port()};
  client.send("POST /servlet/deposit HTTP/1.1\r\nHost: a\r\n"
              "Content-Length: 20000000\r\n\r\n");
  const auto early = client.receive();
  ASSERT_TRUE(early);
  EXPECT_EQ(early->status, 413u);
  // In the same words as what is refused behind it.
  EXPECT_EQ(early->header("content-type"), x.header("content-type"));
  EXPECT_NE(early->body.find("<h2>FAILURE</h2>"), std::string::npos);
  EXPECT_EQ(count(), 1u);
}

TEST_F(crossref_posts, an_unknown_operation_is_400) {
  start();
  EXPECT_EQ(deposit("f.xml", xml, "doNothing").status, 400u);
  EXPECT_EQ(post_form("/servlet/deposit?operation=doNothing&" + login,
                      form_text{}.file("fname", "f.xml", xml).closed())
              .status,
            400u);
  EXPECT_EQ(count(), 0u);
}

TEST_F(crossref_posts, operations_go_to_their_queues) {
  start();
  const std::pair<std::string, std::string> known[] = {
    {"doMDUpload", "metadata"},     {"doXSDMDUpload", "metadata"},
    {"doDOICitUpload", "metadata"}, {"doTransferDOIsUpload", "metadata"},
    {"doQueryUpload", "query"},     {"doDOIQueryUpload", "query"}};
  for (const auto& [operation, queue] : known) {
    EXPECT_EQ(deposit("f", xml, operation).status, 200u);
    EXPECT_EQ(last().queue, queue);
    EXPECT_EQ(last().submission.operation, operation);
  }
}

TEST_F(crossref_posts, the_first_of_two_files_is_taken) {
  start();
  const auto x =
    post_form("/servlet/deposit?" + login, form_text{}
                                             .file("a", "first.xml", xml)
                                             .file("b", "second.xml", "other")
                                             .closed());
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(last().submission.file_name, "first.xml");
  EXPECT_EQ(count(), 1u);
}
