#include "actors/operators/review_teller.hpp"

#include "tests/support/actor_fixture.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace depositd::testing {
namespace {

using namespace std::chrono_literals;

struct failed_jobs final : work_reader {
  caf::expected<std::vector<batch_row>> batches(const batch_query&) override {
    return std::vector<batch_row>{};
  }

  caf::expected<std::vector<job_row>> jobs(const job_query& x) override {
    EXPECT_TRUE(x.needs_review || !x.states.empty());
    if (away)
      return caf::make_error(ec::overloaded, std::string{"away"});
    const auto has = [](const auto& all, const auto& one) {
      return std::find(all.begin(), all.end(), one) != all.end();
    };
    std::vector<job_row> out;
    for (const auto& row : rows)
      if (row.status.changed_us >= x.changed_since_us
          && (x.changed_before_us == never
              || row.status.changed_us < x.changed_before_us)
          && row.status.needs_review == x.needs_review
          && (x.states.empty() || has(x.states, row.status.state))
          && (x.queues.empty() || has(x.queues, row.queue))
          && !has(x.queues_but, row.queue)
          && (x.after.empty() || row.id > x.after.front())
          && out.size() < x.count_max)
        out.push_back(row);
    return out;
  }

  caf::expected<std::vector<submission_row>>
  submissions(const submission_query&) override {
    return std::vector<submission_row>{};
  }

  std::vector<job_row> rows;
  bool away = false;
};

struct mails_taken final : mailer {
  caf::error send(const mail& x) override {
    sent.push_back(x);
    return failure;
  }

  std::vector<mail> sent;
  caf::error failure;
};

struct calls_taken final : callback_sender {
  caf::error send(const callback& x) override {
    sent.push_back(x);
    return failure;
  }

  std::vector<callback> sent;
  caf::error failure;
};

class review_teller_test : public actor_fixture {
protected:
  static constexpr micros time_us = 1'700'000'000'000'000;

  void start() {
    operators::review_teller_options options;
    options.work = work;
    options.mail = mails;
    options.mail_to = {"root@here.example"};
    options.callbacks = calls;
    options.webhook = "https://hook.example/x";
    options.webhook_key = "k";
    options.interval = 900s;
    options.stage_age = stage_age;
    options.leads = [this] { return leads; };
    options.clock = engine_clock{time_us, sched.clock().now()};
    spawn(operators::review_teller, options);
  }

  void fail(item_id id, const std::string& note, std::int64_t after_s = 0) {
    job_row row;
    row.id = id;
    row.info.pipeline = "merritt";
    row.queue = "merritt.store";
    row.status.state = job_state::failed;
    row.status.needs_review = true;
    row.status.changed_us = time_us + after_s * 1'000'000;
    row.status.note = note;
    work->rows.push_back(row);
  }

  std::shared_ptr<failed_jobs> work = std::make_shared<failed_jobs>();
  std::shared_ptr<mails_taken> mails = std::make_shared<mails_taken>();
  std::shared_ptr<calls_taken> calls = std::make_shared<calls_taken>();
  bool leads = true;
  std::chrono::seconds stage_age{0};
};

TEST_F(review_teller_test, tells_by_mail_and_webhook_with_the_first_ids) {
  for (item_id id = 1; id <= 12; ++id)
    fail(id, "object " + std::to_string(id) + " is away");
  start();
  ASSERT_EQ(mails->sent.size(), 1u);
  const auto& mail = mails->sent[0];
  EXPECT_EQ(mail.to, std::vector<std::string>{"root@here.example"});
  EXPECT_EQ(mail.subject, "depositd: 12 jobs need review at merritt.store");
  EXPECT_NE(mail.text.find("Jobs: 1 2 3 4 5 6 7 8 9 10 ..."), std::string::npos)
    << mail.text;
  EXPECT_NE(mail.text.find("object 1 is away"), std::string::npos);
  ASSERT_EQ(calls->sent.size(), 1u);
  EXPECT_EQ(calls->sent[0].url, "https://hook.example/x");
  EXPECT_EQ(calls->sent[0].key, "k");
  EXPECT_EQ(calls->sent[0].id, mail.id);
  const auto body = nlohmann::json::parse(calls->sent[0].body);
  EXPECT_EQ(body["event"], "needs_review");
  EXPECT_EQ(body["count"], 12);
  EXPECT_EQ(body["stage"], "store");
  EXPECT_EQ(body["jobs"].size(), 10u);
}

TEST_F(review_teller_test, tells_of_one_job_as_of_one) {
  fail(1, "its bucket is gone");
  start();
  ASSERT_EQ(mails->sent.size(), 1u);
  const auto& mail = mails->sent[0];
  EXPECT_EQ(mail.subject, "depositd: 1 job needs review at merritt.store");
  EXPECT_NE(mail.text.find("1 job has failed"), std::string::npos) << mail.text;
  EXPECT_NE(mail.text.find("looked at it."), std::string::npos) << mail.text;
}

TEST_F(review_teller_test, tells_of_jobs_that_nothing_moves) {
  fail(4, "");
  auto& job = work->rows.front();
  job.user = "ann";
  job.status.state = job_state::storing;
  job.status.needs_review = false;
  stage_age = 60s;
  start();
  EXPECT_TRUE(mails->sent.empty());
  for (int i = 0; i < 5; ++i)
    advance(15s);
  ASSERT_EQ(mails->sent.size(), 1u) << "once";
  EXPECT_EQ(mails->sent[0].subject,
            "depositd: 1 job has waited too long at merritt.store");
  ASSERT_EQ(calls->sent.size(), 1u);
  const auto body = nlohmann::json::parse(calls->sent[0].body);
  EXPECT_EQ(body["event"], "too_long_in_stage");
  EXPECT_EQ(body["jobs"][0], 4);
}

TEST_F(review_teller_test, a_full_stage_hides_no_other) {
  const auto wait = [&](item_id id, const std::string& pipeline,
                        const std::string& stage, std::int64_t since_s) {
    fail(id, "", since_s);
    auto& job = work->rows.back();
    job.info.pipeline = pipeline;
    job.queue = pipeline + "." + stage;
    job.status.state = job_state::storing;
    job.status.needs_review = false;
  };
  for (item_id id = 1; id <= 250; ++id)
    wait(id, "merritt", "store", -100);
  for (item_id id = 251; id <= 400; ++id)
    wait(id, "aptrust", "store", 0); // not long enough
  wait(401, "aptrust", "store", -100);
  wait(402, "merritt", "notify", -100);
  stage_age = 60s;
  start();
  std::string told;
  for (const auto& mail : mails->sent)
    told += mail.subject + "\n";
  for (const auto* place : {"100 jobs have waited too long at merritt.store",
                            "1 job has waited too long at aptrust.store",
                            "1 job has waited too long at merritt.notify"})
    EXPECT_NE(told.find(place), std::string::npos) << told;
}

TEST_F(review_teller_test, tells_a_cause_once_in_an_interval) {
  fail(1, "away");
  start();
  fail(2, "away", 20);
  advance(30s);
  EXPECT_EQ(mails->sent.size(), 1u);
  fail(3, "full", 40);
  advance(30s);
  ASSERT_EQ(mails->sent.size(), 2u) << "another cause";
  for (int i = 0; i < 60; ++i)
    advance(15s);
  ASSERT_EQ(mails->sent.size(), 3u);
  EXPECT_NE(mails->sent[2].text.find("Jobs: 2\n"), std::string::npos);
  EXPECT_EQ(calls->sent.size(), 3u);
}

TEST_F(review_teller_test, tries_again_what_was_not_taken) {
  mails->failure = caf::make_error(ec::overloaded, std::string{"later"});
  fail(1, "away");
  start();
  mails->failure = caf::none;
  advance(15s);
  advance(15s);
  ASSERT_EQ(mails->sent.size(), 2u);
  EXPECT_EQ(mails->sent[0].id, mails->sent[1].id);
  EXPECT_EQ(calls->sent.size(), 1u) << "the other way was open";
}

TEST_F(review_teller_test, gives_up_what_will_never_be_taken) {
  mails->failure = caf::make_error(ec::invalid_argument, std::string{"never"});
  fail(1, "away");
  start();
  advance(15s);
  EXPECT_EQ(mails->sent.size(), 1u);
}

TEST_F(review_teller_test, looks_again_when_the_read_model_is_back) {
  work->away = true;
  fail(1, "away");
  start();
  EXPECT_TRUE(mails->sent.empty());
  work->away = false;
  advance(15s);
  EXPECT_EQ(mails->sent.size(), 1u);
}

TEST_F(review_teller_test, tells_also_what_one_look_does_not_show) {
  constexpr item_id many = 20'001;
  for (item_id id = 1; id < many; ++id)
    fail(id, "away");
  fail(many, "full");
  start();
  ASSERT_EQ(mails->sent.size(), 1u);
  advance(15s);
  ASSERT_EQ(mails->sent.size(), 2u);
  EXPECT_NE(mails->sent[1].text.find("full"), std::string::npos);
  fail(many + 1, "broken", 20);
  advance(15s);
  advance(15s);
  ASSERT_EQ(mails->sent.size(), 3u);
  for (const auto t : {15s, 15s, 900s, 15s})
    advance(t);
  EXPECT_EQ(mails->sent.size(), 3u) << "each counts once";
}

TEST_F(review_teller_test, tells_what_was_kept_when_its_engine_ended) {
  fail(1, "away", -1'700); // told at once
  fail(2, "away", -1'690); // kept, and the engine was away since
  start();
  ASSERT_EQ(mails->sent.size(), 1u);
  EXPECT_NE(mails->sent[0].text.find("Jobs: 1 2"), std::string::npos);
}

TEST_F(review_teller_test, tells_what_was_durable_late) {
  start();
  for (int i = 0; i < 12; ++i)
    advance(15s);
  fail(1, "away", 10); // the disk of its journal hung
  advance(15s);
  EXPECT_EQ(mails->sent.size(), 1u);
  advance(15s);
  EXPECT_EQ(mails->sent.size(), 1u);
}

TEST_F(review_teller_test, is_silent_while_another_engine_speaks) {
  leads = false;
  fail(1, "away");
  start();
  advance(15s);
  EXPECT_TRUE(mails->sent.empty());
  for (int i = 0; i < 63; ++i)
    advance(15s);
  leads = true;
  fail(2, "full", 970);
  advance(15s);
  ASSERT_EQ(mails->sent.size(), 1u) << "what was told by the other is not new";
  EXPECT_NE(mails->sent[0].text.find("full"), std::string::npos);
}

TEST_F(review_teller_test, tells_what_another_engine_kept_for_later) {
  leads = false;
  start();
  fail(1, "away", 10);
  for (int i = 0; i < 20; ++i)
    advance(15s);
  leads = true; // the other one is gone, which would have told it by and by
  advance(15s);
  ASSERT_EQ(mails->sent.size(), 1u);
  EXPECT_NE(mails->sent[0].text.find("away"), std::string::npos);
}

} // namespace
} // namespace depositd::testing
