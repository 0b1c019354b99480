#include "adapters/sources/web/transport.hpp"
#include "tests/adapters/sources/web/web_sources.hpp"

#include <future>

namespace depositd::sources {

namespace {

class web_line_test : public ::testing::Test {
protected:
  caf::expected<web_reply>
  ask(const std::string& url,
      std::chrono::milliseconds timeout = std::chrono::seconds{60}) {
    web_question x;
    x.url = url;
    return line.ask(x, allowance{timeout});
  }

  interruption stop;
  web_line line{"", stop};
};

/// Plays the other side of a batch: `answers` in their order, none is a
/// failure. Counts the questions.
class gather_messages_test : public ::testing::Test {
protected:
  using messages = std::vector<std::string>;
  using answers = std::vector<std::optional<messages>>;

  caf::expected<pulled_batch> gather(answers said, std::uint64_t limit = 100) {
    batch_request x;
    x.limit = limit;
    return gather_messages(
      x, stop,
      [&](std::uint64_t, const allowance&) -> caf::expected<messages> {
        auto& next = said.at(asked++);
        if (!next)
          return caf::make_error(ec::store_failed, std::string{"broken"});
        return std::move(*next);
      },
      [](std::string text, pulled_batch& out) {
        const auto bytes = text.size();
        out.records.push_back({std::move(text), "", "", ""});
        return bytes;
      });
  }

  static messages keys(const pulled_batch& x) {
    messages out;
    for (const auto& record : x.records)
      out.push_back(record.key);
    return out;
  }

  interruption stop;
  std::size_t asked = 0;
};

} // namespace

TEST_F(web_line_test, brings_the_answer_whatever_its_status_is) {
  scripted_server server{
    turns{scripted_server::ok("hello"),
          scripted_server::response("404 Not Found", "", "nothing")}};
  const auto good = ask(server.url("/a?b=c"));
  ASSERT_TRUE(good) << render(good.error());
  EXPECT_EQ(good->status, 200);
  EXPECT_EQ(good->body, "hello");
  const auto bad = ask(server.url("/"));
  ASSERT_TRUE(bad) << render(bad.error());
  EXPECT_EQ(bad->status, 404);
  EXPECT_EQ(bad->body, "nothing");
  EXPECT_EQ(line_of_request(server.requests().at(0)), "GET /a?b=c");
}

TEST_F(web_line_test, posts_what_it_is_given) {
  scripted_server server{turns{scripted_server::ok("")}};
  web_question x;
  x.url = server.url("/");
  x.post = "some bytes";
  x.headers = {"X-Test: yes"};
  ASSERT_TRUE(line.ask(x, allowance{std::chrono::seconds{60}}));
  const auto request = server.requests().at(0);
  EXPECT_EQ(line_of_request(request), "POST /");
  EXPECT_EQ(body_of_request(request), "some bytes");
  EXPECT_EQ(scripted_server::header(request, "X-Test"), "yes");
}

TEST_F(web_line_test, follows_nobody) {
  scripted_server other{turns{scripted_server::ok("stolen")}};
  scripted_server server{turns{scripted_server::response(
    "302 Found", "Location: " + other.url("/") + "\r\n", "")}};
  const auto out = ask(server.url("/"));
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(out->status, 302);
  EXPECT_TRUE(other.requests().empty());
}

TEST_F(web_line_test, gives_up_in_time) {
  const silent_server server;
  const auto out = ask(server.url("/"), std::chrono::milliseconds{100});
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_EQ(render(out.error()), "took longer than 100 ms");
  EXPECT_EQ(render(ask(server.url("/"), std::chrono::milliseconds{0}).error()),
            "took longer than 0 ms");
}

TEST_F(web_line_test, ends_at_once_when_it_is_cancelled) {
  silent_server server;
  const interruption::call call{stop};
  auto waiting = std::async(std::launch::async, [&] {
    return ask(server.url("/"), std::chrono::minutes{5});
  });
  server.await_waiting();
  stop.cancel();
  const auto out = waiting.get();
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_EQ(render(out.error()), "was cancelled");
  EXPECT_EQ(render(ask(server.url("/")).error()), "was cancelled")
    << "for the whole of the call";
}

TEST_F(web_line_test, says_why_nobody_answers) {
  const auto out = ask("http://127.0.0.1:9/");
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_FALSE(render(out.error()).empty());
}

TEST_F(web_line_test, does_not_take_half_of_an_answer_for_one) {
  scripted_server server{turns{"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n"
                               "Connection: close\r\n\r\nhalf"}};
  EXPECT_EQ(ask(server.url("/")).error(), ec::store_failed);
}

TEST_F(web_line_test, does_not_read_without_end) {
  scripted_server server{
    turns{scripted_server::ok(std::string(answer_bytes_max + 1, 'x')),
          scripted_server::ok("short")}};
  EXPECT_EQ(ask(server.url("/")).error(), ec::too_large);
  EXPECT_TRUE(ask(server.url("/"))) << "the next one is another matter";
}

TEST(web_line, quotes_no_secrets_and_no_line_breaks) {
  EXPECT_EQ(quoted_reason("key secret, secretsecret\r\nend", {"secret", ""}),
            "key ***, ******  end");
  EXPECT_EQ(quoted_reason(std::string(1'000, 'x'), {}), std::string(300, 'x'));
  EXPECT_EQ(quoted_reason("a\xff", {}), "a\xEF\xBF\xBD");
}

TEST_F(gather_messages_test, asks_until_nothing_is_left) {
  const auto out = gather({messages{"a", "b"}, messages{"c"}, messages{}});
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(keys(*out), (messages{"a", "b", "c"}));
}

TEST_F(gather_messages_test, asks_no_more_than_there_is_room_for) {
  const auto out = gather({messages{"a", "b"}, messages{"c"}}, 3);
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(keys(*out), (messages{"a", "b", "c"}));
  EXPECT_EQ(asked, 2u);
}

TEST_F(gather_messages_test, what_came_counts_when_a_later_question_fails) {
  const auto out = gather({messages{"a", "b"}, std::nullopt});
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(keys(*out), (messages{"a", "b"}));
}

TEST_F(gather_messages_test, fails_when_the_first_question_does) {
  const auto out = gather({std::nullopt});
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_EQ(render(out.error()), "broken");
}

TEST_F(gather_messages_test, brings_nothing_that_nobody_wants_any_more) {
  const interruption::call call{stop};
  stop.cancel();
  EXPECT_EQ(gather({messages{"a"}, std::nullopt}).error(), ec::store_failed);
}

} // namespace depositd::sources
