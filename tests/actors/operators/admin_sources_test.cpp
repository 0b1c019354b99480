// Sources, schedulers and strategies, as operators see and change them.

#include "actors/operators/command.hpp"
#include "actors/operators/documents.hpp"
#include "messages/values/base64.hpp"
#include "tests/actors/operators/admin_fixture.hpp"

namespace depositd::testing {
namespace {

class admin_sources_test : public admin_fixture {
protected:
  admin_sources_test() {
    world_.control.queues["letters"] = queue_settings{};
    world_.control.schedulers["post"] = {"post", {.queue = "letters"}};
    world_.control.sources["box"] = a_source("box", 5);
    scheduler_report post;
    post.name = "post";
    post.left = 7;
    post.fed = 70;
    post.rate = 1.25;
    post.state = scheduler_state::holding;
    post.sources = {a_report("box", 5)};
    world_.feeding.reports = {post};
  }

  static source_changed a_source(const std::string& name, micros made_us) {
    source_changed out;
    out.name = name;
    out.made_us = made_us;
    out.settings.kind = source_kind::folder;
    out.settings.scheduler = "post";
    out.settings.from.path = "/srv/box";
    return out;
  }

  static source_report a_report(const std::string& name, micros made_us) {
    source_report out;
    out.name = name;
    out.made_us = made_us;
    out.buffer = 10;
    out.replenishes = 3;
    out.rate = 2;
    out.has_total = true;
    out.total = 100;
    out.has_cursor = true;
    out.cursor = "m";
    out.records = {4, 1, 30, 2, 12};
    return out;
  }

  source_report& told() {
    return world_.feeding.reports.front().sources.front();
  }

  static json csv_arguments(const std::string& csv) {
    return {{"name", "box"}, {"content_base64", encode_base64(csv)}};
  }
};

// -- looking ------------------------------------------------------------------

TEST_F(admin_sources_test, show_tells_what_is_set_and_how_it_does) {
  const auto x = run("source show", {{"name", "box"}});
  const json promised{{"name", "box"},
                      {"kind", "folder"},
                      {"scheduler", "post"},
                      {"state", "running"},
                      {"buffer", 10},
                      {"capacity", 10'000},
                      {"replenish_threshold", 5'000},
                      {"known", 27},
                      {"in_flight", 5},
                      {"replenishing", false},
                      {"replenishes", 3},
                      {"replenish_ms_last", 0},
                      {"replenish_records_last", 0},
                      {"failures", 0},
                      {"error", nullptr},
                      {"error_at", nullptr},
                      {"cursor", "m"},
                      {"rate", 2.0},
                      {"done", 32},
                      {"total", 100},
                      {"left_s", 34},
                      {"duplicates", 0},
                      {"bad", 0},
                      {"bad_last", nullptr},
                      {"records",
                       {{"buffered", 10},
                        {"queued", 4},
                        {"claimed", 1},
                        {"finished", 30},
                        {"failed", 2}}}};
  for (const auto& [key, value] : promised.items())
    EXPECT_EQ(x[key], value) << key;
  EXPECT_EQ(x["path"], "/srv/box");
  EXPECT_FALSE(x.contains("url")) << "that is of other kinds";
  EXPECT_EQ(world_.feeding.asked.back().scheduler, "post");
}

TEST_F(admin_sources_test, list_has_sources_that_nobody_told_of_yet) {
  world_.control.sources["new"] = a_source("new", 6);
  told().made_us = 4; // an earlier one of its name
  const auto x = run("source list");
  ASSERT_EQ(x["sources"].size(), 2u);
  EXPECT_EQ(x["sources"][0]["buffer"], 0);
  EXPECT_EQ(x["sources"][1]["name"], "new");
  EXPECT_EQ(x["sources"][1]["total"], nullptr);
  const auto page = run("source list", {{"limit", 1}});
  EXPECT_EQ(page["next"], "box");
}

TEST_F(admin_sources_test, what_is_not_there_is_not_found) {
  const json nobody{{"name", "x"}};
  for (const auto* command :
       {"source show", "source pause", "source resume", "source remove",
        "source failed", "source test", "scheduler show", "scheduler remove",
        "strategy show", "strategy explain"})
    EXPECT_NE(refusal(command, nobody, ec::not_found).find("see s"),
              std::string::npos)
      << command;
  refusal("source set", {{"name", "x"}, {"capacity", "9"}}, ec::not_found);
}

TEST_F(admin_sources_test, scheduler_show_names_its_sources) {
  const auto x = run("scheduler show", {{"name", "post"}});
  EXPECT_EQ(x["queue"], "letters");
  EXPECT_EQ(x["strategy"], "fair(*)");
  EXPECT_EQ(x["high"], 10'000);
  EXPECT_EQ(x["low"], 5'000);
  EXPECT_EQ(x["high_per_user"], nullptr);
  EXPECT_EQ(x["state"], "holding");
  EXPECT_EQ(x["left"], 7);
  EXPECT_EQ(x["fed"], 70);
  EXPECT_EQ(x["rate"], 1.25);
  EXPECT_EQ(x["sources"], json::array({"box"}));
  EXPECT_EQ(run("scheduler list")["schedulers"].size(), 1u);
  refusal("scheduler show", {{"name", "x"}}, ec::not_found);
}

TEST_F(admin_sources_test, without_schedulers_nobody_is_asked) {
  world_.control.sources.clear();
  world_.control.schedulers.clear();
  EXPECT_TRUE(run("source list")["sources"].empty());
  EXPECT_TRUE(world_.feeding.asked.empty());
}

TEST_F(admin_sources_test, one_record_is_looked_up_by_its_key) {
  world_.feeding.found = {record_state::claimed, "ann", 9, 2};
  const json expected{{"source", "box"}, {"key", "a/b"}, {"state", "claimed"},
                      {"user", "ann"},   {"item", 9},    {"attempt", 2}};
  EXPECT_EQ(run("source record", {{"name", "box"}, {"key", "a/b"}}), expected);
  EXPECT_EQ(world_.feeding.looked_for.back().scheduler, "post");
  world_.feeding.found = {};
  const auto x = run("source record", {{"name", "box"}, {"key", "?"}});
  EXPECT_EQ(x["state"], "unknown");
  EXPECT_EQ(x["item"], nullptr);
  EXPECT_EQ(x["user"], nullptr);
  refusal("source record", {{"name", "x"}, {"key", "k"}}, ec::not_found);
}

// -- changing -----------------------------------------------------------------

TEST_F(admin_sources_test, add_takes_every_setting_as_a_text) {
  const auto x = run("source add", {{"name", "db"},
                                    {"kind", "sql"},
                                    {"scheduler", "post"},
                                    {"url", "sqlite:/srv/x.db"},
                                    {"query", "select id from t"},
                                    {"key", "id"},
                                    {"capacity", "20"},
                                    {"ends", "true"}});
  EXPECT_EQ(x["name"], "db");
  EXPECT_EQ(x["capacity"], 20);
  EXPECT_EQ(x["replenish_threshold"], 10);
  EXPECT_EQ(x["ends"], true);
  const auto made = proposed<source_changed>();
  EXPECT_EQ(made.settings.from.query, "select id from t");
  EXPECT_TRUE(made.settings.ends);
  EXPECT_EQ(made.made_us, 1'772'357'400'000'000);
  refusal("source add", {{"name", "db"}, {"kind", "sql"}}, ec::already_exists);
  const auto sqs = run("source add", {{"name", "mail"},
                                      {"kind", "sqs"},
                                      {"scheduler", "post"},
                                      {"url", "http://127.0.0.1:1/1/mail"},
                                      {"visibility_timeout_s", "40"}});
  EXPECT_EQ(sqs["visibility_timeout_s"], 40);
}

TEST_F(admin_sources_test, refusals_begin_with_the_setting) {
  const auto begins = [&](const char* command, const json& arguments,
                          const char* text) {
    EXPECT_EQ(refusal(command, arguments).find(text), 0u) << arguments;
  };
  json good{
    {"name", "x"}, {"kind", "folder"}, {"scheduler", "post"}, {"path", "/x"}};
  const auto with = [&](const char* key, const char* value) {
    auto out = good;
    out[key] = value;
    return out;
  };
  begins("source add", {{"name", "x"}}, "sources.x.kind: ");
  begins("source add", with("kind", "ftp"), "sources.x.kind: ");
  begins("source add", with("capacity", "0"), "sources.x.capacity: ");
  begins("source add", with("replenish_threshold", "10000"),
         "sources.x.capacity: ");
  begins("source add", with("scheduler", "nobody"), "sources.x.scheduler: ");
  begins("source add", with("bucket", "b"), "sources.x.bucket: ");
  begins("source add", with("name", "fair"), "sources.fair: ");
  begins("source set", {{"name", "box"}}, "give a setting");
  begins("source set",
         {{"name", "box"}, {"kind", "s3"}, {"bucket", "b"}, {"path", ""}},
         "sources.box.kind: ");
  begins("scheduler add", {{"name", "s"}}, "schedulers.s.queue: ");
  begins("scheduler add", {{"name", "s"}, {"queue", "metadata"}},
         "schedulers.s.queue: ");
  begins("scheduler set", {{"name", "post"}, {"high", "5"}, {"low", "5"}},
         "schedulers.post.high: ");
  begins("scheduler set", {{"name", "post"}, {"queue", "loose"}},
         "schedulers.post.queue: ");
  EXPECT_TRUE(world_.proposals.empty());
}

TEST_F(admin_sources_test, pause_and_resume_are_told_at_once) {
  EXPECT_EQ(run("source pause", {{"name", "box"}})["state"], "paused");
  EXPECT_TRUE(proposed<source_changed>().paused);
  told().state = source_state::paused;
  EXPECT_EQ(run("source resume", {{"name", "box"}})["state"], "running");
  EXPECT_FALSE(proposed<source_changed>().paused);
  EXPECT_EQ(proposed<source_changed>().resumes, 1u);
  told().state = source_state::ended;
  EXPECT_EQ(run("source show", {{"name", "box"}})["state"], "ended");
  EXPECT_EQ(run("source resume", {{"name", "box"}})["state"], "running");
  EXPECT_EQ(proposed<source_changed>().resumes, 2u);
}

TEST_F(admin_sources_test, what_is_durable_is_answered_whoever_is_silent) {
  world_.feeding.silent = true;
  auto reply = self->request(
    admin_, caf::infinite,
    admin_request{"source set",
                  json{{"name", "box"}, {"capacity", "30"}}.dump()});
  settle();
  advance(std::chrono::seconds{2});
  ASSERT_TRUE(self->has_next_message());
  reply.receive(
    [](admin_reply& x) { EXPECT_EQ(json::parse(x.document)["capacity"], 30); },
    [](caf::error& x) { FAIL() << render(x); });
}

TEST_F(admin_sources_test, remove_asks_and_is_refused_while_it_is_named) {
  EXPECT_FALSE(operators::find_command("source remove")->row.question.empty());
  world_.control.schedulers["post"].settings.strategy = "priority(box)";
  EXPECT_NE(refusal("source remove", {{"name", "box"}}).find("strategy"),
            std::string::npos);
  EXPECT_NE(refusal("scheduler remove", {{"name", "post"}}).find("belongs"),
            std::string::npos);
  world_.control.schedulers["post"].settings.strategy = "fair(*)";
  EXPECT_EQ(run("source remove", {{"name", "box"}}),
            (json{{"name", "box"}, {"removed", true}}));
  EXPECT_TRUE(world_.control.sources.empty());
  EXPECT_EQ(run("scheduler remove", {{"name", "post"}})["removed"], true);
}

TEST_F(admin_sources_test, a_scheduler_comes_with_its_queue) {
  run("scheduler add", {{"name", "s"}, {"queue", "fresh"}, {"high", "40"}});
  const auto queue = proposed_with_others<queue_changed>();
  EXPECT_EQ(queue.queue, "fresh");
  EXPECT_EQ(queue.settings.kind, queue_kind::message);
  EXPECT_EQ(proposed_with_others<scheduler_changed>().settings.high, 40u);
  EXPECT_EQ(run("scheduler set",
                {{"name", "s"}, {"high_per_user", "3"}})["high_per_user"],
            3);
  EXPECT_EQ(proposed<scheduler_changed>().settings.high_per_user, 3u);
}

TEST_F(admin_sources_test, strategies_are_shown_set_and_explained) {
  EXPECT_EQ(run("strategy set", {{"name", "post"}, {"strategy", "box"}}),
            (json{{"scheduler", "post"}, {"strategy", "box"}}));
  EXPECT_EQ(run("strategy show", {{"name", "post"}})["strategy"], "box");
  const auto why =
    refusal("strategy set", {{"name", "post"}, {"strategy", "fair(box, zz)"}});
  EXPECT_EQ(why.find("schedulers.post.strategy: column 11: "), 0u) << why;
  EXPECT_EQ(world_.control.schedulers["post"].settings.strategy, "box");
  world_.feeding.explanation = {
    "box", "box", "it is alone", {"box"}, {{"box", 1}}};
  const auto x =
    run("strategy explain", {{"name", "post"}, {"strategy", "fair(*)"}});
  EXPECT_EQ(x["next"], "box");
  EXPECT_EQ(x["why"], "it is alone");
  EXPECT_EQ(x["picks"], json::array({"box"}));
  EXPECT_EQ(x["sources"][0], (json{{"name", "box"}, {"buffer", 1}}));
  EXPECT_EQ(world_.feeding.explained.back().picks, 10u);
  refusal("strategy explain", {{"name", "post"}, {"strategy", "fair("}});
  EXPECT_EQ(world_.feeding.explained.size(), 1u);
}

TEST_F(admin_sources_test, passwords_are_neither_shown_nor_logged) {
  const auto add = [&](const char* name, const char* url) {
    return run("source add", {{"name", name},
                              {"kind", "sql"},
                              {"scheduler", "post"},
                              {"url", url},
                              {"query", "select 1 id"},
                              {"key", "id"}})["url"];
  };
  EXPECT_EQ(add("a", "postgresql://u:hidden@h/d?password=hidden&x=1"),
            "postgresql://***@h/d?password=***&x=1");
  EXPECT_EQ(add("b", "odbc:DSN=d;Uid=u;PWD={hid=den;hidden};App=x"),
            "odbc:DSN=d;Uid=u;PWD=***;App=x");
  const auto x =
    run("scheduler set", {{"name", "post"},
                          {"downstream", "postgresql://u:hidden@h/d"},
                          {"downstream_query", "select 1"}});
  EXPECT_EQ(x["downstream"], "postgresql://***@h/d");
  EXPECT_EQ(log_.str().find("hidden"), std::string::npos) << log_.str();
  EXPECT_EQ(world_.control.sources["a"].settings.from.url,
            "postgresql://u:hidden@h/d?password=hidden&x=1");
}

TEST_F(admin_sources_test, what_a_program_is_given_is_not_shown) {
  using depositd::without_arguments;
  EXPECT_EQ(without_arguments("/bin/fetch"), "/bin/fetch");
  EXPECT_EQ(without_arguments(" /bin/fetch "), " /bin/fetch ");
  EXPECT_EQ(without_arguments("/bin/fetch\t-p 'hid den'"), "/bin/fetch ***");
  EXPECT_EQ(without_arguments(""), "");
  static_cast<void>(send("source add", json{{"name", "b"},
                                            {"kind", "exec"},
                                            {"scheduler", "none-such"},
                                            {"command", "/bin/x -p hidden"},
                                            {"key", "id"}}
                                         .dump()));
  EXPECT_NE(log_.str().find("/bin/x ***"), std::string::npos) << log_.str();
  EXPECT_EQ(log_.str().find("hidden"), std::string::npos) << log_.str();
}

TEST_F(admin_sources_test, an_unencoded_password_is_not_shown_either) {
  using depositd::without_secrets;
  EXPECT_EQ(without_secrets("postgresql://u:hid/den@h:5432/d"),
            "postgresql://***@h:5432/d");
  EXPECT_EQ(without_secrets("postgresql://u:1/hi@dden@h/d"),
            "postgresql://***@h/d");
  EXPECT_EQ(without_secrets("https://u:hid#den@h/a"), "https://***@h/a");
  EXPECT_EQ(without_secrets("https://h:8443/a@b"), "https://h:8443/a@b");
  EXPECT_EQ(without_secrets("https://[::1]/a@b"), "https://[::1]/a@b");
}

TEST_F(admin_sources_test, secrets_of_many_names_are_not_shown) {
  using depositd::without_secrets;
  for (const auto* name :
       {"access_token", "client_secret", "X-Amz-Signature", "api_key",
        "private_key", "sig", "AUTH", "sslpassword"})
    EXPECT_EQ(without_secrets("https://h/a?n=1&" + std::string{name}
                              + "=hidden&m=2"),
              "https://h/a?n=1&" + std::string{name} + "=***&m=2");
  for (const auto* address :
       {"https://h/a?author=x&design=y", "host=h sslkey=/k.pem passfile=/p"})
    EXPECT_EQ(without_secrets(address), address);
}

TEST_F(admin_sources_test, passwords_of_what_is_refused_are_not_logged) {
  for (const auto* url :
       {"host=h password=hidden", "host=h password = 'hid den hidden' user=u",
        "password=hidden", "postgresql:host=h user=u password=hidden",
        "odbc:DSN=d;PWD = {hid}};hidden};App=x"})
    EXPECT_FALSE(send("source add", json{{"name", "b"},
                                         {"kind", "sql"},
                                         {"scheduler", "none-such"},
                                         {"url", url},
                                         {"query", "select 1 id"},
                                         {"key", "id"}}
                                      .dump()));
  EXPECT_NE(log_.str().find("host=h"), std::string::npos) << log_.str();
  EXPECT_EQ(log_.str().find("hidden"), std::string::npos) << log_.str();
  EXPECT_EQ(log_.str().find("hid "), std::string::npos) << log_.str();
}

TEST_F(admin_sources_test, a_query_goes_with_the_database_downstream) {
  const auto set = [&](const std::string& downstream) {
    return run("scheduler set",
               {{"name", "post"}, {"downstream", downstream}});
  };
  run("scheduler set", {{"name", "post"},
                        {"downstream", "postgresql://h/d"},
                        {"downstream_query", "select 1"}});
  EXPECT_EQ(set("postgresql://other/d")["downstream_query"], "select 1");
  const auto none = set("");
  EXPECT_TRUE(none["downstream"].is_null()) << none;
  EXPECT_TRUE(none["downstream_query"].is_null()) << none;
  EXPECT_EQ(refusal("scheduler set",
                    {{"name", "post"}, {"downstream_query", "select 1"}}),
            "schedulers.post.downstream_query: is for a database in "
            "downstream");
}

// -- records ------------------------------------------------------------------

TEST_F(admin_sources_test, failed_records_come_in_pages) {
  for (std::uint64_t i = 1; i <= 2'500; ++i) {
    record_row row;
    row.key = "k" + std::to_string(i);
    row.user = "ann";
    row.reason = "no";
    row.body = "{}";
    row.place = i;
    world_.feeding.failed.push_back(row);
  }
  const auto all = run("source failed", {{"name", "box"}});
  EXPECT_EQ(all["failed"].size(), 2'500u);
  EXPECT_FALSE(all.contains("next"));
  const auto& query = world_.feeding.failed_queries.front();
  EXPECT_EQ(query.queue, "letters");
  EXPECT_EQ(query.source, "box");
  EXPECT_EQ(query.made_us, 5);
  EXPECT_LE(query.count_max, 1'000u);
  EXPECT_EQ(
    all["failed"][0],
    (json{{"key", "k1"}, {"user", "ann"}, {"error", "no"}, {"body", "{}"}}));
  const auto page = run("source failed", {{"name", "box"}, {"limit", 2}});
  EXPECT_EQ(page["failed"].size(), 2u);
  const auto rest =
    run("source failed", {{"name", "box"}, {"after", page["next"]}});
  EXPECT_EQ(rest["failed"][0]["key"], "k3");
}

TEST_F(admin_sources_test, failed_records_are_a_table_that_can_be_fed) {
  record_row row;
  row.key = "=1";
  row.user = "ann";
  row.reason = "two\r\nlines";
  row.body = R"({"a":"b"})";
  row.place = 1;
  world_.feeding.failed = {row};
  const auto csv = run("source failed", {{"name", "box"}, {"csv", true}})["csv"]
                     .get<std::string>();
  EXPECT_EQ(csv.find("key,user,error,body\n"), 0u) << csv;
  EXPECT_NE(csv.find("two\r\nlines"), std::string::npos) << csv;
  EXPECT_EQ(run("source feed", csv_arguments(csv)),
            (json{{"name", "box"}, {"fed", 1}, {"bad", json::array()}}));
  const auto& fed = world_.feeding.fed.at(0);
  EXPECT_EQ(fed.scheduler, "post");
  EXPECT_EQ(fed.records.at(0).key, "=1");
  EXPECT_EQ(fed.records.at(0).body, R"({"a":"b"})");
  EXPECT_EQ(log_.str().find("content_base64\":\"a2"), std::string::npos);
}

// Doors give bodies out as they are: one that is none would make a whole answer
// unreadable.
TEST_F(admin_sources_test, bodies_that_are_no_json_are_not_fed) {
  const auto x = run("source feed", csv_arguments("key,user,body\n"
                                                  "a,ann,no\n"
                                                  "b,ann,\n"
                                                  "c,ann,{} {}\n"
                                                  "d,ann,\"\"\"t\"\"\"\n"
                                                  "e,ann,[1]\n"));
  EXPECT_EQ(x["fed"], 2);
  ASSERT_EQ(x["bad"].size(), 3u);
  EXPECT_EQ(x["bad"][0],
            (json{{"key", "a"}, {"error", "the body is no JSON"}}));
  EXPECT_EQ(x["bad"][2]["key"], "c");
  ASSERT_EQ(world_.feeding.fed.size(), 1u);
  EXPECT_EQ(world_.feeding.fed[0].records.at(0).body, "\"t\"");
  EXPECT_EQ(world_.feeding.fed[0].records.at(1).body, "[1]");
}

TEST_F(admin_sources_test, large_tables_are_fed_in_groups) {
  std::string csv = "key,user,body\n";
  for (int i = 0; i < 2'100; ++i)
    csv += "k" + std::to_string(i) + ",ann,{}\n";
  world_.feeding.bad = {{"k0", "", "no JSON", "", 0}};
  const auto x = run("source feed", csv_arguments(csv));
  EXPECT_EQ(x["fed"], 2'097);
  EXPECT_EQ(x["bad"].size(), 3u);
  EXPECT_EQ(x["bad"][0], (json{{"key", "k0"}, {"error", "no JSON"}}));
  EXPECT_EQ(world_.feeding.fed.size(), 3u);
  EXPECT_EQ(world_.feeding.fed[2].records.size(), 100u);
  EXPECT_EQ(audit_lines(), 1u);
  world_.feeding.feeds_max = 4;
  const auto why = refusal("source feed", csv_arguments(csv), ec::store_failed);
  EXPECT_NE(why.find("of the first 1000 records 999 were fed"),
            std::string::npos)
    << why;
}

TEST_F(admin_sources_test, tables_that_are_none_are_refused_by_row) {
  EXPECT_NE(
    refusal("source feed", csv_arguments("key,user\na,b\n"), ec::malformed)
      .find("no column body"),
    std::string::npos);
  std::string long_one = "key,user,body\n";
  for (int i = 0; i < 10'002; ++i)
    long_one += "k,u,{}\n";
  refusal("source feed", csv_arguments(long_one), ec::too_large);
  refusal("source feed", {{"name", "box"}, {"content_base64", "!"}},
          ec::malformed);
  EXPECT_TRUE(world_.feeding.fed.empty());
}

TEST_F(admin_sources_test, a_batch_can_be_tried) {
  world_.feeding.batch.records = {{"k", "ann", "{}", ""}};
  world_.feeding.batch.bad = {{"", "", "no key", "x", 0}};
  const auto x = run("source test", {{"name", "box"}, {"limit", 5}});
  EXPECT_EQ(x["records"][0],
            (json{{"key", "k"}, {"user", "ann"}, {"body", "{}"}}));
  EXPECT_EQ(x["bad"][0]["error"], "no key");
  EXPECT_EQ(x["error"], nullptr);
  EXPECT_EQ(world_.feeding.tested.back().limit, 5u);
  world_.feeding.refusal =
    caf::make_error(ec::bad_setting, std::string{"sources.box.path: none"});
  EXPECT_EQ(refusal("source test", {{"name", "box"}}),
            "sources.box.path: none");
}

// -- queues -------------------------------------------------------------------

TEST_F(admin_sources_test, what_a_queue_shares_out_is_set_and_shown) {
  EXPECT_EQ(run("queue show", {{"name", "loose"}})["fair_by"], "turns");
  EXPECT_EQ(
    run("queue set", {{"name", "loose"}, {"fair_by", "bytes"}})["fair_by"],
    "bytes");
  EXPECT_EQ(proposed<fairness_changed>().by, fair_by::bytes);
  EXPECT_EQ(run("queue show", {{"name", "loose"}})["fair_by"], "bytes");
  const auto before = world_.proposals.size();
  run("queue set", {{"name", "loose"}, {"fair_by", "bytes"}});
  EXPECT_EQ(world_.proposals.size(), before) << "it is so already";
  refusal("queue set", {{"name", "loose"}, {"fair_by", "luck"}});
}

} // namespace
} // namespace depositd::testing
