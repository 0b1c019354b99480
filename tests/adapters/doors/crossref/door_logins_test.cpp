// Who may enter, and what is kept of it. Row numbers are those of the table of
// bad inputs.

#include "adapters/doors/kit/login_throttle.hpp"
#include "tests/adapters/doors/crossref/door_world.hpp"
#include "tests/adapters/processing/crossref/deposit_builder.hpp"
#include "tests/support/captured_log.hpp"

#include <chrono>

using namespace depositd;
using namespace depositd::testing;

namespace {

class crossref_logins : public door_world {
protected:
  const std::string xml = a_deposit().with_article("10.5555/a").text();

  static std::string poll_text(const std::string& user,
                               const std::string& password) {
    return "GET /servlet/submissionDownload?type=result&file_name=f&usr=" + user
           + "&pwd=" + password + " HTTP/1.1\r\nHost: a\r\n\r\n";
  }

  unsigned poll_status(const std::string& user, const std::string& password,
                       std::uint32_t from = INADDR_LOOPBACK) {
    return ask(poll_text(user, password), from).status;
  }

  /// Wrong passwords of a user, and what the last was told.
  unsigned guess(const std::string& user, unsigned count,
                 std::uint32_t from = INADDR_LOOPBACK) {
    raw_client client{server->port(), 20, from};
    unsigned out = 0;
    for (unsigned i = 0; i < count; ++i) {
      const auto x =
        client.exchange(poll_text(user, "guess" + std::to_string(i)));
      out = x ? x->status : 0;
    }
    return out;
  }

  static constexpr std::uint32_t elsewhere = INADDR_LOOPBACK + 1;
};

std::string percent(const std::string& text) {
  std::string out;
  for (const char c : text) {
    char hex[4];
    std::snprintf(hex, sizeof hex, "%%%02X", static_cast<unsigned char>(c));
    out += hex;
  }
  return out;
}

std::chrono::microseconds time_of(const std::function<void()>& work) {
  const auto begun = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration_cast<std::chrono::microseconds>(
    std::chrono::steady_clock::now() - begun);
}

} // namespace

TEST_F(crossref_logins, passwords_survive_the_query_and_both_forms) {
  const std::string odd = "a&b+c%d =e%41;f?g#h/\xc3\xa9\"'<";
  add_account("odd", hash_of(odd));
  start();
  const auto login = "login_id=odd&login_passwd=" + percent(odd);
  EXPECT_EQ(post_form("/servlet/deposit?" + login,
                      form_text{}.file("fname", "1", xml).closed())
              .status,
            200u);
  EXPECT_EQ(post_form("/servlet/deposit", form_text{}
                                            .field("login_id", "odd")
                                            .field("login_passwd", odd)
                                            .file("fname", "2", xml)
                                            .closed())
              .status,
            200u);
  EXPECT_EQ(post_urlencoded("/servlet/submissionDownload",
                            login + "&type=result&file_name=1")
              .status,
            200u);
}

TEST_F(crossref_logins, a_blank_in_a_password_may_be_a_plus) {
  add_account("blank", hash_of("a b"));
  start();
  EXPECT_EQ(poll_status("blank", "a+b"), 200u);
  EXPECT_EQ(poll_status("blank", "a%20b"), 200u);
  EXPECT_EQ(poll_status("blank", "a%2Bb"), 401u);
}

TEST_F(crossref_logins, row_02_unknown_users_take_as_long_as_wrong_passwords) {
  start();
  poll_status("nobody", "warm");
  // The best of some, since the machine may be busy.
  auto known = std::chrono::microseconds::max();
  auto unknown = known;
  for (int i = 0; i < 5; ++i) {
    const auto wrong = "wrong" + std::to_string(i);
    known = std::min(known, time_of([&] {
                       EXPECT_EQ(poll_status("psychoceramics", wrong), 401u);
                     }));
    unknown = std::min(
      unknown, time_of([&] { EXPECT_EQ(poll_status("nobody", wrong), 401u); }));
  }
  EXPECT_LT(unknown, known * 3);
  EXPECT_LT(known, unknown * 3);
}

TEST_F(crossref_logins, row_03_guessing_is_stopped_and_others_do_not_notice) {
  start();
  EXPECT_EQ(poll_status("psychoceramics", secret), 200u);
  raw_client client{server->port()};
  unsigned refused = 0;
  unsigned stopped = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto x = client.exchange(
      "GET /servlet/submissionDownload?type=result&file_name=f&usr=victim"
      "&pwd=guess"
      + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(x);
    refused += x->status == 401;
    stopped += x->status == 429;
    if (x->status == 429) {
      ASSERT_EQ(x->header("retry-after"), "60");
    }
  }
  EXPECT_EQ(refused, kit::login_throttle::failures_max);
  EXPECT_EQ(refused + stopped, 10'000u);
  EXPECT_EQ(poll_status("psychoceramics", secret), 200u);
  EXPECT_EQ(poll_status("other", secret), 200u);
}

TEST_F(crossref_logins, row_03_past_the_limit_a_right_guess_is_one_of_many) {
  start();
  EXPECT_EQ(poll_status("psychoceramics", secret, elsewhere), 200u);
  EXPECT_EQ(guess("psychoceramics", kit::login_throttle::failures_max + 1),
            429u);
  EXPECT_EQ(poll_status("psychoceramics", secret), 429u);
  EXPECT_EQ(poll_status("psychoceramics", secret, elsewhere), 200u);
}

TEST_F(crossref_logins, row_03_where_a_user_is_known_his_login_still_passes) {
  start();
  EXPECT_EQ(poll_status("psychoceramics", secret), 200u);
  EXPECT_EQ(guess("psychoceramics", kit::login_throttle::failures_max + 1),
            429u);
  EXPECT_EQ(poll_status("psychoceramics", secret), 200u);
}

TEST_F(crossref_logins, row_03_a_thousand_guesses_get_nobody_in) {
  start();
  EXPECT_EQ(poll_status("psychoceramics", secret), 200u);
  EXPECT_EQ(guess("psychoceramics", 1'000), 429u);
  EXPECT_EQ(poll_status("psychoceramics", secret), 429u);
  EXPECT_EQ(poll_status("psychoceramics", secret, elsewhere), 200u);
}

TEST_F(crossref_logins,
       row_07_what_is_no_user_name_is_refused_like_a_stranger) {
  start();
  unsigned refused = 0;
  unsigned stopped = 0;
  for (int i = 0; i < 30; ++i) {
    const auto status =
      poll_status(std::string(500, 'x') + std::to_string(i), "a");
    refused += status == 401;
    stopped += status == 429;
  }
  EXPECT_EQ(refused, kit::login_throttle::failures_max);
  EXPECT_EQ(stopped, 30 - kit::login_throttle::failures_max);
  EXPECT_EQ(poll_status("a%00b", "a"), 429u);
  EXPECT_EQ(poll_status("nobody", "a"), 401u);
}

TEST_F(crossref_logins, row_13_a_long_login_is_400) {
  start();
  const std::string before(login_bytes_max - 15, 'x');
  EXPECT_EQ(poll_status(before + "/psychoceramics", secret), 200u);
  EXPECT_EQ(poll_status("x" + before + "/psychoceramics", secret), 400u);
  const auto target =
    "/servlet/deposit?usr=x" + before + "/psychoceramics&pwd=" + secret;
  EXPECT_EQ(
    post_form(target, form_text{}.file("fname", "1", xml).closed()).status,
    400u);
  EXPECT_EQ(count(), 0u);
}

TEST_F(crossref_logins,
       made_up_users_of_one_address_do_not_queue_before_others) {
  start();
  std::vector<std::unique_ptr<raw_client>> clients;
  for (int i = 0; i < 40; ++i) {
    clients.push_back(std::make_unique<raw_client>(server->port()));
    clients.back()->send(poll_text("nobody" + std::to_string(i), "x"));
  }
  EXPECT_EQ(poll_status("psychoceramics", secret, elsewhere), 200u);
  unsigned waiting = 0;
  for (auto& x : clients)
    waiting += !x->readable_within(0);
  EXPECT_GE(waiting, 20u);
  for (auto& x : clients)
    EXPECT_EQ(x->receive()->status, 401u);
}

TEST_F(crossref_logins, a_right_login_is_paid_for_once) {
  start();
  EXPECT_EQ(poll_status("psychoceramics", secret), 200u);
  const auto first = time_of([&] { poll_status("nobody", "x"); });
  // The best of some, since the machine may be busy.
  auto many = std::chrono::microseconds::max();
  for (int attempt = 0; attempt < 5; ++attempt)
    many = std::min(many, time_of([&] {
                      for (int i = 0; i < 20; ++i)
                        EXPECT_EQ(poll_status("psychoceramics", secret), 200u);
                    }));
  EXPECT_LT(many, first * 20);
}

TEST_F(crossref_logins, many_at_once_with_one_login_are_all_let_in) {
  start();
  std::vector<std::unique_ptr<raw_client>> clients;
  for (int i = 0; i < 60; ++i) {
    clients.push_back(std::make_unique<raw_client>(server->port()));
    clients.back()->send("GET /servlet/submissionDownload?type=result&file_name"
                         "=f&usr=other&pwd="
                         + secret + " HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  for (auto& x : clients)
    EXPECT_EQ(x->receive()->status, 200u);
}

TEST_F(crossref_logins, a_changed_password_counts_at_once) {
  start();
  EXPECT_EQ(poll_status("psychoceramics", secret), 200u);
  auto changed = engine->control;
  changed.accounts["psychoceramics"].password_hash = hash_of("new");
  changed.accounts.erase("other");
  caf::anon_send(
    door, control_changed{std::make_shared<const control_state>(changed)});
  EXPECT_EQ(poll_status("psychoceramics", "new"), 200u);
  EXPECT_EQ(poll_status("psychoceramics", secret), 401u);
  EXPECT_EQ(poll_status("other", secret), 401u);
}

TEST_F(crossref_logins, nothing_of_a_login_is_logged) {
  const captured_log said;
  spdlog::default_logger()->set_level(spdlog::level::trace);
  start();
  EXPECT_EQ(poll_status("psychoceramics", "gu3ss"), 401u);
  EXPECT_EQ(poll_status("psychoceramics", secret), 200u);
  EXPECT_EQ(deposit("f.xml", xml).status, 200u);
  EXPECT_NE(said.count("login_refused user=\"psychoceramics\" peer=127"), 0u);
  EXPECT_EQ(said.count("gu3ss"), 0u);
  EXPECT_EQ(said.count(secret), 0u);
  EXPECT_EQ(said.count("file_name=f"), 0u);
}
