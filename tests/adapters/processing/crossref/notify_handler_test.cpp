#include "adapters/processing/crossref/notify_handler.hpp"

#include "tests/adapters/doors/crossref/fake_stores.hpp"
#include "tests/adapters/processing/crossref/deposit_builder.hpp"
#include "tests/support/captured_log.hpp"
#include "tests/support/noted_messages.hpp"

#include <gtest/gtest.h>

#include <map>

namespace {

using namespace depositd;
using namespace depositd::crossref;
using depositd::testing::a_deposit;
using depositd::testing::noted_callbacks;
using depositd::testing::noted_mails;

class written_rows final : public work_reader {
public:
  caf::expected<std::vector<batch_row>> batches(const batch_query&) override {
    return std::vector<batch_row>{};
  }

  caf::expected<std::vector<job_row>> jobs(const job_query&) override {
    return std::vector<job_row>{};
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query& x) override {
    if (failure)
      return failure;
    if (x.id != row.id || x.user != row.user)
      return std::vector<submission_row>{};
    return std::vector<submission_row>{row};
  }

  submission_row row;
  caf::error failure;
};

class notify_handler_test : public ::testing::Test {
protected:
  notify_handler_test() {
    tools->blobs = blobs;
    tools->mailer = mails;
    tools->callbacks = callbacks;
    tools->work = rows;
    auto& row = rows->row;
    row.id = 1432;
    row.user = "press";
    row.queue = "metadata";
    row.status = submission_status::completed;
    row.batch_id = "batch-1";
    row.document = "<doi_batch_diagnostic status=\"completed\"/>";
    row.finished_us = 1'709'285'400'000'000; // 2024-03-01 09:30:00
    row.submission.source = "http";
    row.submission.operation = "doMDUpload";
    row.submission.file_name = "a b.xml";
  }

  outcome tell(const std::string& bytes) {
    auto& what = rows->row.submission;
    handle_item item;
    item.queue = "crossref.notify";
    item.item.id = rows->row.id;
    item.item.user = rows->row.user;
    what.blob = *blobs->put(bytes);
    item.item.body = in_blob ? encode_submission_body(what)
                             : encode_submission_body(what, bytes);
    item.control = std::make_shared<const control_state>(control);
    const auto work =
      make_notify_handler({.tools = tools,
                           .public_url = [this] { return public_url; },
                           .retention_s = 86'400,
                           .turns = turns});
    return work({item, stage});
  }

  std::map<std::string, std::string> headers() const {
    std::map<std::string, std::string> out;
    for (const auto& [name, value] : callbacks->asked.at(0).headers)
      out[name] = value;
    return out;
  }

  static std::string deposit_of(const std::string& email) {
    return a_deposit().with_email(email).with_article("10.5555/a").text();
  }

  std::shared_ptr<depositd::testing::fake_blobs> blobs =
    std::make_shared<depositd::testing::fake_blobs>();
  std::shared_ptr<noted_mails> mails = std::make_shared<noted_mails>();
  std::shared_ptr<noted_callbacks> callbacks =
    std::make_shared<noted_callbacks>();
  std::shared_ptr<written_rows> rows = std::make_shared<written_rows>();
  std::shared_ptr<stages::stage_tools> tools =
    std::make_shared<stages::stage_tools>();
  std::shared_ptr<stages::receiver_turns> turns;
  control_state control;
  std::string public_url = "https://deposit.example.org";
  stage_settings stage;
  bool in_blob = true;
};

TEST_F(notify_handler_test, row_42_mails_the_result_to_the_depositor) {
  EXPECT_EQ(tell(deposit_of("ann@example.org")).says, verdict::done);
  ASSERT_EQ(mails->sent.size(), 1u);
  const auto& mail = mails->sent[0];
  EXPECT_EQ(mail.subject, "CrossRef submission ID: 1432");
  EXPECT_EQ(mail.text, rows->row.document);
  EXPECT_EQ(mail.to, std::vector<std::string>{"ann@example.org"});
  EXPECT_TRUE(mail.attachments.empty());
  EXPECT_TRUE(callbacks->asked.empty());
}

TEST_F(notify_handler_test, row_42_repeats_a_mail_under_the_same_id) {
  tell(deposit_of("ann@example.org"));
  in_blob = false;
  tell(deposit_of("ann@example.org"));
  ASSERT_EQ(mails->sent.size(), 2u);
  EXPECT_EQ(mails->sent[0].id, mails->sent[1].id);
  EXPECT_EQ(mails->sent[0].id, "submission-1432");
}

TEST_F(notify_handler_test, row_42_mails_the_account_where_no_address_is_said) {
  control.contacts["press"] = {"press", "desk@press.example", ""};
  for (const auto* bytes : {"no XML at all", "<a/>"})
    EXPECT_EQ(tell(bytes).says, verdict::done);
  tell(deposit_of(""));
  tell(deposit_of("Ann <ann@example.org>"));
  ASSERT_EQ(mails->sent.size(), 4u);
  for (const auto& mail : mails->sent)
    EXPECT_EQ(mail.to, std::vector<std::string>{"desk@press.example"});
}

TEST_F(notify_handler_test, row_42_reads_the_address_of_every_operation) {
  auto& operation = rows->row.submission.operation;
  const std::pair<const char*, std::string> files[] = {
    {"doMDUpload", deposit_of("ann@example.org")},
    {"doMDUpload", deposit_of("ann@example.org") + "\xe9"},
    {"doQueryUpload",
     "<query_batch xmlns=\"http://www.crossref.org/qschema/2.0\" "
     "version=\"2.0\"><head><email_address>ann@example.org</email_address>"
     "<doi_batch_id>q</doi_batch_id></head><body/></query_batch>"},
    {"doQueryUpload", "H: email=ann@example.org\n10.5555/a\n"},
    {"doTransferDOIsUpload",
     "H: email=ann@example.org;fromPrefix=10.1111;toPrefix=10.2222\n"},
    {"doDOICitUpload",
     "<doi_batch xmlns=\"http://www.crossref.org/doi_resources_schema/4.3.6\">"
     "<head><depositor><email_address>ann@example.org</email_address>"
     "</depositor></head><body/></doi_batch>"}};
  for (const auto& [word, bytes] : files) {
    operation = word;
    mails->sent.clear();
    EXPECT_EQ(tell(bytes).says, verdict::done) << word;
    ASSERT_EQ(mails->sent.size(), 1u) << word << ": " << bytes;
    EXPECT_EQ(mails->sent[0].to.at(0), "ann@example.org");
  }
}

TEST_F(notify_handler_test, row_42_tells_the_depositor_of_citations_alone) {
  rows->row.submission.operation = "doDOICitUpload";
  tell("<doi_batch xmlns="
       "\"http://www.crossref.org/doi_resources_schema/4.3.6\"><head>"
       "<email_address>of@head.example</email_address><depositor>"
       "<email_address>ann@example.org</email_address></depositor>"
       "<registrant><email_address>bob@example.org</email_address>"
       "</registrant></head><body/></doi_batch>");
  ASSERT_EQ(mails->sent.size(), 1u);
  EXPECT_EQ(mails->sent[0].to, std::vector<std::string>{"ann@example.org"});
}

TEST_F(notify_handler_test, row_41_calls_the_member_back_instead_of_mail) {
  control.contacts["press"] = {"press", "desk@press.example",
                               "https://press.example/told"};
  EXPECT_EQ(tell(deposit_of("ann@example.org")).says, verdict::done);
  EXPECT_TRUE(mails->sent.empty());
  ASSERT_EQ(callbacks->asked.size(), 1u);
  EXPECT_EQ(callbacks->asked[0].url, "https://press.example/told");
  EXPECT_EQ(callbacks->asked[0].id, "submission-1432");
  EXPECT_EQ(callbacks->asked[0].body, "");
  const std::map<std::string, std::string> wanted{
    {"CROSSREF-NOTIFY-ENDPOINT", "press"},
    {"CROSSREF-EXTERNAL-ID", "batch-1"},
    {"CROSSREF-INTERNAL-ID", "1432"},
    {"CROSSREF-RETRIEVE-URL",
     "https://deposit.example.org/servlet/submissionDownload?type=result&"
     "doi_batch_id=batch-1&submission_id=1432"},
    {"CROSSREF-SERVICE-DATE", "Fri, 01 Mar 2024 09:30:00 GMT"},
    {"CROSSREF-RETRIEVE-URL-EXPIRATION-DATE", "Sat, 02 Mar 2024 09:30:00 GMT"}};
  EXPECT_EQ(headers(), wanted);
}

TEST_F(notify_handler_test, row_41_names_the_file_where_there_is_no_batch_id) {
  control.contacts["press"] = {"press", "", "https://press.example/told"};
  rows->row.batch_id.clear();
  tell("no XML");
  EXPECT_EQ(headers()["CROSSREF-EXTERNAL-ID"], "");
  EXPECT_EQ(headers()["CROSSREF-RETRIEVE-URL"],
            "https://deposit.example.org/servlet/submissionDownload?"
            "type=result&file_name=a%20b.xml&submission_id=1432");
}

TEST_F(notify_handler_test, row_41_waits_for_the_address_of_the_doors) {
  control.contacts["press"] = {"press", "", "https://press.example/told"};
  public_url.clear();
  EXPECT_EQ(tell("no XML").says, verdict::retry);
  EXPECT_TRUE(callbacks->asked.empty());
}

TEST_F(notify_handler_test, says_whether_a_failure_is_worth_another_try) {
  mails->failure = caf::make_error(ec::overloaded, "the relay is down");
  EXPECT_EQ(tell(deposit_of("ann@example.org")).says, verdict::retry);
  mails->failure = caf::make_error(ec::invalid_argument, "no such mailbox");
  const auto refused = tell(deposit_of("ann@example.org"));
  EXPECT_EQ(refused.says, verdict::failed);
  EXPECT_NE(refused.reason.find("no such mailbox"), std::string::npos);
  control.contacts["press"] = {"press", "", "https://press.example/told"};
  callbacks->failure = caf::make_error(ec::overloaded, "silence");
  EXPECT_EQ(tell(deposit_of("ann@example.org")).says, verdict::retry);
}

TEST_F(notify_handler_test, leaves_those_to_wait_who_answer_late) {
  using namespace std::chrono_literals;
  std::chrono::steady_clock::time_point now{1h};
  turns = std::make_shared<stages::receiver_turns>(
    stages::receiver_turns_options{
      .slow_most = 0, .wait = 0ms, .now = [&now] { return now; }});
  control.contacts["press"].callback = "https://slow.example.org/told";
  callbacks->meanwhile = [&now] { now += 1min; };
  EXPECT_EQ(tell(deposit_of("")).says, verdict::done);
  EXPECT_EQ(tell(deposit_of("")).says, verdict::not_yet);
  control.contacts["press"].callback = "https://example.org/told";
  EXPECT_EQ(tell(deposit_of("")).says, verdict::done);
  EXPECT_EQ(callbacks->asked.size(), 2u);
}

TEST_F(notify_handler_test, waits_until_callbacks_are_wanted_again) {
  control.contacts["press"].callback = "https://example.org/told";
  callbacks->rest = std::chrono::minutes{2};
  const auto out = tell(deposit_of(""));
  EXPECT_EQ(out.says, verdict::not_yet);
  EXPECT_EQ(out.delay_ms, 120'000u);
  EXPECT_TRUE(callbacks->asked.empty());
  callbacks->rest = {};
  EXPECT_EQ(tell(deposit_of("")).says, verdict::done);
}

TEST_F(notify_handler_test, pays_no_attempt_while_the_bytes_are_away) {
  const auto bytes = deposit_of("ann@example.org");
  tell(bytes);
  mails->sent.clear();
  handle_item item;
  item.item.id = rows->row.id;
  item.item.user = rows->row.user;
  item.item.body = encode_submission_body(rows->row.submission);
  item.control = std::make_shared<const control_state>(control);
  blobs->fails_with = static_cast<int>(ec::store_failed);
  const auto work = make_notify_handler({.tools = tools});
  const auto out = work({item, stage});
  EXPECT_EQ(out.says, verdict::not_yet);
  EXPECT_EQ(out.delay_ms, 10'000u);
  // One that has lost them may have them again, but not for ever.
  blobs->fails_with = static_cast<int>(ec::not_found);
  EXPECT_EQ(work({item, stage}).says, verdict::retry);
  EXPECT_TRUE(mails->sent.empty());
}

TEST_F(notify_handler_test, pays_no_attempt_while_the_row_is_away) {
  control.contacts["press"].callback = "https://example.org/told";
  rows->failure = caf::make_error(ec::store_failed, "the tables are away");
  EXPECT_EQ(tell(deposit_of("")).says, verdict::not_yet);
  control.contacts.clear();
  EXPECT_EQ(tell(deposit_of("ann@example.org")).says, verdict::not_yet);
  EXPECT_TRUE(mails->sent.empty());
  EXPECT_TRUE(callbacks->asked.empty());
}

TEST_F(notify_handler_test, says_in_the_log_that_there_is_no_mail_any_more) {
  tools->mailer = nullptr;
  const depositd::testing::captured_log log;
  const auto work = make_notify_handler({.tools = tools});
  handle_item item;
  item.item.id = rows->row.id;
  item.item.user = rows->row.user;
  item.control = std::make_shared<const control_state>(control);
  for (const auto* address : {"", "ann@example.org", "bob@example.org"}) {
    item.item.body = encode_submission_body(rows->row.submission,
                                            deposit_of(address));
    EXPECT_EQ(work({item, stage}).says, verdict::skip);
  }
  EXPECT_EQ(log.count("notifications_not_mailed"), 1u) << log.text();
}

TEST_F(notify_handler_test, is_done_at_once_where_nobody_is_to_be_told) {
  EXPECT_EQ(tell(deposit_of("")).says, verdict::skip);
  for (const auto* source : {"kafka", "v2", "native"}) {
    rows->row.submission.source = source;
    EXPECT_EQ(tell(deposit_of("ann@example.org")).says, verdict::skip);
  }
  rows->row.submission.source = "http";
  tools->mailer = nullptr;
  EXPECT_EQ(tell(deposit_of("ann@example.org")).says, verdict::skip);
  EXPECT_TRUE(mails->sent.empty());
  EXPECT_TRUE(callbacks->asked.empty());
}

} // namespace
