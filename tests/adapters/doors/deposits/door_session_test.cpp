// Who gets in, and who does not.

#include "tests/adapters/doors/deposits/page_world.hpp"

using namespace depositd;
using namespace depositd::testing;

namespace {

using deposits_session = page_world;

} // namespace

TEST_F(deposits_session, a_right_login_opens_one) {
  open();
  const auto x = try_login("psychoceramics", secret);
  EXPECT_EQ(x.status, 200u);
  const auto cookie = x.header("set-cookie");
  EXPECT_NE(cookie.find("HttpOnly; SameSite=Strict; Path=/deposits"),
            cookie.npos);
  EXPECT_EQ(cookie.find("Secure"), cookie.npos); // it would never be sent back
  EXPECT_EQ(document(x)["name"], "psychoceramics");
  EXPECT_EQ(document(x)["csrf"].get<std::string>().size(), 64u);
  EXPECT_EQ(x.header("cache-control"), "no-store");
}

TEST_F(deposits_session, a_page_that_is_loaded_again_finds_it) {
  open();
  const auto who = log_in();
  const auto x = get(who, "/session");
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(document(x)["csrf"], who.csrf);
}

TEST_F(deposits_session, wrong_logins_look_the_same) {
  open();
  const auto user = try_login("nobody", secret);
  const auto password = try_login("psychoceramics", "wrong");
  EXPECT_EQ(user.status, 401u);
  EXPECT_EQ(password.status, 401u);
  EXPECT_EQ(user.body, password.body);
  EXPECT_EQ(password.header("set-cookie"), "");
}

TEST_F(deposits_session, what_is_no_login_is_refused) {
  open();
  const std::string type = "Content-Type: application/json\r\n";
  for (const auto* body :
       {"", "[]", "{", "{\"name\":\"a\"}", "{\"name\":1,\"password\":2}",
        "[[[[[[[[[[[[[[[[[[[[[[[[",
        R"({"name":"nobody","name":"psychoceramics","password":"s3cret"})",
        R"({"password":"","name":"psychoceramics","password":"s3cret"})"})
    EXPECT_EQ(ask(text("POST", "/session", type, body)).status, 400u) << body;
  const std::string long_one(deposits::login_document_bytes_max + 1, ' ');
  EXPECT_EQ(ask(text("POST", "/session", type, long_one)).status, 413u);
  EXPECT_EQ(try_login(std::string(2'000, 'a'), secret).status, 400u);
  EXPECT_EQ(ask(text("POST", "/session", "Content-Type: text/plain\r\n",
                     R"({"name":"psychoceramics","password":"s3cret"})"))
              .status,
            415u);
}

TEST_F(deposits_session, other_pages_can_neither_open_nor_end_one) {
  open();
  for (const auto* origin :
       {"http://evil.org", "null", "http://a.org.evil.org"}) {
    const auto header = std::string{"Origin: "} + origin + "\r\n";
    EXPECT_EQ(try_login("psychoceramics", secret, header).status, 403u);
    EXPECT_EQ(change(log_in(), "DELETE", "/session", "", header).status, 403u);
  }
  EXPECT_EQ(
    try_login("psychoceramics", secret, "Origin: http://a.org\r\n").status,
    200u);
}

TEST_F(deposits_session, without_one_there_is_nothing_to_see) {
  open();
  for (const auto* target :
       {"/session", "/api/mine", "/api/submissions/1000", "/api/place"}) {
    EXPECT_EQ(ask(text("GET", target)).status, 401u) << target;
    EXPECT_EQ(
      get({"depositd_deposits=" + std::string(64, 'a'), ""}, target).status,
      401u)
      << target;
  }
}

TEST_F(deposits_session, nothing_is_changed_without_its_token) {
  open();
  auto who = log_in();
  const auto right = who.csrf;
  for (const auto& token : {std::string{}, std::string(64, 'a')}) {
    who.csrf = token;
    EXPECT_EQ(upload(who, "<a/>").status, 403u);
    EXPECT_EQ(change(who, "POST", "/api/check", "x").status, 403u);
    EXPECT_EQ(change(who, "DELETE", "/session").status, 403u);
  }
  EXPECT_EQ(count(), 0u);
  who.csrf = right;
  EXPECT_EQ(get(who, "/session").status, 200u);
}

TEST_F(deposits_session, one_that_was_ended_is_over) {
  open();
  const auto who = log_in();
  const auto x = change(who, "DELETE", "/session");
  EXPECT_EQ(x.status, 204u);
  EXPECT_NE(x.header("set-cookie").find("Max-Age=0"), std::string::npos);
  EXPECT_EQ(get(who, "/api/mine").status, 401u);
}

TEST_F(deposits_session, too_many_are_refused) {
  open({.sessions = {.all_max = 1}});
  log_in();
  EXPECT_EQ(try_login("other", secret).status, 503u);
}
