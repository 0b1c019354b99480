// What Prometheus and the page hear of a real core, and how counts last.

#include "adapters/doors/operations/metrics.hpp"
#include "tests/adapters/doors/http/kept_answer.hpp"
#include "tests/support/polling_fixture.hpp"

#include <caf/event_based_actor.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace depositd {

namespace {

using namespace std::chrono_literals;

class metrics_test : public testing::polling_fixture {
protected:
  void SetUp() override {
    start();
    open_door();
  }

  void open_door() {
    metrics_options options;
    options.shards = [this] {
      std::vector<engine_met::owned> out;
      out.push_back({0, 1, core, read_model});
      return out;
    };
    options.processors = processors;
    options.version = "1.2.3";
    options.clock = engine_clock{time_us, sched.clock().now()};
    whom = spawn(metrics_door, std::move(options));
    routes = {};
    add_metrics_routes(routes, whom);
    routes.add("GET", "/api/v1/history",
               [this](http::request&&, http::responder answer) {
                 const auto to =
                   std::make_shared<http::responder>(std::move(answer));
                 caf::anon_send(whom, tell_history{to});
               });
  }

  /// What a path is answered.
  std::string get(const std::string& path) {
    const auto to = std::make_shared<testing::kept_answer>();
    const auto match = routes.find("GET", http::split_path(path));
    if (!match.found)
      return "";
    match.found->answer({}, http::responder{to});
    settle();
    return to->got.body;
  }

  std::string metrics() {
    return get("/metrics");
  }

  /// The door's processors never say anything.
  void open_door_beside_silence() {
    processors = caf::actor_cast<processor_manager_actor>(
      caf::actor_cast<caf::strong_actor_ptr>(
        spawn([](caf::event_based_actor*) -> caf::behavior {
          return {[](report_slots) -> caf::result<slots_report> {
            return caf::delegated<slots_report>{};
          }};
        })));
    open_door();
  }

  std::shared_ptr<testing::kept_answer> ask_for_metrics() {
    const auto to = std::make_shared<testing::kept_answer>();
    caf::anon_send(whom, tell_metrics{std::make_shared<http::responder>(to)});
    settle();
    return to;
  }

  nlohmann::json series(const char* name) {
    return nlohmann::json::parse(get("/api/v1/history"))["series"][name];
  }

  /// One step of the history, and what comes of it.
  void step() {
    advance(history_step);
  }

  bool says(const std::string& line) {
    const auto text = metrics();
    const auto found = ("\n" + text).find("\n" + line + "\n");
    EXPECT_NE(found, std::string::npos) << line << "\nin\n" << text;
    return found != std::string::npos;
  }

  void serve(const testing::test_processor& by, int count) {
    for (int i = 0; i < count; ++i) {
      want(by, 1);
      ASSERT_FALSE(by.got->items.empty());
      end(by, by.got->items.back());
    }
  }

  processor_manager_actor processors; ///< nobody
  metrics_door_actor whom;
  http::router routes;
};

TEST_F(metrics_test, items_are_counted_from_arrival_to_end) {
  put("q", items_of("ann", 3));
  const auto sp = attach_to("q");
  advance(3s);
  serve(sp, 2);
  says(R"(depositd_submissions_accepted_total{queue="q"} 3)");
  says(R"(depositd_jobs_finished_total{queue="q",outcome="done"} 2)");
  says(R"(depositd_jobs{queue="q",state="waiting"} 1)");
  says(R"(depositd_grants_total{queue="q",kind="round_robin"} 2)");
  says(R"(depositd_queue_oldest_age_seconds{queue="q"} 3)");
  says(R"(depositd_grant_wait_seconds_count{queue="q",had="few"} 2)");
  says(R"(depositd_grant_wait_seconds_bucket{queue="q",had="few",le="2"} 0)");
  says(R"(depositd_grant_wait_seconds_bucket{queue="q",had="few",le="10"} 2)");
  says(R"(depositd_job_duration_seconds_count{queue="q"} 2)");
  says(R"(depositd_build_info{version="1.2.3",commit=""} 1)");
  says(R"(depositd_scrape_errors{part="shard"} 0)");
}

TEST_F(metrics_test, may_be_put_off_while_others_do_not_read_them) {
  const auto* found = routes.find("GET", {"metrics"}).found;
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->options.repeatable);
}

TEST_F(metrics_test, ages_end_with_what_waits) {
  put("q", items_of("ann", 1));
  advance(5s);
  says(R"(depositd_user_wait_seconds{queue="q",user="ann"} 5)");
  serve(attach_to("q"), 1);
  says(R"(depositd_queue_oldest_age_seconds{queue="q"} 0)");
  EXPECT_EQ(metrics().find("user=\"ann\""), std::string::npos);
}

TEST_F(metrics_test, only_ten_users_are_named) {
  for (int i = 0; i < 15; ++i) {
    put("q", items_of("user" + std::to_string(i), 1));
    advance(1s);
  }
  const auto text = metrics();
  EXPECT_NE(text.find(R"({queue="q",user="user9"} 6)"), std::string::npos);
  EXPECT_EQ(text.find("user=\"user10\""), std::string::npos);
  says(R"_(depositd_user_wait_seconds{queue="(others)",user="(others)"} 5)_");
}

TEST_F(metrics_test, shares_are_judged_when_everybody_had_some_turns) {
  put("q", items_of("ann", 200));
  put("q", items_of("bob", 200));
  const auto sp = attach_to("q");
  step();
  EXPECT_EQ(metrics().find("fair_evenness"), std::string::npos);
  serve(sp, 40);
  step();
  says(R"(depositd_fair_evenness_ratio{queue="q"} 1)");
  says(R"(depositd_fair_lag_ratio{queue="q"} 0)");
  says(R"(depositd_user_share_ratio{queue="q",user="ann"} 0.5)");
  says(R"_(depositd_user_share_ratio{queue="(others)",user="(others)"} 0)_");
}

TEST_F(metrics_test, counts_outlive_a_shard_that_starts_over) {
  put("q", items_of("ann", 2));
  serve(attach_to("q"), 2);
  says(R"(depositd_jobs_finished_total{queue="q",outcome="done"} 2)");
  restart();
  put("q", items_of("ann", 1));
  serve(attach_to("q"), 1);
  says(R"(depositd_jobs_finished_total{queue="q",outcome="done"} 3)");
}

TEST_F(metrics_test, whoever_is_silent_is_named_and_the_rest_told) {
  open_door_beside_silence();
  const auto to = ask_for_metrics();
  EXPECT_EQ(to->got.body, "");
  advance(2s);
  EXPECT_NE(to->got.body.find(R"(scrape_errors{part="processors"} 1)"),
            std::string::npos);
  EXPECT_NE(to->got.body.find(R"(shard_serving{shard="0"} 1)"),
            std::string::npos);
}

TEST_F(metrics_test, what_came_while_somebody_is_silent_is_counted_once) {
  open_door_beside_silence();
  advance(history_step - 1s);
  put("q", items_of("ann", 3));
  const auto to = ask_for_metrics();
  put("q", items_of("ann", 4));
  advance(1s); // the step ends, and counts as well
  EXPECT_EQ(to->got.body, "");
  advance(1s);
  const std::string name = R"(depositd_submissions_accepted_total{queue="q"} )";
  EXPECT_NE(to->got.body.find(name + "7\n"), std::string::npos) << to->got.body;
  const auto again = ask_for_metrics();
  advance(2s);
  EXPECT_NE(again->got.body.find(name + "7\n"), std::string::npos)
    << again->got.body;
}

TEST_F(metrics_test, the_last_hour_is_kept_by_steps) {
  EXPECT_EQ(series("accepted").size(), history_steps);
  EXPECT_TRUE(series("accepted").back().is_null());
  step();
  EXPECT_TRUE(series("accepted").back().is_null()); // what was before?
  EXPECT_EQ(series("waiting").back(), 0);
  put("q", items_of("ann", 4));
  serve(attach_to("q"), 1);
  step();
  EXPECT_EQ(series("accepted").back(), 4);
  EXPECT_EQ(series("finished").back(), 1);
  EXPECT_EQ(series("failed").back(), 0);
  EXPECT_EQ(series("waiting").back(), 3);
  EXPECT_EQ(series("oldest_s").back(), 10);
  step();
  EXPECT_EQ(series("accepted").back(), 0);
  EXPECT_TRUE(series("accepted")[0].is_null());
}

// -- counts -------------------------------------------------------------------

shard_measured told(std::uint32_t shard, const std::string& queue,
                    std::uint64_t finished) {
  shard_measured out;
  out.shard = shard;
  out.serving = true;
  auto& ring = out.rings.emplace_back();
  ring.report.name = queue;
  ring.counters.n[count_finished] = finished;
  return out;
}

/// Hears of each shard in the order of its questions.
void take(lasting_counters& to, const shard_measured& x) {
  static std::uint64_t question = 0;
  to.take(x, ++question);
}

std::uint64_t finished_of(const lasting_counters& x, const std::string& queue) {
  return x.queues().at(queue).counters.n[count_finished];
}

TEST(lasting_counters_test, never_fall_when_a_shard_begins_anew) {
  lasting_counters x;
  take(x, told(0, "q", 5));
  take(x, told(1, "q", 7));
  take(x, told(0, "q", 6));
  EXPECT_EQ(finished_of(x, "q"), 13u);
  take(x, told(0, "q", 2)); // of a new actor
  EXPECT_EQ(finished_of(x, "q"), 15u);
}

TEST(lasting_counters_test, hear_of_what_was_earlier_in_vain) {
  lasting_counters x;
  x.take(told(0, "q", 5), 1);
  x.take(told(0, "q", 9), 3);
  x.take(told(0, "q", 7), 2); // came late
  x.take(told(1, "q", 1), 2); // another shard
  x.take(told(0, "q", 10), 4);
  EXPECT_EQ(finished_of(x, "q"), 11u);
}

TEST(lasting_counters_test, outlive_their_queue) {
  lasting_counters x;
  take(x, told(0, "q", 5));
  shard_measured nothing;
  take(x, nothing);
  EXPECT_EQ(finished_of(x, "q"), 5u);
  take(x, told(0, "q", 5)); // another one of its name
  EXPECT_EQ(finished_of(x, "q"), 10u);
}

TEST(lasting_counters_test, name_so_many_queues_and_no_more) {
  lasting_counters x;
  for (std::size_t i = 0; i < queues_named_max + 20; ++i) {
    shard_measured all = told(0, "q" + std::to_string(i), 1);
    take(x, all);
  }
  EXPECT_EQ(x.queues().size(), queues_named_max);
  EXPECT_EQ(finished_of(x, others), 21u);
  EXPECT_EQ(x.label_of("q0"), "q0");
  EXPECT_EQ(x.label_of("q" + std::to_string(queues_named_max)), others);
  EXPECT_EQ(x.sum().n[count_finished], queues_named_max + 20);
}

TEST(process_numbers_test, are_those_of_this_process) {
  const auto x = read_process_numbers();
  EXPECT_GT(x.resident_bytes, 1'000'000u);
  EXPECT_GE(x.threads, 1u);
  EXPECT_GE(x.open_files, 3u);
  EXPECT_GT(x.started_s, 1e9);
}

} // namespace

} // namespace depositd
