// /pub and /mpub over real sockets.

#include "tests/adapters/doors/nsq/http/api_world.hpp"

#include "adapters/doors/kit/drain.hpp"

#include <chrono>
#include <future>

namespace depositd::testing {

namespace {

using strings = std::vector<std::string>;

class publishing : public api_world {};

/// Lengths and bytes as MPUB has them.
std::string length_of(std::size_t size) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>((size >> shift) & 0xff);
  return out;
}

std::string packed(const strings& bodies) {
  auto out = length_of(bodies.size());
  for (const auto& x : bodies)
    out += length_of(x.size()) + x;
  return out;
}

TEST_F(publishing, row_h1_refuses_what_has_no_body_topic_or_method) {
  start();
  EXPECT_TRUE(refuses(post("/pub?topic=t"), 400, "MSG_EMPTY"));
  EXPECT_TRUE(refuses(post("/pub"), 400, "MSG_EMPTY"));
  EXPECT_TRUE(refuses(post("/pub", "x"), 400, "MISSING_ARG_TOPIC"));
  EXPECT_TRUE(refuses(post("/pub?topic=a$b", "x"), 400, "INVALID_TOPIC"));
  EXPECT_TRUE(refuses(post("/pub?topic=", "x"), 400, "INVALID_TOPIC"));
  const auto wrong = get("/pub?topic=t");
  EXPECT_TRUE(refuses(wrong, 405, "METHOD_NOT_ALLOWED"));
  EXPECT_EQ(wrong.header("allow"), "POST");
  EXPECT_TRUE(refuses(get("/put?topic=t"), 404, "NOT_FOUND"));
  EXPECT_EQ(bodies(), strings{});
}

TEST_F(publishing, says_ok_as_nsqd_does) {
  start();
  const auto x = post("/pub?topic=t", "hello");
  EXPECT_TRUE(says(x, "OK"));
  EXPECT_EQ(x.header("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(last().topic, "t");
  EXPECT_EQ(last().user, "127.0.0.1");
  EXPECT_EQ(last().delay_ms, 0U);
  EXPECT_EQ(bodies(), strings{"hello"});
}

TEST_F(publishing, hands_out_what_came_whatever_it_is_said_to_be) {
  start();
  const std::string body = "\x1f\x8b is no gzip";
  for (const auto* coding : {"gzip", "deflate", "br", "identity"}) {
    const auto head = std::string{"Content-Encoding: "} + coding + "\r\n";
    EXPECT_TRUE(says(post("/pub?topic=t", body, head), "OK")) << coding;
    EXPECT_EQ(last().bodies, strings{body}) << coding;
    EXPECT_TRUE(says(post("/mpub?topic=t", "a\nb", head), "OK")) << coding;
    EXPECT_EQ(last().bodies, (strings{"a", "b"})) << coding;
  }
}

TEST_F(publishing, says_nothing_before_the_commit) {
  start();
  core->journal_waits = true;
  raw_client client{server->port()};
  client.send("POST /pub?topic=t HTTP/1.1\r\nHost: a\r\nContent-Length: "
              "1\r\n\r\nx");
  {
    std::unique_lock lock{core->guard};
    ASSERT_TRUE(core->changed.wait_for(lock, std::chrono::seconds{20},
                                       [&] { return core->arrived > 0; }));
  }
  EXPECT_FALSE(client.readable_within(100));
  let_journal_go();
  const auto x = client.receive();
  ASSERT_TRUE(x);
  EXPECT_TRUE(says(*x, "OK"));
}

TEST_F(publishing, row_h2_makes_a_message_of_each_line) {
  start();
  EXPECT_TRUE(says(post("/mpub?topic=t", "a\nb\n\nc\n"), "OK"));
  EXPECT_EQ(bodies(), (strings{"a", "b", "c"}));
  EXPECT_EQ(last().bodies.size(), 3U) << "one commit";
  EXPECT_TRUE(says(post("/mpub?topic=t&binary=false", "d\re\nf"), "OK"));
  EXPECT_EQ(bodies(), (strings{"a", "b", "c", "d\re", "f"}));
}

TEST_F(publishing, of_blank_lines_makes_the_topic_only) {
  start();
  EXPECT_TRUE(says(post("/mpub?topic=t", "\n\n"), "OK"));
  EXPECT_EQ(bodies(), strings{});
  EXPECT_EQ(stats()["topics"][0]["topic_name"], "t");
}

TEST_F(publishing, row_h3_takes_lengths_and_bytes) {
  start();
  const strings all{"a", "b\n", std::string{"\0\1", 2}};
  EXPECT_TRUE(says(post("/mpub?topic=t&binary=true", packed(all)), "OK"));
  EXPECT_EQ(bodies(), all);
  // Any other value is taken for yes.
  EXPECT_TRUE(says(post("/mpub?topic=t&binary=yes", packed({"d"})), "OK"));
  EXPECT_EQ(bodies().back(), "d");
}

TEST_F(publishing, refuses_a_wrong_binary_body_as_a_whole) {
  start();
  const auto wrong = [&](const std::string& body) {
    return post("/mpub?topic=t&binary=true", body);
  };
  EXPECT_TRUE(refuses(wrong("ab"), 413, "BAD_BODY"));
  EXPECT_TRUE(refuses(wrong(length_of(0)), 413, "BAD_BODY"));
  EXPECT_TRUE(refuses(wrong(length_of(0xffffffff)), 413, "BAD_BODY"));
  EXPECT_TRUE(refuses(wrong(length_of(2'000'000)), 413, "BAD_BODY"));
  EXPECT_TRUE(refuses(wrong(packed({"a", ""})), 413, "BAD_MESSAGE"));
  EXPECT_TRUE(refuses(wrong(packed({"a"}).substr(0, 8)), 413, "BAD_MESSAGE"));
  EXPECT_TRUE(
    refuses(wrong(length_of(2) + length_of(1) + "a"), 413, "BAD_MESSAGE"));
  EXPECT_EQ(bodies(), strings{});
}

TEST_F(publishing, row_h4_delays_within_the_limit_only) {
  start();
  core->topics["t"].channels["c"];
  EXPECT_TRUE(says(post("/pub?topic=t&defer=1000", "x"), "OK"));
  EXPECT_EQ(last().delay_ms, 1'000U);
  EXPECT_EQ(stats()["topics"][0]["channels"][0]["deferred_count"], 1);
  EXPECT_TRUE(says(post("/pub?topic=t&defer=3600000", "x"), "OK"));
  for (const auto* value : {"3600001", "-1", "", "1s", "99999999999999999999"})
    EXPECT_TRUE(refuses(post(std::string{"/pub?topic=t&defer="} + value, "x"),
                        400, "INVALID_DEFER"))
      << value;
  EXPECT_EQ(bodies().size(), 2U);
}

TEST_F(publishing, refuses_what_is_too_large_in_nsqds_words) {
  nsq_http::door_options small;
  small.anonymous = true;
  small.limits.message_bytes_max = 100;
  small.limits.body_bytes_max = 1'000;
  start(std::move(small));
  const std::string long_one(101, 'x');
  EXPECT_TRUE(says(post("/pub?topic=t", std::string(100, 'x')), "OK"));
  EXPECT_TRUE(refuses(post("/pub?topic=t", long_one), 413, "MSG_TOO_BIG"));
  EXPECT_TRUE(refuses(post("/mpub?topic=t", long_one), 413, "MSG_TOO_BIG"));
  EXPECT_TRUE(refuses(post("/mpub?topic=t", std::string(1'001, '\n')), 413,
                      "BODY_TOO_BIG"));
  EXPECT_TRUE(refuses(post("/mpub?topic=t&binary=true", packed({long_one})),
                      413, "BAD_MESSAGE"));
  const auto chunked =
    ask("POST /pub?topic=t HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
        "chunked\r\n\r\n65\r\n"
        + long_one + "\r\n0\r\n\r\n");
  EXPECT_TRUE(refuses(chunked, 413, "MSG_TOO_BIG"));
  EXPECT_EQ(bodies().size(), 1U);
}

TEST_F(publishing, of_too_many_messages_is_refused_in_nsqds_words) {
  nsq_http::door_options small;
  small.anonymous = true;
  small.limits.mpub_messages_max = 3;
  start(std::move(small));
  EXPECT_TRUE(says(post("/mpub?topic=t", "a\n\nb\nc\n"), "OK"));
  EXPECT_TRUE(
    refuses(post("/mpub?topic=t", "a\nb\nc\nd"), 413, "BODY_TOO_BIG"));
  EXPECT_TRUE(refuses(post("/mpub?topic=t&binary=true",
                           packed({"a", "b", "c", "d"})),
                      413, "BAD_BODY"));
  EXPECT_EQ(bodies().size(), 3U);
}

TEST_F(publishing, of_very_many_messages_is_one_answer) {
  start();
  std::string lines;
  for (int i = 0; i < 25'000; ++i)
    lines += std::to_string(i) + '\n';
  EXPECT_TRUE(says(post("/mpub?topic=t", lines), "OK"));
  const auto all = bodies();
  ASSERT_EQ(all.size(), 25'000U);
  EXPECT_EQ(all.front(), "0");
  EXPECT_EQ(all.back(), "24999");
}

TEST_F(publishing, is_refused_when_the_engine_cannot_take_it) {
  start();
  core->fails = ec::draining;
  EXPECT_TRUE(refuses(post("/pub?topic=t", "x"), 503, "EXITING"));
  core->fails = ec::overloaded;
  const auto x = post("/mpub?topic=t", "x");
  EXPECT_TRUE(refuses(x, 503, "OVERLOADED"));
  EXPECT_EQ(x.header("retry-after"), "1");
  EXPECT_EQ(bodies(), strings{});
}

TEST_F(publishing, is_told_that_the_server_stops) {
  start();
  core->journal_waits = true;
  const std::string line(100'000, 'x');
  raw_client waiting{server->port()};
  waiting.send("POST /pub?topic=t HTTP/1.1\r\nHost: a\r\n"
               "Content-Length: 100000\r\n\r\n"
               + line);
  ASSERT_TRUE(kit::wait_while(
    [&] { return memory->used() < 2 * line.size(); },
    std::chrono::steady_clock::now() + std::chrono::seconds{20}));
  raw_client other{server->port()};
  const std::string look = "GET /info HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(other.exchange(look)->status, 200u);
  auto stop = std::async(std::launch::async,
                         [&] { server->stop(std::chrono::seconds{60}); });
  auto said = other.exchange(look);
  while (said && said->status == 200)
    said = other.exchange(look);
  ASSERT_TRUE(said);
  EXPECT_TRUE(refuses(*said, 503, "EXITING"));
  let_journal_go();
  EXPECT_EQ(waiting.receive()->status, 200u);
  stop.wait();
}

TEST_F(publishing, is_answered_in_time_whatever_happens) {
  nsq_http::door_options hasty;
  hasty.anonymous = true;
  hasty.answer_limit = std::chrono::milliseconds{200};
  start(std::move(hasty));
  core->journal_waits = true;
  EXPECT_TRUE(refuses(post("/pub?topic=t", "x"), 503, "TIMEOUT"));
}

// Who waited has gone; the messages are still in the engine, and so is what
// they take.
TEST_F(publishing, that_is_late_gives_its_memory_back_with_its_messages) {
  nsq_http::door_options hasty;
  hasty.anonymous = true;
  hasty.answer_limit = std::chrono::milliseconds{20};
  start(std::move(hasty));
  core->journal_waits = true;
  const std::string line(100'000, 'x');
  EXPECT_TRUE(
    refuses(post("/mpub?topic=t", line + '\n' + line), 503, "TIMEOUT"));
  // Whoever comes later looks after those before.
  for (int i = 0; i < 17; ++i)
    EXPECT_EQ(get("/ping").status, 500U);
  EXPECT_GE(memory->used(), 2 * line.size());
  let_journal_go();
  const auto holds = [&] { return memory->used() > 0; };
  EXPECT_TRUE(kit::wait_while(
    holds, std::chrono::steady_clock::now() + std::chrono::seconds{20}));
}

TEST_F(publishing, row_h6_tells_of_a_disk_that_fails_until_it_works) {
  start();
  const auto well = get("/ping");
  EXPECT_EQ(well.status, 200U);
  EXPECT_EQ(well.body, "OK");
  EXPECT_EQ(well.header("x-nsq-content-type"), "");
  core->fails = ec::store_failed;
  EXPECT_TRUE(refuses(post("/pub?topic=t", "x"), 500, "INTERNAL_ERROR"));
  const auto ill = get("/ping");
  EXPECT_EQ(ill.status, 500U);
  EXPECT_EQ(ill.body, "NOK - as the test wants");
  EXPECT_EQ(stats()["health"], "NOK - as the test wants");
  core->fails = ec{};
  EXPECT_TRUE(says(post("/pub?topic=t", "x"), "OK"));
  EXPECT_EQ(get("/ping").body, "OK");
}

TEST_F(publishing, is_unwell_while_no_work_is_taken) {
  start();
  core->refuses_intake = ec::draining;
  EXPECT_EQ(get("/ping").status, 500U);
  core->refuses_intake = ec{};
  EXPECT_EQ(get("/ping").status, 200U);
}

} // namespace

} // namespace depositd::testing
