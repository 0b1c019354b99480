// The reports of batches. Names of tests begin with the rows of the case table
// that they stand for.

#include "messages/values/utf8.hpp"
#include "tests/adapters/processing/merritt/keeping_world.hpp"
#include "tests/support/captured_log.hpp"

#include <chrono>

namespace depositd::merritt {

using namespace std::chrono_literals;

namespace {

class merritt_reports : public keeping_world {
protected:
  merritt_reports() {
    collection.notify = {"maps@example.org", "boss@example.org"};
    batch.uuid = "bid-1";
    batch.user = "bob";
    batch.collection = "maps";
    batch.submitted = "2026-01-01T00:00:00Z";
    work->batch.id = id;
    work->batch.user = "bob";
    work->batch.info.uuid = "bid-1";
    work->batch.info.submitter = "Bob B.";
    work->batch.status.state = batch_state::reporting;
    work->batch.jobs.split = true;
    work->batch.reports = 1;
  }

  void add(job_state state, const std::string& note = "",
           std::uint32_t retries = 0) {
    job_row row;
    row.id = 100 + work->rows.size();
    row.batch = id;
    row.user = "bob";
    row.info.uuid = "jid-" + std::to_string(work->rows.size() + 1);
    row.info.collection = "maps";
    row.info.file_name = row.info.uuid + ".zip";
    row.facts.identifier = "ark:/1/" + row.info.uuid;
    row.facts.local_ids = "x;y";
    row.facts.title = "=cmd()";
    row.status.state = state;
    row.status.note = note;
    row.status.retry_count = retries;
    work->rows.push_back(row);
  }

  /// Until the stage has ended: `not_yet` comes again at once.
  outcome report(int runs_max = 20) {
    auto body = encode(batch);
    outcome out;
    do {
      out = run_body("merritt.report", body);
    } while (out.says == verdict::not_yet && out.delay_ms == 1
             && --runs_max > 0);
    const auto after = decode_batch_document(body);
    EXPECT_TRUE(after);
    if (after)
      batch = *after;
    return out;
  }

  /// Of the update that an operator asks for.
  outcome report_again() {
    ++work->batch.reports;
    work->batch.status.state = batch_state::update_reporting;
    return report();
  }

  /// The only mail since the last call.
  mail sent() {
    if (mails->sent.size() != 1) {
      ADD_FAILURE() << mails->sent.size() << " mails";
      return {};
    }
    auto out = mails->sent[0];
    mails->sent.clear();
    return out;
  }

  /// The uuids in an attachment; "-" if it is not there.
  static std::string listed(const mail& x, const std::string& name) {
    for (const auto& file : x.attachments)
      if (file.file_name == name) {
        std::string out;
        for (const auto& job : nlohmann::json::parse(file.content))
          out += job.at("uuid").get<std::string>() + " ";
        return out;
      }
    return "-";
  }

  batch_document batch;
};

} // namespace

#define EXPECT_HAS(text, part)                                                 \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(merritt_reports, R08_name_title_and_file_if_there_are_any) {
  add(job_state::completed);
  batch.what.title = "A Map";
  work->batch.info.file_name = "maps.zip";
  ASSERT_EQ(report().says, verdict::done);
  const auto x = sent();
  EXPECT_HAS(x.text, "\nTitle: A Map\n");
  EXPECT_HAS(x.text, "\nFile: maps.zip\n");
}

TEST_F(merritt_reports, R08_are_one_mail_for_the_whole_batch) {
  for (int i = 0; i < 3; ++i)
    add(job_state::completed);
  const auto out = report();
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  const auto x = sent();
  EXPECT_EQ(x.subject, "Ingest: OK -- Submission Processed: bid-1;");
  EXPECT_EQ(x.id, "report-bid-1-1");
  EXPECT_EQ(x.to, collection.notify);
  EXPECT_HAS(x.text, "Submission ID: bid-1\n");
  EXPECT_EQ(x.text.find("Title:"), std::string::npos);
  EXPECT_EQ(x.text.find("File:"), std::string::npos);
  EXPECT_HAS(x.text, "Job(s): 0 pending, 3 completed, 0 failed\n");
  EXPECT_HAS(x.text, "User agent: Bob B.\n");
  EXPECT_HAS(x.text, "Submission date: 2026-01-01T00:00:00Z\n");
  EXPECT_HAS(x.text, "Completion date: 20");
  EXPECT_HAS(x.text, "Status: Completed\n");
  EXPECT_HAS(x.text, "Report ID: report-bid-1-1\n");
  EXPECT_EQ(listed(x, "completed.json"), "jid-1 jid-2 jid-3 ");
  EXPECT_EQ(listed(x, "failed.json"), "-");
}

TEST_F(merritt_reports, R09_list_both_kinds) {
  add(job_state::completed);
  add(job_state::failed, "the file is not there");
  add(job_state::completed);
  ASSERT_EQ(report().says, verdict::done);
  const auto x = sent();
  EXPECT_EQ(x.subject, "Ingest: FAIL -- Submission Processed: bid-1;");
  EXPECT_HAS(x.text, "Job(s): 0 pending, 2 completed, 1 failed\n");
  EXPECT_HAS(x.text, "Status: Failed\n");
  EXPECT_HAS(x.text, "Status Message: the file is not there\n");
  EXPECT_EQ(listed(x, "completed.json"), "jid-1 jid-3 ");
  EXPECT_EQ(listed(x, "failed.json"), "jid-2 ");
}

TEST_F(merritt_reports, have_a_table_without_formulas) {
  add(job_state::completed);
  add(job_state::failed, "@SUM(A1)");
  ASSERT_EQ(report().says, verdict::done);
  const auto x = sent();
  ASSERT_EQ(x.attachments.size(), 3u);
  EXPECT_EQ(x.attachments[2].file_name, "jobs.csv");
  EXPECT_EQ(x.attachments[2].type, "text/csv");
  EXPECT_EQ(x.attachments[2].content,
            "job,file_name,state,identifier,local_id,title,creator,date,"
            "message\r\n"
            "jid-1,jid-1.zip,completed,ark:/1/jid-1,\"x;y\",\"'=cmd()\",,,\r\n"
            "jid-2,jid-2.zip,failed,ark:/1/jid-2,\"x;y\",\"'=cmd()\",,,"
            "\"'@SUM(A1)\"\r\n");
}

TEST_F(merritt_reports, never_begin_a_line_from_outside) {
  add(job_state::failed, "bad\nStatus: Completed");
  work->batch.info.submitter = "x\r\nStatus: Completed";
  ASSERT_EQ(report().says, verdict::done);
  EXPECT_EQ(sent().text.find("\nStatus: Completed"), std::string::npos);
}

TEST_F(merritt_reports, never_cut_a_character) {
  add(job_state::completed);
  auto& name = work->batch.info.submitter;
  while (name.size() < 3'000)
    name += "\u20ac";
  ASSERT_EQ(report().says, verdict::done);
  EXPECT_EQ(find_invalid_utf8(sent().text), std::string::npos);
}

TEST_F(merritt_reports, R10_tell_what_has_changed_since) {
  add(job_state::completed);
  add(job_state::failed, "away");
  add(job_state::failed, "bad");
  ASSERT_EQ(report().says, verdict::done);
  sent();
  work->rows[1].status.state = job_state::completed;
  work->rows[1].status.note.clear();
  work->rows[1].status.retry_count = 1;
  ASSERT_EQ(report_again().says, verdict::done);
  auto x = sent();
  EXPECT_EQ(x.id, "report-bid-1-2");
  EXPECT_EQ(x.subject, "Ingest: FAIL -- Submission Processed: bid-1;");
  EXPECT_HAS(x.text, "Since the last report: 1 completed, 0 failed\n");
  EXPECT_HAS(x.text, "Job(s): 0 pending, 2 completed, 1 failed\n");
  EXPECT_EQ(listed(x, "completed.json"), "jid-2 ");
  EXPECT_EQ(listed(x, "failed.json"), "-");
  work->rows[2].status.state = job_state::completed;
  ASSERT_EQ(report_again().says, verdict::done);
  x = sent();
  EXPECT_EQ(x.subject, "Ingest: OK -- Submission Processed: bid-1;");
  EXPECT_EQ(listed(x, "completed.json"), "jid-3 ");
}

TEST_F(merritt_reports, R11_are_silent_if_nothing_has_changed) {
  add(job_state::completed);
  add(job_state::failed, "away");
  ASSERT_EQ(report().says, verdict::done);
  sent();
  work->rows[1].status.retry_count = 1;
  work->rows[1].status.note = "still away";
  ASSERT_EQ(report_again().says, verdict::done);
  EXPECT_TRUE(mails->sent.empty());
  ASSERT_EQ(report_again().says, verdict::done);
  EXPECT_TRUE(mails->sent.empty());
}

TEST_F(merritt_reports, tell_what_is_still_open_and_then_how_it_ended) {
  add(job_state::failed, "away");
  add(job_state::failed, "away");
  ASSERT_EQ(report().says, verdict::done);
  sent();
  work->rows[0].status.state = job_state::completed;
  work->rows[1].status.state = job_state::downloading;
  ASSERT_EQ(report_again().says, verdict::done);
  auto x = sent();
  EXPECT_HAS(x.text, "Job(s): 1 pending, 1 completed, 0 failed\n");
  EXPECT_HAS(x.text, "Still open: jid-2 (downloading) jid-2.zip\n");
  EXPECT_HAS(x.subject, "FAIL");
  work->rows[1].status.state = job_state::failed;
  ASSERT_EQ(report_again().says, verdict::done);
  x = sent();
  EXPECT_EQ(listed(x, "failed.json"), "jid-2 ");
}

TEST_F(merritt_reports, R11_remember_what_was_told_while_they_are_silent) {
  add(job_state::completed);
  add(job_state::failed, "away");
  ASSERT_EQ(report().says, verdict::done);
  sent();
  work->rows[1].status.state = job_state::downloading;
  ASSERT_EQ(report_again().says, verdict::done);
  EXPECT_TRUE(mails->sent.empty());
  work->rows[1].status.state = job_state::failed;
  ASSERT_EQ(report_again().says, verdict::done);
  EXPECT_TRUE(mails->sent.empty()) << "that it failed was told";
  work->rows[1].status.state = job_state::completed;
  ASSERT_EQ(report_again().says, verdict::done);
  EXPECT_EQ(listed(sent(), "completed.json"), "jid-2 ");
}

TEST_F(merritt_reports, R13_R15_say_that_splitting_failed_and_why) {
  work->batch.status.state = batch_state::failed;
  work->batch.status.note = "line 7: no such algorithm";
  work->batch.jobs = {};
  ASSERT_EQ(report().says, verdict::done);
  const auto x = sent();
  EXPECT_EQ(x.subject, "Ingest: FAIL -- Submission Queue Failed: bid-1;");
  EXPECT_HAS(x.text, "Status Message: line 7: no such algorithm\n");
  ASSERT_EQ(x.attachments.size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(x.attachments[0].content)["state"], "failed");
  ASSERT_EQ(report_again().says, verdict::done);
  EXPECT_TRUE(mails->sent.empty()) << "it is as it was";
}

TEST_F(merritt_reports, R14_do_not_list_deleted_jobs) {
  add(job_state::completed);
  add(job_state::deleted, "was bad");
  ASSERT_EQ(report().says, verdict::done);
  const auto x = sent();
  EXPECT_HAS(x.subject, "Ingest: OK");
  EXPECT_HAS(x.text, "Job(s): 0 pending, 1 completed, 0 failed\n");
  for (const auto& file : x.attachments)
    EXPECT_EQ(file.content.find("jid-2"), std::string::npos);
}

TEST_F(merritt_reports, R20_have_the_same_id_after_a_crash) {
  add(job_state::completed);
  const auto before = batch;
  ASSERT_EQ(report().says, verdict::done);
  const auto first = sent();
  // The outcome was lost.
  batch = before;
  ASSERT_EQ(report().says, verdict::done);
  EXPECT_EQ(sent().id, first.id);
}

TEST_F(merritt_reports, R20_are_not_sent_again_once_that_is_written_down) {
  collection.callback = "https://example.org";
  add(job_state::failed, "bad");
  auto body = encode(batch);
  auto out = run_body("merritt.report", body);
  EXPECT_EQ(out.says, verdict::not_yet);
  EXPECT_EQ(out.delay_ms, 1u);
  EXPECT_FALSE(out.document.empty());
  sent();
  calls->failure = caf::make_error(ec::overloaded, "nobody there");
  EXPECT_EQ(run_body("merritt.report", body).says, verdict::retry);
  calls->failure = {};
  EXPECT_EQ(run_body("merritt.report", body).says, verdict::done);
  EXPECT_TRUE(mails->sent.empty());
}

TEST_F(merritt_reports, R26_call_back_once_for_each_failure) {
  collection.callback = "https://example.org/x";
  batch.note = "a note";
  batch.resource_type = "Dataset";
  batch.dublin_core = {{"subject", "fungi"}};
  add(job_state::completed);
  add(job_state::failed, "bad digest");
  ASSERT_EQ(report().says, verdict::done);
  ASSERT_EQ(calls->asked.size(), 1u);
  EXPECT_EQ(calls->asked[0].url, "https://example.org/x/mc/jid-2");
  const auto state =
    nlohmann::json::parse(calls->asked[0].body).at("job:jobState");
  EXPECT_EQ(state["job:jobStatus"], "FAILED");
  EXPECT_EQ(state["job:jobStatusMessage"], "bad digest");
  EXPECT_EQ(state["job:jobID"], "jid-2");
  EXPECT_EQ(state["job:localID"], "x;y");
  EXPECT_FALSE(state.contains("job:persistentURL"));
  EXPECT_EQ(state["job:submissionDate"], batch.submitted);
  EXPECT_EQ(state["job:note"], "a note");
  EXPECT_EQ(state["job:resourceType"], "Dataset");
  EXPECT_EQ(state["job:DC.subject"], "fungi");
  ASSERT_EQ(report_again().says, verdict::done);
  EXPECT_EQ(calls->asked.size(), 1u) << "this failure was told";
  work->rows[1].status.retry_count = 1;
  ASSERT_EQ(report_again().says, verdict::done);
  ASSERT_EQ(calls->asked.size(), 2u) << "it has failed once more";
  EXPECT_NE(calls->asked[0].id, calls->asked[1].id);
}

TEST_F(merritt_reports, R26_call_back_for_many_without_a_mail_between) {
  collection.callback = "https://example.org";
  for (int i = 0; i < 120; ++i)
    add(job_state::failed, "bad");
  const auto out = report();
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_EQ(calls->asked.size(), 120u);
  sent();
}

TEST_F(merritt_reports, R26_end_though_nobody_takes_the_callbacks) {
  collection.callback = "https://example.org";
  add(job_state::failed, "bad");
  add(job_state::failed, "bad");
  calls->failure = caf::make_error(ec::overloaded, "nobody there");
  EXPECT_EQ(report().says, verdict::retry);
  attempt = stage.attempts_max;
  const auto out = report();
  EXPECT_EQ(out.says, verdict::done);
  EXPECT_HAS(out.reason, "nobody there");
  sent();
  calls->failure = caf::make_error(ec::invalid_argument, "refused");
  attempt = 1;
  EXPECT_EQ(report_again().says, verdict::done);
}

TEST_F(merritt_reports, R26_wait_for_a_receiver_that_another_batch_waits_for) {
  collection.callback = "https://example.org";
  add(job_state::failed, "no");
  calls->meanwhile = [&] {
    auto body = encode(batch);
    (void)run_body("merritt.report", body); // the mail
    const auto out = run_body("merritt.report", body);
    EXPECT_EQ(out.says, verdict::not_yet);
    EXPECT_GT(out.delay_ms, 1u);
  };
  EXPECT_EQ(report().says, verdict::done);
  EXPECT_EQ(calls->asked.size(), 1u);
}

TEST_F(merritt_reports, R26_wait_until_callbacks_are_wanted_again) {
  collection.callback = "https://example.org";
  add(job_state::failed, "bad");
  calls->rest = std::chrono::minutes{2};
  attempt = stage.attempts_max;
  const auto out = report();
  EXPECT_EQ(out.says, verdict::not_yet);
  EXPECT_EQ(out.delay_ms, 120'000u);
  EXPECT_TRUE(calls->asked.empty());
  sent(); // the mail does not wait
  calls->rest = {};
  EXPECT_EQ(report_again().says, verdict::done);
  EXPECT_EQ(calls->asked.size(), 1u);
}

TEST_F(merritt_reports, R27_are_not_sent_where_nobody_wants_them) {
  add(job_state::completed);
  collection.mails = notices::none;
  ASSERT_EQ(report().says, verdict::done);
  EXPECT_TRUE(mails->sent.empty());
  EXPECT_FALSE(send_queued_notice(*tools, turns, &collection, batch, {}));
  EXPECT_TRUE(mails->sent.empty());
  collection.mails = notices::reports;
  EXPECT_FALSE(send_queued_notice(*tools, turns, &collection, batch, {}));
  EXPECT_TRUE(mails->sent.empty());
  ASSERT_EQ(report_again().says, verdict::done);
  EXPECT_TRUE(mails->sent.empty()) << "nothing new";
  batch.more.clear();
  ASSERT_EQ(report().says, verdict::done);
  sent();
}

TEST_F(merritt_reports, R27_begin_with_a_notice_that_the_batch_is_queued) {
  batch_info info;
  info.file_name = "batch.checkm";
  EXPECT_FALSE(send_queued_notice(*tools, turns, &collection, batch, info));
  const auto x = sent();
  EXPECT_EQ(x.subject, "Ingest: OK -- Submission Queued: bid-1;");
  EXPECT_EQ(x.id, "queued-bid-1");
  EXPECT_EQ(x.to, collection.notify);
  EXPECT_HAS(x.text, "File: batch.checkm\n");
}

TEST_F(merritt_reports, R28_go_to_the_address_of_the_submission) {
  batch.notification = "ann@example.org";
  add(job_state::completed);
  ASSERT_EQ(report().says, verdict::done);
  EXPECT_EQ(sent().to, std::vector<std::string>{"ann@example.org"});
  EXPECT_FALSE(send_queued_notice(*tools, turns, &collection, batch, {}));
  EXPECT_EQ(sent().to, std::vector<std::string>{"ann@example.org"});
}

TEST_F(merritt_reports, wait_for_the_relay_but_not_for_ever) {
  add(job_state::completed);
  mails->failure = caf::make_error(ec::overloaded, "no relay");
  EXPECT_EQ(report().says, verdict::retry);
  attempt = stage.attempts_max;
  auto out = report();
  EXPECT_EQ(out.says, verdict::done);
  EXPECT_HAS(out.reason, "no relay");
  batch.more.clear();
  attempt = 1;
  mails->failure = caf::make_error(ec::invalid_argument, "no such user");
  out = report();
  EXPECT_EQ(out.says, verdict::done);
  EXPECT_HAS(out.reason, "no such user");
}

TEST_F(merritt_reports, that_were_not_sent_are_made_when_asked_for_again) {
  add(job_state::completed);
  add(job_state::failed, "bad");
  mails->failure = caf::make_error(ec::invalid_argument, "no such user");
  ASSERT_EQ(report().says, verdict::done);
  ASSERT_EQ(report().says, verdict::done) << "by a repeat";
  mails->failure = {};
  ASSERT_EQ(report_again().says, verdict::done);
  auto x = sent();
  EXPECT_EQ(x.id, "report-bid-1-2");
  EXPECT_EQ(x.text.find("Since the last report"), std::string::npos);
  EXPECT_EQ(listed(x, "completed.json"), "jid-1 ");
  work->rows[1].status.state = job_state::completed;
  mails->failure = caf::make_error(ec::invalid_argument, "no such user");
  ASSERT_EQ(report_again().says, verdict::done);
  mails->failure = {};
  ASSERT_EQ(report_again().says, verdict::done);
  x = sent();
  EXPECT_HAS(x.text, "Since the last report: 1 completed, 0 failed\n");
  EXPECT_EQ(listed(x, "completed.json"), "jid-2 ");
}

TEST_F(merritt_reports, that_were_not_sent_of_what_was_not_split_say_why) {
  work->batch.status.state = batch_state::failed;
  work->batch.status.note = "line 7: no such algorithm";
  work->batch.jobs = {};
  mails->failure = caf::make_error(ec::invalid_argument, "no such user");
  ASSERT_EQ(report().says, verdict::done);
  mails->failure = {};
  ASSERT_EQ(report_again().says, verdict::done);
  const auto x = sent();
  EXPECT_EQ(x.subject, "Ingest: FAIL -- Submission Queue Failed: bid-1;");
  EXPECT_HAS(x.text, "Status Message: line 7: no such algorithm\n");
}

TEST_F(merritt_reports, wait_at_no_cost_while_the_relay_is_away) {
  caf::error away = caf::make_error(ec::overloaded, "nobody listens");
  std::chrono::steady_clock::time_point now{1h};
  const auto relay = std::make_shared<stages::shared_service>(
    stages::shared_service_options{.name = "mail",
                                   .ask = [&away] { return away; },
                                   .now = [&now] { return now; }});
  handlers = last_stages(tools, relay);
  add(job_state::completed);
  mails->failure = caf::make_error(ec::overloaded, "no relay");
  attempt = stage.attempts_max;
  for (int i = 0; i < 3; ++i) {
    const auto out = report();
    EXPECT_EQ(out.says, verdict::not_yet);
    EXPECT_HAS(out.reason, "nobody listens");
  }
  now += 1min;
  away = {};
  mails->failure = {};
  EXPECT_EQ(report().says, verdict::done);
  sent();
}

TEST_F(merritt_reports, end_though_a_relay_that_is_there_takes_none) {
  const auto relay = std::make_shared<stages::shared_service>(
    stages::shared_service_options{.name = "mail",
                                   .ask = [] { return caf::error{}; }});
  handlers = last_stages(tools, relay);
  add(job_state::completed);
  mails->failure = caf::make_error(ec::overloaded, "come again");
  attempt = stage.attempts_max;
  const testing::captured_log log;
  EXPECT_EQ(report().says, verdict::done);
  EXPECT_EQ(log.count("report_not_sent batch=bid-1"), 1u);
}

TEST_F(merritt_reports, need_no_relay_and_no_address) {
  add(job_state::completed);
  tools->mailer = nullptr;
  EXPECT_EQ(report().says, verdict::done);
  tools->mailer = mails;
  batch.more.clear();
  collection.notify.clear();
  EXPECT_EQ(report().says, verdict::done);
  has_collection = false;
  batch.more.clear();
  EXPECT_EQ(report().says, verdict::done);
  EXPECT_TRUE(mails->sent.empty());
}

TEST_F(merritt_reports, read_batches_of_many_pages) {
  for (int i = 0; i < 2'500; ++i)
    add(job_state::completed);
  ASSERT_EQ(report().says, verdict::done);
  const auto x = sent();
  EXPECT_HAS(x.text, "Job(s): 0 pending, 2500 completed, 0 failed\n");
}

TEST_F(merritt_reports, refuse_a_document_that_is_none) {
  std::string body = "{";
  EXPECT_EQ(run_body("merritt.report", body).says, verdict::failed);
}

} // namespace depositd::merritt
