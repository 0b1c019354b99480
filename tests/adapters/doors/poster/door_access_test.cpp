// Who may submit, and who may see what became of it.

#include "tests/adapters/doors/poster/poster_world.hpp"

using namespace depositd;
using namespace depositd::testing;

namespace {

class poster_access : public poster_world {
protected:
  /// A batch of this user with a job in each of these states.
  void add_batch(const std::string& user, std::vector<job_state> states) {
    const std::lock_guard lock{core->guard};
    batch_row row;
    row.id = 10;
    row.user = user;
    row.info.uuid = "bid-one";
    row.info.collection = "papers";
    row.received_us = 1'772'357'400'000'000;
    row.status = {batch_state::failed, 1'772'357'460'000'000, "one failed"};
    row.jobs.expected = states.size();
    for (const auto state : states) {
      job_row job;
      job.id = 11 + core->jobs.size();
      job.batch = row.id;
      job.user = user;
      job.info.uuid = "jid-" + std::to_string(job.id);
      job.info.collection = "papers";
      job.info.type = job_type::container;
      job.priority = 28;
      job.attempt = 2;
      job.status.state = state;
      job.status.last_successful = job_state::downloading;
      job.status.retry_count = 1;
      job.status.needs_review = true;
      job.status.changed_us = 1'772'357'461'000'000;
      job.status.note = "no space";
      job.facts.identifier = "ark:/99999/fk4abc";
      job.facts.local_ids = "a;b";
      job.facts.space_needed = 1234;
      core->jobs.push_back(job);
      row.jobs.failed += state == job_state::failed;
      row.jobs.completed += state == job_state::completed;
      row.jobs.open += state == job_state::held;
      row.jobs.held += state == job_state::held;
    }
    core->batches.push_back(row);
  }
};

} // namespace

// -- submitting ---------------------------------------------------------------

TEST_F(poster_access, owner_and_submitters_may_submit) {
  start();
  EXPECT_EQ(post("/poster/submit", a_form(), basic("owner")).status, 200u);
  EXPECT_EQ(post("/poster/submit", a_form(), basic("submitter")).status, 200u);
  EXPECT_EQ(last().user, "submitter");
  EXPECT_EQ(post("/poster/submit", a_form(), basic("stranger")).status, 403u);
  EXPECT_EQ(count(), 2u);
}

// The browser adds a login that was typed before to whatever a page sends.
TEST_F(poster_access, what_nobody_reads_takes_no_memory_from_others) {
  start();
  EXPECT_EQ(kept_answers, std::vector<std::string>{});
}

TEST_F(poster_access, pages_of_others_submit_nothing_with_a_remembered_login) {
  start();
  const std::string page = "Origin: http://evil.example\r\n";
  EXPECT_EQ(post("/poster/submit", a_form(), basic("owner") + page).status,
            403u);
  for (const auto* order : {"delete", "restore", "fixity", "recall"})
    EXPECT_EQ(post("/poster/" + std::string{order} + "/ark:/99999/fk4abc",
                   form_text{}.field("reason", "x"), basic("owner") + page)
                .status,
              403u)
      << order;
  EXPECT_EQ(count(), 0u);
}

TEST_F(poster_access, an_unknown_collection_is_404_by_name) {
  start();
  const auto x =
    post("/poster/submit",
         form_text{}.field("profile", "nosuch").file("file", "a", "b"));
  EXPECT_EQ(x.status, 404u);
  EXPECT_NE(x.body.find("nosuch"), std::string::npos);
  EXPECT_EQ(count(), 0u);
}

TEST_F(poster_access, a_login_may_be_in_fields) {
  start();
  for (const auto& [user, password] :
       {std::pair{"login_id", "login_passwd"}, std::pair{"usr", "pwd"}})
    EXPECT_EQ(post("/poster/submit",
                   a_form().field(user, "owner").field(password, secret), "")
                .status,
              200u)
      << user;
  EXPECT_EQ(post("/poster/submit?usr=owner&pwd=" + secret, a_form(), "").status,
            200u);
  EXPECT_EQ(count(), 3u);
}

TEST_F(poster_access, no_login_and_a_wrong_one_are_401) {
  start();
  for (const auto& head :
       {std::string{}, basic("owner", "wrong"), basic("nobody"),
        std::string{"Authorization: Basic !!!\r\n"},
        std::string{"Authorization: Bearer abc\r\n"}}) {
    const auto x = post("/poster/submit", a_form(), head);
    EXPECT_EQ(x.status, 401u) << head;
    EXPECT_EQ(x.header("WWW-Authenticate"), "Basic realm=\"depositd\"");
    EXPECT_EQ(get("/poster/batches/1", head).status, 401u) << head;
    EXPECT_EQ(get("/poster/jobs/1", head).status, 401u) << head;
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(poster_access, what_is_wrong_with_a_form_is_not_told_to_strangers) {
  start();
  EXPECT_EQ(post("/poster/submit", form_text{}.field("a", "b"), "").status,
            401u);
}

TEST_F(poster_access, a_wrong_login_is_refused_before_the_body) {
  start();
  raw_client client{server->port()};
  ASSERT_TRUE(client.send("POST /poster/submit HTTP/1.1\r\nHost: a\r\n"
                          + basic("owner", "wrong")
                          + "Content-Type: multipart/form-data; boundary=x\r\n"
                            "Content-Length: 100000\r\n\r\n"));
  const auto x = client.receive();
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 401u);
}

TEST_F(poster_access, who_guesses_is_slowed_down) {
  start();
  raw_client client{server->port()};
  unsigned status = 0;
  for (int i = 0; i <= 20; ++i) {
    const auto x =
      client.exchange("GET /poster/jobs/1 HTTP/1.1\r\nHost: a\r\n"
                      + basic("owner", "guess" + std::to_string(i)) + "\r\n");
    ASSERT_TRUE(x);
    status = x->status;
  }
  EXPECT_EQ(status, 429u);
}

TEST_F(poster_access, a_login_has_a_limit) {
  start();
  const std::string most(1'024, 'a');
  EXPECT_EQ(get("/poster/jobs/1?pwd=x&usr=" + most, "").status, 401u);
  EXPECT_EQ(get("/poster/jobs/1?pwd=x&usr=a" + most, "").status, 400u);
  EXPECT_EQ(post("/poster/submit?pwd=x&usr=a" + most, a_form(), "").status,
            400u);
}

TEST_F(poster_access, a_quota_of_requests_is_kept) {
  quota_changed quota;
  quota.queue = "merritt.batch";
  quota.user = "owner";
  quota.has_requests_per_second = true;
  quota.requests_per_second = 1;
  core->control.quotas[{quota.queue, quota.user}] = quota;
  start();
  unsigned taken = 0;
  unsigned refused = 0;
  for (int i = 0; i < 20 && refused == 0; ++i) {
    const auto x = post("/poster/submit", a_form());
    taken += x.status == 200;
    refused += x.status == 429;
  }
  EXPECT_GE(taken, 1u);
  EXPECT_EQ(refused, 1u);
  EXPECT_EQ(count(), taken);
  EXPECT_EQ(post("/poster/submit", a_form(), basic("submitter")).status, 200u);
}

// -- looking ------------------------------------------------------------------

TEST_F(poster_access, the_document_of_a_batch) {
  add_batch("submitter", {job_state::failed, job_state::completed,
                          job_state::held, job_state::failed});
  start();
  const auto x = get("/poster/batches/10");
  ASSERT_EQ(x.status, 200u) << x.body;
  EXPECT_EQ(json_of(x), nlohmann::json::parse(R"({
    "id": 10, "uuid": "bid-one", "user": "submitter", "collection": "papers",
    "state": "failed",
    "submitted_at": "2026-03-01T09:30:00.000Z",
    "changed_at": "2026-03-01T09:31:00.000Z",
    "jobs": {"total": 4, "completed": 1, "failed": 2, "held": 1, "open": 1,
             "deleted": 0},
    "failed_jobs": [11, 14], "successful_jobs": [12]})"));
  EXPECT_EQ(get("/poster/batches/bid-one").body, x.body);
}

TEST_F(poster_access, M36_a_batch_that_failed_without_jobs_says_why) {
  add_batch("submitter", {});
  start();
  const auto x = get("/poster/batches/10");
  ASSERT_EQ(x.status, 200u) << x.body;
  EXPECT_EQ(json_of(x).value("note", ""), "one failed");
}

TEST_F(poster_access, the_document_of_a_job) {
  add_batch("submitter", {job_state::failed});
  start();
  const auto x = get("/poster/jobs/11");
  ASSERT_EQ(x.status, 200u) << x.body;
  EXPECT_EQ(json_of(x), nlohmann::json::parse(R"({
    "id": 11, "uuid": "jid-11", "batch": 10, "user": "submitter",
    "collection": "papers", "type": "container", "state": "failed",
    "last_successful_status": "downloading", "retry_count": 1, "priority": 28,
    "space_needed": 1234, "identifier": "ark:/99999/fk4abc",
    "local_id": ["a", "b"], "attempt": 2, "needs_review": true,
    "note": "no space", "changed_at": "2026-03-01T09:31:01.000Z"})"));
  EXPECT_EQ(get("/poster/jobs/jid-11").body, x.body);
}

TEST_F(poster_access, the_collection_s_people_see_it_and_nobody_else) {
  add_batch("submitter", {job_state::failed});
  start();
  for (const auto* target : {"/poster/batches/10", "/poster/jobs/jid-11"}) {
    EXPECT_EQ(get(target, basic("owner")).status, 200u) << target;
    EXPECT_EQ(get(target, basic("submitter")).status, 200u) << target;
    EXPECT_EQ(get(target, basic("stranger")).status, 403u) << target;
  }
}

TEST_F(poster_access, what_is_one_s_own_stays_visible) {
  add_batch("stranger", {job_state::failed});
  core->control.collections.erase("papers");
  start();
  EXPECT_EQ(get("/poster/batches/10", basic("stranger")).status, 200u);
  EXPECT_EQ(get("/poster/jobs/11", basic("stranger")).status, 200u);
  EXPECT_EQ(get("/poster/batches/10", basic("owner")).status, 403u);
}

TEST_F(poster_access, what_is_not_there_is_404) {
  add_batch("submitter", {job_state::failed});
  start();
  for (const auto* target :
       {"/poster/batches/11", "/poster/batches/bid-two", "/poster/batches/0",
        "/poster/batches/-10", "/poster/batches/99999999999999999999",
        "/poster/batches/", "/poster/batches//", "/poster/batches/;a",
        "/poster/jobs/10", "/poster/jobs/bid-one", "/poster/jobs/0",
        "/poster/jobs//"})
    EXPECT_EQ(get(target).status, 404u) << target;
  EXPECT_EQ(get("/poster/jobs/" + std::string(2'000, 'j')).status, 404u);
}

TEST_F(poster_access, a_read_model_that_is_away_is_503) {
  add_batch("submitter", {job_state::failed});
  core->look_fails = ec::overloaded;
  start();
  EXPECT_EQ(get("/poster/batches/10").status, 503u);
  EXPECT_EQ(get("/poster/jobs/11").status, 503u);
}
