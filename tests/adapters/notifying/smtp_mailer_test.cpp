// Against a real SMTP server on this machine.

#include "adapters/notifying/mail_headers.hpp"
#include "adapters/notifying/smtp_mailer.hpp"
#include "messages/values/base64.hpp"
#include "tests/adapters/notifying/smtp_server.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/loopback_listener.hpp"
#include "tests/support/scripted_server.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string_view>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

namespace depositd {

namespace {

mail a_mail() {
  return {.id = "report-bid-1-2",
          .to = {"ann@example.org"},
          .subject = "Ingest: OK -- Submission Processed: bid-1;",
          .text = "line one\nline two: =\n.\nlast",
          .attachments = {}};
}

class smtp_mails : public ::testing::Test {
protected:
  void SetUp() override {
    if (!testing::smtp_server::installed())
      GTEST_SKIP() << "AIOSMTPD IS NOT INSTALLED";
    server = std::make_unique<testing::smtp_server>();
    options.relay = {"127.0.0.1", server->port()};
  }

  caf::error send(const mail& x) {
    auto by = make_smtp_mailer(options);
    EXPECT_TRUE(by) << render(by.error());
    return (*by)->send(x);
  }

  /// What arrives of a mail that is taken.
  nlohmann::json arrived(const mail& x) {
    const auto failed = send(x);
    if (failed) {
      ADD_FAILURE() << render(failed);
      return {};
    }
    return server->next();
  }

  std::string content(const mail& x) {
    return arrived(x).value("content", std::string{});
  }

  std::unique_ptr<testing::smtp_server> server;
  smtp_options options{.relay = {},
                       .from = "depositd@archive.example",
                       .now = [] { return micros{1'700'000'000'000'000}; }};
};

/// Greets one client, and answers whatever it says, but for the first, alike.
class curt_relay {
public:
  curt_relay(std::string greeting, std::string answer)
    : greeting_(std::move(greeting)), answer_(std::move(answer)) {
    // nop
  }

  ~curt_relay() {
    thread_.join();
  }

  smtp_options options() const {
    return {.relay = {"127.0.0.1", door_.port()}, .from = "a@b.c"};
  }

private:
  void serve() const {
    const int peer = door_.accept();
    say(peer, greeting_);
    std::array<char, 1'000> heard{};
    for (bool first = true;
         ::recv(peer, heard.data(), heard.size(), 0) > 0; first = false)
      say(peer, first ? "250 here" : answer_);
    ::close(peer);
  }

  static void say(int peer, const std::string& line) {
    const auto text = line + "\r\n";
    ::send(peer, text.data(), text.size(), MSG_NOSIGNAL);
  }

  const std::string greeting_;
  const std::string answer_;
  const testing::loopback_listener door_;
  std::thread thread_{[this] { serve(); }};
};

} // namespace

#define EXPECT_HAS(text, part)                                                 \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(smtp_mails, arrive_with_their_head) {
  auto x = a_mail();
  x.to.push_back("bob@example.org");
  const auto got = arrived(x);
  EXPECT_EQ(got["from"], "depositd@archive.example");
  EXPECT_EQ(got["to"],
            (std::vector<std::string>{"ann@example.org", "bob@example.org"}));
  const std::string text = got["content"];
  EXPECT_HAS(text, "From: depositd@archive.example\r\n");
  EXPECT_HAS(text, "To: ann@example.org,\r\n bob@example.org\r\n");
  EXPECT_HAS(text, "Subject: Ingest: OK -- Submission Processed: bid-1;\r\n");
  EXPECT_HAS(text, "Date: Tue, 14 Nov 2023 22:13:20 +0000\r\n");
  EXPECT_HAS(text, "Message-ID: <report-bid-1-2@archive.example>\r\n");
  EXPECT_HAS(text, "line one\r\nline two: =\r\n.\r\nlast");
}

TEST_F(smtp_mails, R20_have_the_same_id_when_they_come_again) {
  const auto first = content(a_mail());
  const auto again = content(a_mail());
  for (const auto& text : {first, again})
    EXPECT_HAS(text, "Message-ID: <report-bid-1-2@archive.example>\r\n");
}

TEST_F(smtp_mails, reach_those_who_are_not_named_in_their_head) {
  auto x = a_mail();
  x.bcc = {"root@example.org"};
  const auto got = arrived(x);
  EXPECT_EQ(got["to"],
            (std::vector<std::string>{"ann@example.org", "root@example.org"}));
  const std::string text = got["content"];
  EXPECT_EQ(text.find("root@"), std::string::npos) << text;
  x.bcc = {"not an address"};
  EXPECT_EQ(send(x), ec::invalid_argument);
}

class private_smtp_mails : public smtp_mails {
protected:
  void serve(const std::string& how = "") {
    files.renew("localhost");
    std::vector<std::string> arguments{files.of("localhost").certificate,
                                       files.of("localhost").key};
    if (!how.empty())
      arguments.push_back(how);
    server = std::make_unique<testing::smtp_server>(arguments);
    options.relay = {"localhost", server->port()};
    options.ca_file = files.of("localhost").ca;
    options.user = "ann";
    options.password = "secret";
    options.connect_limit = options.time_limit = std::chrono::minutes{5};
  }

  testing::certificates files;
};

TEST_F(private_smtp_mails, log_in_after_starttls) {
  serve();
  options.privacy = mail_privacy::starttls;
  EXPECT_EQ(arrived(a_mail())["from"], "depositd@archive.example");
  EXPECT_FALSE(look_for_relay(options)) << render(look_for_relay(options));
  options.password = "wrong";
  EXPECT_EQ(send(a_mail()), ec::overloaded) << "it is not the mail's fault";
  EXPECT_EQ(look_for_relay(options), ec::overloaded);
}

TEST_F(private_smtp_mails, log_in_over_tls) {
  serve("tls");
  options.privacy = mail_privacy::tls;
  EXPECT_EQ(arrived(a_mail())["from"], "depositd@archive.example");
}

TEST_F(private_smtp_mails, are_not_sent_to_a_relay_that_nobody_vouches_for) {
  serve();
  options.privacy = mail_privacy::starttls;
  options.ca_file = files.of("localhost", "other_ca").ca;
  EXPECT_EQ(send(a_mail()), ec::overloaded);
}

TEST_F(private_smtp_mails, are_not_sent_in_clear_where_tls_was_asked_for) {
  options.privacy = mail_privacy::starttls; // which this one does not know
  EXPECT_EQ(send(a_mail()), ec::overloaded);
}

TEST(smtp_mailer, sends_no_password_that_others_can_read) {
  EXPECT_EQ(make_smtp_mailer({.relay = {"127.0.0.1", 25},
                              .from = "a@b",
                              .user = "ann",
                              .password = "secret"})
              .error(),
            ec::bad_setting);
}

TEST_F(smtp_mails, carry_attachments) {
  auto x = a_mail();
  const std::string bytes = "{\"title\":\"Über\"}\n";
  x.attachments = {{"completed.json", "application/json", bytes},
                   {"jobs.csv", "text/csv", "a,b\r\n"}};
  const auto text = content(x);
  EXPECT_HAS(text, "Content-Type: multipart/mixed; boundary=");
  EXPECT_HAS(text, "filename=\"completed.json\"");
  EXPECT_HAS(text, "Content-Type: application/json");
  EXPECT_HAS(text, encode_base64(bytes));
  EXPECT_HAS(text, "Content-Type: text/csv");
}

TEST_F(smtp_mails, are_one_part_where_that_will_do) {
  auto x = a_mail();
  x.text = "<a>\n.\n.b</a>\n";
  auto text = content(x);
  EXPECT_HAS(text, "Content-Type: text/plain; charset=utf-8\r\n");
  EXPECT_HAS(text, "\r\n\r\n<a>\r\n.\r\n.b</a>\r\n");
  EXPECT_EQ(text.find("multipart"), text.npos) << text;
  x.text = "a\n" + std::string(998, 'x');
  EXPECT_HAS(content(x), "7bit");
  // What no relay must take as a line, and what is not plain, is encoded.
  for (const auto& other : {std::string(999, 'x'), std::string{"a\x01"}}) {
    x.text = other;
    EXPECT_HAS(content(x), "quoted-printable");
  }
}

TEST_F(smtp_mails, keep_words_of_all_languages) {
  auto x = a_mail();
  x.subject = "Ingest: OK -- " + std::string(30, 'x') + " Über größere Äpfel";
  x.text = "Grüße";
  const auto text = content(x);
  EXPECT_HAS(text, "Subject: =?UTF-8?B?");
  EXPECT_HAS(text, "Gr=C3=BC=C3=9Fe");
}

TEST_F(smtp_mails, go_to_many) {
  auto x = a_mail();
  x.to.clear();
  for (int i = 0; i < 100; ++i)
    x.to.push_back("reader-number-" + std::to_string(i) + "@example.org");
  EXPECT_EQ(arrived(x)["to"], x.to);
}

TEST_F(smtp_mails, never_have_a_line_from_outside_in_their_head) {
  auto x = a_mail();
  x.subject = "a\r\nBcc: eve@example.org";
  EXPECT_EQ(send(x), ec::invalid_argument);
  x = a_mail();
  x.id = "a>\r\nBcc: eve@example.org";
  EXPECT_EQ(send(x), ec::invalid_argument);
  for (const auto* to :
       {"ann@example.org\r\nRCPT TO:<eve@example.org>", "a b@c", "ann", "@c",
        "a@", "<a@b>", "a@b@c", "a@b,c@d", ""}) {
    x = a_mail();
    x.to = {to};
    EXPECT_EQ(send(x), ec::invalid_argument) << to;
  }
  x = a_mail();
  x.attachments = {{"a\"\r\nX: y", "text/csv", ""}};
  EXPECT_EQ(send(x), ec::invalid_argument);
  x.attachments = {{"a", "text/csv\r\nX: y", ""}};
  EXPECT_EQ(send(x), ec::invalid_argument);
  // Nothing of these has arrived: the next is the first.
  EXPECT_HAS(content(a_mail()), "report-bid-1-2");
}

TEST_F(smtp_mails, have_bounds) {
  auto x = a_mail();
  x.to.clear();
  EXPECT_EQ(send(x), ec::invalid_argument);
  x.to.assign(101, "a@b");
  EXPECT_EQ(send(x), ec::invalid_argument);
  const std::string longest = std::string(318, 'a') + "@b";
  EXPECT_EQ(address_fault(longest), "");
  EXPECT_EQ(address_fault("a" + longest), "is empty or too long");
  x = a_mail();
  x.text.assign(mail_bytes_max + 1, 'x');
  EXPECT_EQ(send(x), ec::invalid_argument);
}

TEST_F(smtp_mails, tell_what_never_from_what_not_now) {
  auto x = a_mail();
  x.to = {"never@example.org"};
  EXPECT_EQ(send(x), ec::invalid_argument);
  x.to = {"later@example.org"};
  EXPECT_EQ(send(x), ec::overloaded);
  x.to = {"never@example.org", "ann@example.org"};
  EXPECT_EQ(arrived(x)["to"], std::vector<std::string>{"ann@example.org"});
  // Whoever is to come again gets it, whatever is said of others.
  x.to = {"later@example.org"};
  x.bcc = {"never@example.org"};
  EXPECT_EQ(send(x), ec::overloaded);
  std::swap(x.to, x.bcc);
  EXPECT_EQ(send(x), ec::overloaded);
}

TEST_F(smtp_mails, come_again_only_to_whom_they_were_put_off_for) {
  auto by = make_smtp_mailer(options);
  ASSERT_TRUE(by);
  auto x = a_mail();
  x.to = {"soon@example.org", "never@example.org", "ann@example.org"};
  x.bcc = {"soon-bob@example.org"};
  const auto put_off = (*by)->send(x);
  EXPECT_EQ(put_off, ec::overloaded);
  EXPECT_HAS(render(put_off), "soon@example.org and 1 more");
  EXPECT_EQ(server->next()["to"], std::vector<std::string>{"ann@example.org"});
  EXPECT_FALSE((*by)->send(x));
  EXPECT_EQ(
    server->next()["to"],
    (std::vector<std::string>{"soon@example.org", "soon-bob@example.org"}));
  x.to = {"ann@example.org", "soon-never@example.org"};
  EXPECT_EQ((*by)->send(x), ec::overloaded);
  EXPECT_EQ(
    server->next()["to"],
    (std::vector<std::string>{"ann@example.org", "soon-bob@example.org"}));
  EXPECT_FALSE((*by)->send(x)) << "the others have it";
}

TEST_F(smtp_mails, are_not_taken_though_the_relay_is_there) {
  auto x = a_mail();
  x.to = {"later@example.org"};
  EXPECT_EQ(send(x), ec::overloaded);
  EXPECT_FALSE(look_for_relay(options)) << render(look_for_relay(options));
}

TEST_F(smtp_mails, end_in_time_when_the_relay_says_nothing) {
  options.from = "mute@archive.example";
  options.time_limit = std::chrono::milliseconds{300};
  EXPECT_EQ(send(a_mail()), ec::overloaded);
}

TEST(smtp_mailer, says_that_the_relay_is_not_there) {
  std::uint16_t port = 0;
  {
    const testing::scripted_server gone{[](const auto&) { return ""; }};
    port = gone.port();
  }
  const smtp_options options{.relay = {"127.0.0.1", port}, .from = "a@b.c"};
  auto by = make_smtp_mailer(options);
  ASSERT_TRUE(by);
  EXPECT_EQ((*by)->send(a_mail()), ec::overloaded);
  EXPECT_EQ(look_for_relay(options), ec::overloaded);
}

TEST(smtp_mailer, is_let_in_by_who_does_not_know_the_question) {
  for (const auto* answer : {"500 what", "502 not here", "504 no"}) {
    const curt_relay relay{"220 here", answer};
    const auto failed = look_for_relay(relay.options());
    EXPECT_FALSE(failed) << answer << ": " << render(failed);
  }
  for (const auto& [greeting, answer] :
       {std::pair{"421 too many", "250 fine"}, {"554 not for you", "250 fine"},
        {"220 here", "421 I end"}, {"220 here", "530 log in first"}}) {
    const curt_relay relay{greeting, answer};
    EXPECT_EQ(look_for_relay(relay.options()), ec::overloaded)
      << greeting << ", " << answer;
  }
}

TEST(smtp_mailer, needs_a_sender) {
  for (const auto* from : {"", "depositd", "a@b\r\nX: y"})
    EXPECT_EQ(make_smtp_mailer({.relay = {"h", 25}, .from = from}).error(),
              ec::bad_setting);
}

} // namespace depositd
