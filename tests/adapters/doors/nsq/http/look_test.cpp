// What may be read: statistics, options, and where topics are found.

#include "adapters/doors/nsq/http/stats.hpp"
#include "tests/adapters/doors/nsq/http/api_world.hpp"

#include <spdlog/spdlog.h>

#include <list>
#include <mutex>

namespace depositd::testing {

namespace {

using nlohmann::json;
using nsq_http::stats_asked;
using nsq_http::stats_known;

class look : public api_world {
protected:
  /// Two topics, the first with two channels.
  void fill() {
    auto& x = core->topics["orders"];
    x.messages = 9;
    x.bytes = 90;
    x.channels["billing"].depth = 3;
    x.channels["mail"].paused = true;
    core->topics["quiet#ephemeral"].depth = 2;
  }
};

nsq::client_facts a_consumer() {
  nsq::client_facts out;
  out.client_id = "worker";
  out.hostname = "worker.example";
  out.remote_address = "10.0.0.7:5555";
  out.user_agent = "test/1";
  out.state = nsq::client_state::subscribed;
  out.ready_count = 20;
  out.in_flight_count = 2;
  out.message_count = 12;
  out.finish_count = 9;
  out.requeue_count = 1;
  out.connect_ts = 1'000;
  out.topic = "orders";
  out.channel = "billing";
  return out;
}

nsq::client_facts a_producer() {
  nsq::client_facts out;
  out.hostname = "shop.example";
  out.remote_address = "10.0.0.8:6666";
  out.pub_counts = {{"orders", 5}, {"mails", 2}};
  return out;
}

stats_known known() {
  stats_known out;
  topics_listed::topic orders;
  orders.name = "orders";
  orders.messages = 9;
  topics_listed::channel billing;
  billing.name = "billing";
  billing.depth = 3;
  orders.channels.push_back(billing);
  out.topics.topics.push_back(orders);
  out.consumers.push_back(a_consumer());
  out.producers.push_back(a_producer());
  out.version = "1.3.0";
  out.health = "OK";
  out.start_s = 1'000;
  out.now_s = 4'723;
  out.memory_bytes = 77;
  return out;
}

TEST(statistics, name_consumers_of_their_channel_and_producers) {
  const auto x = json::parse(stats_document(known(), {}));
  const auto channel = x["topics"][0]["channels"][0];
  EXPECT_EQ(channel["client_count"], 1);
  const auto client = channel["clients"][0];
  EXPECT_EQ(client["client_id"], "worker");
  EXPECT_EQ(client["state"], 3);
  EXPECT_EQ(client["ready_count"], 20);
  EXPECT_EQ(client["version"], "V2");
  EXPECT_FALSE(client.contains("authed"));
  EXPECT_FALSE(client.contains("pub_counts"));
  ASSERT_EQ(x["producers"].size(), 1U);
  EXPECT_EQ(x["producers"][0]["pub_counts"],
            json::parse(R"([{"topic":"orders","count":5},
                            {"topic":"mails","count":2}])"));
  EXPECT_EQ(x["memory"]["heap_in_use_bytes"], 77);
  EXPECT_EQ(channel["e2e_processing_latency"],
            json::parse(R"({"count":0,"percentiles":null})"));
}

TEST(statistics, count_clients_that_are_not_asked_for) {
  stats_asked what;
  what.clients = false;
  what.memory = false;
  const auto x = json::parse(stats_document(known(), what));
  const auto channel = x["topics"][0]["channels"][0];
  EXPECT_EQ(channel["client_count"], 1);
  EXPECT_EQ(channel["clients"], nullptr);
  EXPECT_FALSE(x.contains("memory"));
  EXPECT_EQ(x["producers"], json::array());
}

TEST(statistics, of_clients_that_send_no_utf_8_are_json_all_the_same) {
  auto x = known();
  x.consumers[0].hostname = "\xff\xfe";
  EXPECT_FALSE(
    json::parse(stats_document(x, {}), nullptr, false).is_discarded());
}

TEST(statistics, on_a_page_have_no_line_nor_escape_of_a_client) {
  auto x = known();
  x.consumers[0].hostname = "a\r\n\x1b[2J";
  x.producers[0].user_agent = "b\n   [orders] depth: 0\x9b";
  const auto page = stats_page(x, {});
  EXPECT_NE(page.find("[V2 a\\x0d\\x0a\\x1b[2J:5555 test/1]"), page.npos);
  EXPECT_NE(page.find("b\\x0a   [orders] depth: 0\\x9b"), page.npos);
  EXPECT_EQ(page.find_first_of("\r\x1b\x9b"), page.npos);
}

TEST(statistics, are_a_page_as_nsqd_prints_it) {
  stats_asked what;
  what.memory = false;
  EXPECT_EQ(
    stats_page(known(), what),
    "nsqd v1.3.0 (depositd)\n"
    "start_time 1970-01-01T00:16:40Z\n"
    "uptime 1h2m3s\n"
    "\n"
    "Health: OK\n"
    "\n"
    "Topics:\n"
    "   [orders         ] depth: 0     be-depth: 0     msgs: 9        e2e%: \n"
    "      [billing                  ] depth: 3     be-depth: 3     inflt: 0   "
    " def: 0    re-q: 0     timeout: 0     msgs: 0        e2e%: \n"
    "        [V2 worker.example:5555 test/1] state: 3 inflt: 2    rdy: 20   "
    "fin: 9        re-q: 1        msgs: 12       connected: 1h2m3s\n"
    "\n"
    "Producers:\n"
    "   [V2 shop.example:6666    ] msgs: 7        topics: orders=5,mails=2 "
    "connected: 1h18m43s\n");
}

TEST_F(look, shows_only_the_topic_and_channel_that_are_asked_for) {
  start();
  fill();
  EXPECT_EQ(stats()["topics"].size(), 2U);
  const auto orders = stats("&topic=orders")["topics"];
  ASSERT_EQ(orders.size(), 1U);
  EXPECT_EQ(orders[0]["channels"].size(), 2U);
  const auto mail = stats("&topic=orders&channel=mail")["topics"];
  ASSERT_EQ(mail.size(), 1U);
  ASSERT_EQ(mail[0]["channels"].size(), 1U);
  EXPECT_EQ(mail[0]["channels"][0]["channel_name"], "mail");
  EXPECT_EQ(stats("&channel=mail")["topics"].size(), 1U);
  EXPECT_EQ(stats("&topic=none")["topics"], json::array());
  EXPECT_EQ(stats("&topic=no$name")["topics"], json::array());
  EXPECT_EQ(stats("&topic=orders&channel=none")["topics"], json::array());
}

TEST_F(look, takes_no_memory_from_others_while_nobody_reads) {
  start();
  EXPECT_EQ(kept_answers, std::vector<std::string>{"GET /ping"});
}

TEST_F(look, has_some_wait_who_ask_about_all_topics) {
  start();
  std::list<raw_client> clients;
  {
    const std::lock_guard nobody_is_answered{core->guard};
    for (int i = 0; i < 30; ++i)
      clients.emplace_back(server->port())
        .send("GET /stats HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  for (auto& x : clients) {
    const auto got = x.receive();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->status, 200U);
  }
}

TEST_F(look, tells_what_is_not_kept_on_disk) {
  start();
  fill();
  const auto quiet = stats("&topic=quiet%23ephemeral")["topics"][0];
  EXPECT_EQ(quiet["depth"], 2);
  EXPECT_EQ(quiet["backend_depth"], 0);
}

TEST_F(look, prints_a_page_unless_json_is_asked_for) {
  start();
  EXPECT_NE(get("/stats?include_mem=0").body.find("\nTopics: None\n"),
            std::string::npos);
  fill();
  const auto x = get("/stats");
  EXPECT_EQ(x.header("content-type"), "text/plain; charset=utf-8");
  EXPECT_NE(x.body.find("   [orders         ] depth: 0"), std::string::npos);
  EXPECT_NE(x.body.find("   *P [mail  "), std::string::npos);
  EXPECT_NE(x.body.find("heap_in_use_bytes"), std::string::npos);
}

TEST_F(look, tells_of_itself) {
  start();
  const auto x = document("/info");
  EXPECT_EQ(x["version"], "1.3.0");
  EXPECT_EQ(x["broadcast_address"], "queue.example");
  EXPECT_EQ(x["hostname"], "host1");
  EXPECT_EQ(x["tcp_port"], 4150);
  EXPECT_EQ(x["http_port"], server->port());
  EXPECT_GT(x["start_time"], 1'700'000'000);
  EXPECT_EQ(x["max_heartbeat_interval"], 60'000'000'000);
  EXPECT_EQ(x["max_output_buffer_size"], 65'536);
  EXPECT_EQ(x["max_output_buffer_timeout"], 30'000'000'000);
  EXPECT_EQ(x["max_deflate_level"], 6);
}

TEST_F(look, tells_options_by_nsqds_names) {
  start();
  EXPECT_TRUE(says(get("/config/broadcast_address"), "queue.example"));
  EXPECT_TRUE(says(get("/config/max_msg_size"), "1048576"));
  EXPECT_TRUE(says(get("/config/max_req_timeout"), "3600000000000"));
  EXPECT_TRUE(says(get("/config/nsqlookupd_tcp_addresses"), "[]"));
  EXPECT_TRUE(refuses(get("/config/nothing"), 400, "INVALID_OPTION"));
}

TEST_F(look, changes_the_level_of_the_log) {
  start();
  const auto before = spdlog::get_level();
  const auto level = [&](const std::string& word) {
    return send("PUT", "/config/log_level", word);
  };
  EXPECT_TRUE(says(level("fatal"), "5"));
  EXPECT_EQ(spdlog::get_level(), spdlog::level::critical);
  EXPECT_TRUE(says(level("WARN"), "3"));
  EXPECT_TRUE(says(get("/config/log_level"), "3"));
  EXPECT_TRUE(refuses(level("loud"), 400, "INVALID_VALUE"));
  EXPECT_TRUE(refuses(level(""), 413, "INVALID_VALUE"));
  EXPECT_TRUE(
    refuses(send("PUT", "/config/max_msg_size", "1"), 400, "INVALID_OPTION"));
  spdlog::set_level(before);
}

TEST_F(look, changes_nobody_whom_nobody_tells) {
  start();
  const auto put = [&](const std::string& list) {
    return send("PUT", "/config/nsqlookupd_tcp_addresses", list);
  };
  EXPECT_TRUE(refuses(put("no list"), 400, "INVALID_VALUE"));
  EXPECT_TRUE(refuses(put("[1]"), 400, "INVALID_VALUE"));
  EXPECT_TRUE(refuses(put(R"(["127.0.0.1:4160"])"), 400, "INVALID_VALUE"));
}

TEST_F(look, finds_topics_as_nsqlookupd_does) {
  start();
  fill();
  const auto x = document("/lookup?topic=orders");
  EXPECT_EQ(x["channels"], json::parse(R"(["billing","mail"])"));
  ASSERT_EQ(x["producers"].size(), 1U);
  EXPECT_EQ(x["producers"][0], (json{{"remote_address", "queue.example:4150"},
                                     {"hostname", "host1"},
                                     {"broadcast_address", "queue.example"},
                                     {"tcp_port", 4150},
                                     {"http_port", server->port()},
                                     {"version", "1.3.0"}}));
  EXPECT_EQ(document("/topics"),
            json::parse(R"({"topics":["orders","quiet#ephemeral"]})"));
  EXPECT_EQ(document("/channels?topic=orders"),
            json::parse(R"({"channels":["billing","mail"]})"));
  EXPECT_EQ(document("/channels?topic=none"),
            json::parse(R"({"channels":[]})"));
  const auto node = document("/nodes")["producers"][0];
  EXPECT_EQ(node["topics"], json::parse(R"(["orders","quiet#ephemeral"])"));
  EXPECT_EQ(node["tombstones"], json::parse("[false,false]"));
  EXPECT_EQ(node["tcp_port"], 4150);
}

TEST_F(look, says_what_it_does_not_find) {
  start();
  fill();
  EXPECT_TRUE(refuses(get("/lookup"), 400, "MISSING_ARG_TOPIC"));
  EXPECT_TRUE(refuses(get("/lookup?topic="), 404, "TOPIC_NOT_FOUND"));
  EXPECT_TRUE(refuses(get("/lookup?topic=none"), 404, "TOPIC_NOT_FOUND"));
  EXPECT_TRUE(refuses(get("/channels"), 400, "MISSING_ARG_TOPIC"));
}

TEST_F(look, names_nobody_for_a_topic_under_a_tombstone) {
  start();
  fill();
  const auto hide = [&](const std::string& node) {
    return post("/topic/tombstone?topic=orders&node=" + node);
  };
  const auto producers = [&] {
    return document("/lookup?topic=orders")["producers"].size();
  };
  EXPECT_TRUE(
    refuses(post("/topic/tombstone?topic=orders"), 400, "MISSING_ARG_NODE"));
  EXPECT_TRUE(says(hide("other.example:4151"), ""));
  EXPECT_EQ(producers(), 1U);
  const auto here = "queue.example:" + std::to_string(server->port());
  EXPECT_TRUE(says(hide(here), ""));
  EXPECT_EQ(producers(), 0U);
  EXPECT_EQ(document("/nodes")["producers"][0]["tombstones"],
            json::parse("[true,false]"));
}

TEST(tombstones, end) {
  nsq_lookup::tombstones x;
  const nsq_lookup::tombstones::time now{std::chrono::hours{1}};
  x.add("t", now);
  EXPECT_TRUE(x.has("t", now + std::chrono::seconds{44}));
  EXPECT_FALSE(x.has("t", now + std::chrono::seconds{45}));
  EXPECT_FALSE(x.has("u", now));
}

TEST_F(look, names_nobody_while_the_other_door_is_closed) {
  start();
  fill();
  door->announce(
    {{"queue.example", "host1", "1.3.0", 0, server->port()}, nullptr});
  EXPECT_EQ(document("/lookup?topic=orders")["producers"], json::array());
  EXPECT_EQ(document("/nodes")["producers"], json::array());
}

// A shard serves others meanwhile, however much there is to be told.
TEST_F(look, answers_are_not_written_in_the_shards_thread) {
  fill();
  std::thread::id writer;
  nsq_http::door_options open;
  open.anonymous = true;
  open.consumers = [&] {
    const std::lock_guard lock{core->guard};
    writer = std::this_thread::get_id();
    return std::vector<nsq::client_facts>{};
  };
  start(std::move(open));
  EXPECT_EQ(stats()["topics"].size(), 2U);
  const std::lock_guard lock{core->guard};
  EXPECT_NE(writer, std::thread::id{});
  EXPECT_NE(writer, core->thread);
}

} // namespace

} // namespace depositd::testing
