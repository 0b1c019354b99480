// Rows 36 to 40 of the case table: deposits that are processed at once.

#include "tests/adapters/doors/crossref/door_world.hpp"
#include "tests/adapters/processing/crossref/deposit_builder.hpp"

using namespace depositd;
using namespace depositd::testing;
using namespace std::chrono_literals;

namespace {

class crossref_at_once : public door_world {
protected:
  const std::string xml = a_deposit().with_article("10.5555/a").text();

  std::string request() const {
    return request_of("psychoceramics");
  }

  void set_running(std::uint32_t now, std::uint32_t most) {
    const std::lock_guard lock{engine->guard};
    engine->running = now;
    engine->running_max = most;
  }

  std::string request_of(const std::string& user) const {
    return post_text("/v2/deposits", "multipart/form-data; boundary=xYzZY",
                     form_text{}
                       .field("usr", user)
                       .field("pwd", secret)
                       .file("mdFile", "a.xml", xml)
                       .closed());
  }

  /// What the engine has answered the door before, the door knows.
  void hear_of_all() {
    const auto x =
      post_form("/servlet/deposit?operation=doMDUpload&usr=psychoceramics&pwd="
                  + secret,
                form_text{}.file("fname", "b.xml", xml).closed());
    EXPECT_EQ(x.status, 200u);
  }

  using clients_list = std::vector<std::unique_ptr<raw_client>>;

  /// As many clients more, each of which sends a deposit of the user.
  void send(const std::string& user, int count, clients_list& to) const {
    for (int i = 0; i < count; ++i) {
      to.push_back(std::make_unique<raw_client>(server->port()));
      to.back()->send(request_of(user));
    }
  }

  /// How many are answered when the first ones are.
  static unsigned answered_first(const clients_list& all) {
    unsigned out = 0;
    for (int i = 0; i < 2000 && out == 0; ++i)
      for (const auto& x : all)
        out += x->readable_within(1);
    return out;
  }

  void make_v2_wait() {
    const std::lock_guard lock{engine->guard};
    engine->v2_waits = true;
  }

  std::vector<verdict> settled() {
    const std::lock_guard lock{engine->guard};
    return engine->settled;
  }

  void make_v2_say(verdict x) {
    const std::lock_guard lock{engine->guard};
    engine->v2_says = x;
  }
};

bool contains(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

} // namespace

TEST_F(crossref_at_once, row_36_a_good_deposit_is_200_with_its_diagnostic) {
  start();
  const auto x = deposit_at_once(xml);
  EXPECT_EQ(x.status, 200u);
  EXPECT_EQ(x.header("content-type"), "text/xml;charset=UTF-8");
  EXPECT_TRUE(contains(x.body, "<doi_batch_diagnostic status=\"completed\""));
  EXPECT_TRUE(contains(x.body, "<submission_id>1000</submission_id>"))
    << x.body;
  EXPECT_TRUE(contains(x.body, "<batch_id>batch-1</batch_id>"));
  EXPECT_TRUE(contains(x.body, "<success_count>"));
  EXPECT_TRUE(contains(x.body, "<failure_count>0</failure_count>"));
}

TEST_F(crossref_at_once, row_36_it_can_be_polled_by_batch_id_afterwards) {
  start();
  const auto x = deposit_at_once(xml);
  EXPECT_EQ(poll("type=result&doi_batch_id=batch-1").body, x.body);
  EXPECT_EQ(poll("type=contents&doi_batch_id=batch-1").body, xml);
  EXPECT_EQ(last().submission.source, "v2");
}

TEST_F(crossref_at_once, row_36_either_pair_of_names_and_either_path) {
  start();
  const auto x =
    post_form("/v2/deposit?login_id=psychoceramics&login_passwd=" + secret,
              form_text{}.file("any", "a.xml", xml).closed());
  EXPECT_EQ(x.status, 200u);
}

TEST_F(crossref_at_once, row_37_failures_are_403_with_the_diagnostic) {
  start();
  const auto bad = deposit_at_once("not XML");
  EXPECT_EQ(bad.status, 403u);
  EXPECT_TRUE(contains(bad.body, "<failure_count>1</failure_count>"));
  EXPECT_EQ(deposit_at_once(xml).status, 200u);
  const auto outdated = deposit_at_once(xml);
  EXPECT_EQ(outdated.status, 403u);
  EXPECT_TRUE(contains(outdated.body, "<batch_id>batch-1</batch_id>"));
  EXPECT_TRUE(contains(outdated.body, "msg_id=\"4\""));
  make_v2_say(verdict::failed);
  const auto silent = deposit_at_once(xml);
  EXPECT_EQ(silent.status, 403u);
  EXPECT_TRUE(contains(silent.body, "as the test &lt;wants&gt;"))
    << silent.body;
}

TEST_F(crossref_at_once, row_38_bad_requests_logins_and_engines) {
  start();
  const std::string target = "/v2/deposits";
  EXPECT_EQ(post_form(target, "").status, 400u);
  EXPECT_EQ(post_form(target, form_text{}
                                .field("usr", "psychoceramics")
                                .field("pwd", secret)
                                .field("operation", "doNothing")
                                .file("mdFile", "a", xml)
                                .closed())
              .status,
            400u);
  EXPECT_EQ(post_form(target, form_text{}
                                .field("usr", "psychoceramics")
                                .field("pwd", "wrong")
                                .file("mdFile", "a", xml)
                                .closed())
              .status,
            401u);
  EXPECT_EQ(
    post_form(target, form_text{}.file("mdFile", "a", xml).closed()).status,
    401u);
  EXPECT_EQ(count(), 0u);
}

TEST_F(crossref_at_once, row_38_what_ends_without_a_result_stays_in_its_queue) {
  start();
  make_v2_say(verdict::retry);
  const auto x = deposit_at_once(xml);
  EXPECT_EQ(x.status, 500u);
  EXPECT_TRUE(contains(x.body, "as the test &lt;wants&gt;")) << x.body;
  EXPECT_TRUE(contains(x.body, "Submission 1000 goes on")) << x.body;
  EXPECT_EQ(settled(), std::vector{verdict::retry});
  EXPECT_TRUE(contains(poll("type=result&submission_id=1000").body,
                       "status=\"queued\""));
}

TEST_F(crossref_at_once, row_38_what_nobody_works_on_is_given_to_its_queue) {
  start();
  {
    const std::lock_guard lock{engine->guard};
    engine->v2_fails = ec::store_failed;
  }
  const auto x = deposit_at_once(xml);
  EXPECT_EQ(x.status, 500u);
  EXPECT_TRUE(contains(x.body, "Submission 1000 goes on")) << x.body;
  EXPECT_EQ(settled(), std::vector{verdict::release});
}

TEST_F(crossref_at_once, row_38_nothing_is_done_before_it_is_in_the_queue) {
  start();
  {
    const std::lock_guard lock{engine->guard};
    engine->submit_fails = ec::draining;
  }
  EXPECT_EQ(deposit_at_once(xml).status, 503u);
  const std::lock_guard lock{engine->guard};
  EXPECT_EQ(engine->v2_running, 0u);
}

TEST_F(crossref_at_once, row_39_it_is_known_while_it_is_processed) {
  make_v2_wait();
  start();
  raw_client client{server->port()};
  client.send(request());
  ASSERT_TRUE(wait_until([&] { return engine->v2_running == 1; }));
  EXPECT_TRUE(contains(poll("type=result&file_name=a.xml").body,
                       "status=\"in_process\""));
  let_v2_go();
  EXPECT_EQ(client.receive()->status, 200u);
}

TEST_F(crossref_at_once, row_39_what_could_not_be_recorded_is_504_and_goes_on) {
  start();
  {
    const std::lock_guard lock{engine->guard};
    engine->settle_fails = ec::draining;
  }
  const auto x = deposit_at_once(xml);
  EXPECT_EQ(x.status, 504u);
  EXPECT_TRUE(contains(x.body, "Submission 1000 goes on")) << x.body;
}

TEST_F(crossref_at_once, row_39_what_an_operator_ends_meanwhile_is_told_so) {
  make_v2_wait();
  start();
  raw_client client{server->port()};
  client.send(request());
  ASSERT_TRUE(wait_until([&] { return engine->v2_running == 1; }));
  {
    const std::lock_guard lock{engine->guard};
    auto& row = engine->rows.back();
    row.status = submission_status::completed;
    row.failed = true;
    row.reason = "purged by an operator";
  }
  let_v2_go();
  const auto x = client.receive();
  ASSERT_TRUE(x);
  EXPECT_EQ(x->status, 403u);
  EXPECT_TRUE(contains(x->body, "purged by an operator")) << x->body;
}

TEST_F(crossref_at_once, row_40_large_files_are_kept_apart) {
  start();
  const auto large = a_deposit().with_article("10.5555/a").text()
                     + "<!--" + std::string(300'000, 'x') + "-->";
  EXPECT_EQ(deposit_at_once(large).status, 200u);
  EXPECT_FALSE(last().submission.blob.empty());
  EXPECT_EQ(poll("type=contents&doi_batch_id=batch-1").body, large);
}

TEST_F(crossref_at_once, row_39_slow_work_is_504_and_can_be_polled_later) {
  make_v2_wait();
  start({.synchronous_timeout = 300ms});
  EXPECT_EQ(deposit_at_once(xml).status, 504u);
  let_v2_go();
  ASSERT_TRUE(wait_until([&] { return !engine->settled.empty(); }));
  EXPECT_TRUE(contains(poll("type=result&doi_batch_id=batch-1").body,
                       "status=\"completed\""));
}

TEST_F(crossref_at_once, row_39_who_may_come_in_yet_is_not_told_to_come_again) {
  engine->submit_waits = true;
  start({.ask_timeout = 2s});
  raw_client client{server->port()};
  client.send(request());
  EXPECT_FALSE(client.readable_within(2'500)) << "longer than others wait";
  let_submissions_in();
  EXPECT_EQ(client.receive()->status, 200u);
  EXPECT_EQ(engine->settled.size(), 1u);
}

TEST_F(crossref_at_once, row_39_who_waits_in_vain_is_told_to_ask_first) {
  engine->submit_waits = true;
  start({.synchronous_timeout = 300ms});
  const auto x = deposit_at_once(xml);
  EXPECT_EQ(x.status, 504u);
  EXPECT_TRUE(contains(x.body, "before you send it again")) << x.body;
  let_submissions_in();
}

TEST_F(crossref_at_once, row_40_the_seventeenth_at_once_is_500) {
  make_v2_wait();
  start();
  clients_list clients;
  send("psychoceramics", 17, clients);
  // Sixteen wait, so whoever is answered now was one too many.
  ASSERT_EQ(answered_first(clients), 1u);
  for (auto& x : clients)
    if (x->readable_within(0)) {
      const auto answer = x->receive();
      ASSERT_TRUE(answer);
      EXPECT_EQ(answer->status, 500u);
      EXPECT_TRUE(contains(answer->body, "ExceededConcurrentLimit"));
      EXPECT_TRUE(contains(answer->body, "16"));
      x.reset();
      break;
    }
  let_v2_go();
  for (auto& x : clients)
    if (x) {
      const auto answer = x->receive();
      ASSERT_TRUE(answer);
      EXPECT_NE(answer->status, 500u);
    }
  EXPECT_EQ(deposit_at_once(xml).status, 403u); // the same timestamp again
}

TEST_F(crossref_at_once, row_40_who_takes_all_places_leaves_some_to_others) {
  make_v2_wait();
  start();
  clients_list clients;
  send("psychoceramics", 17, clients);
  auto refused = answered_first(clients);
  ASSERT_EQ(refused, 1u);
  send("other", 5, clients);
  for (int i = 0; i < 2000 && refused == 1; ++i)
    for (std::size_t at = 17; at < clients.size(); ++at)
      refused += clients[at]->readable_within(1);
  EXPECT_EQ(refused, 2u);
  let_v2_go();
  unsigned limited = 0;
  for (auto& x : clients)
    limited += x->receive()->status == 500;
  EXPECT_EQ(limited, 2u);
}

TEST_F(crossref_at_once, row_40_who_sends_many_is_not_processed_before_others) {
  make_v2_wait();
  start({.at_work_max = 1});
  clients_list clients;
  send("psychoceramics", 3, clients);
  ASSERT_TRUE(wait_until([&] { return engine->rows.size() == 3; }));
  send("other", 1, clients);
  ASSERT_TRUE(wait_until([&] { return engine->rows.size() == 4; }));
  hear_of_all();
  let_v2_go();
  for (auto& x : clients)
    EXPECT_TRUE(x->receive());
  EXPECT_EQ(engine->v2_users,
            (std::vector<std::string>{"psychoceramics", "other",
                                      "psychoceramics", "psychoceramics"}));
}

TEST_F(crossref_at_once, row_10_nothing_is_processed_for_who_gets_nothing) {
  start();
  set_running(0, 0);
  const auto x = deposit_at_once(xml);
  EXPECT_EQ(x.status, 503u);
  EXPECT_EQ(x.header("retry-after"), "60");
  EXPECT_EQ(count(), 0u);
  set_running(0, 1);
  EXPECT_EQ(deposit_at_once(xml).status, 200u);
}

TEST_F(crossref_at_once, row_10_what_runs_counts_against_the_users_cap) {
  start();
  set_running(2, 2);
  const auto x = deposit_at_once(xml);
  EXPECT_EQ(x.status, 500u);
  EXPECT_TRUE(contains(x.body, "ExceededConcurrentLimit"));
  EXPECT_EQ(count(), 0u);
  set_running(1, 2);
  EXPECT_EQ(deposit_at_once(xml).status, 200u);
}

TEST_F(crossref_at_once, row_10_whose_claims_go_meanwhile_is_told_the_cap) {
  start();
  set_running(2, 3);
  {
    const std::lock_guard lock{engine->guard};
    engine->claims_are_gone = true;
  }
  const auto x = deposit_at_once(xml);
  EXPECT_EQ(x.status, 500u);
  EXPECT_TRUE(contains(x.body, "ExceededConcurrentLimit: maximum 3"));
  {
    const std::lock_guard lock{engine->guard};
    engine->claims_are_gone = false;
  }
  EXPECT_EQ(deposit_at_once(xml).status, 200u) << "its place was given back";
}

TEST_F(crossref_at_once, row_10_no_more_than_the_cap_come_in_together) {
  make_v2_wait();
  start();
  set_running(1, 3);
  clients_list clients;
  send("psychoceramics", 3, clients);
  // Two wait, so whoever is answered now was one too many.
  EXPECT_EQ(answered_first(clients), 1u);
  EXPECT_EQ(count(), 2u);
  let_v2_go();
  unsigned limited = 0;
  for (auto& x : clients)
    limited += x->receive()->status == 500;
  EXPECT_EQ(limited, 1u);
}

TEST_F(crossref_at_once, row_09_as_many_pending_as_the_queue_allows_is_429) {
  {
    const std::lock_guard lock{engine->guard};
    engine->pending_limit = 0;
  }
  start();
  EXPECT_EQ(deposit_at_once(xml).status, 429u);
  EXPECT_EQ(count(), 0u);
}
