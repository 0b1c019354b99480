#include "adapters/sources/web/queue_reader.hpp"
#include "adapters/sources/web/transport.hpp"
#include "tests/adapters/sources/web/fake_queue.hpp"

#include <algorithm>
#include <tuple>

namespace depositd::sources {

namespace {

class queue_reader_test : public ::testing::Test {
protected:
  queue_reader_test() : settings(web_source(source_kind::queue, queue.url())) {
    settings.from.claim_ttl_s = 77;
  }

  void open() {
    reader = opened(make_queue_reader("src", settings, web_context()));
  }

  std::size_t count_of(const std::string& line) const {
    const auto all = queue.lines();
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), line));
  }

  using texts = std::vector<std::string>;
  using names = std::set<std::string>;

  fake_queue queue;
  key_files keys{"the-api-key"};
  source_settings settings;
  std::unique_ptr<source_reader> reader;
};

std::string refusal(const std::string& status, const std::string& body) {
  return scripted_server::response(status, "", body);
}

} // namespace

TEST_F(queue_reader_test, claims_for_as_long_as_it_is_told) {
  settings.from.url += "/"; // which means the same
  open();
  queue.add("a", "1");
  EXPECT_EQ(keys_of(next(*reader, 5)), texts{"a"});
  EXPECT_EQ(queue.lines(),
            (texts{"/poll?ttl=77&limit=5", "/poll?ttl=77&limit=4"}));
  EXPECT_EQ(scripted_server::header(queue.requests().at(0), "X-BV-API-Key"),
            "");
}

TEST_F(queue_reader_test, shows_its_key_as_it_is_now) {
  settings.from.key_file = keys.path("secret");
  open();
  next(*reader);
  keys.write("secret", "another-key");
  next(*reader);
  const auto requests = queue.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(scripted_server::header(requests[0], "X-BV-API-Key"),
            "the-api-key");
  EXPECT_EQ(scripted_server::header(requests[1], "X-BV-API-Key"),
            "another-key");
  keys.write("secret", "");
  EXPECT_EQ(asked(*reader).error(), ec::invalid_argument);
}

TEST_F(queue_reader_test, brings_payloads_as_they_are_but_for_blanks) {
  open();
  queue.add("a", R"({ "z" : 12345678901234567890.50, "a" : "b c" })");
  queue.add("b", "null");
  queue.add("c", std::string(1'024, '[') + std::string(1'024, ']'));
  const auto batch = next(*reader);
  ASSERT_EQ(batch.records.size(), 2u);
  EXPECT_EQ(batch.records[0].body,
            R"({"z":12345678901234567890.50,"a":"b c"})");
  EXPECT_EQ(batch.records[1].body, "null");
  ASSERT_EQ(batch.bad.size(), 1u) << "too large, though not too deep";
  EXPECT_EQ(batch.bad[0].key, "c");
}

TEST_F(queue_reader_test, acknowledges_what_is_applied_and_nothing_else) {
  open();
  for (const auto* id : {"a", "b", "c"})
    queue.add(id, "1");
  queue.add("bad", '"' + std::string(2'000, 'x') + '"');
  const auto batch = next(*reader);
  EXPECT_EQ(keys_of(batch), (texts{"a", "b", "c"}));
  EXPECT_EQ(queue.left(), (names{"a", "b", "bad", "c"}));
  EXPECT_FALSE(reader->applied({"a", "c", "bad"}));
  EXPECT_EQ(queue.left(), (names{"b", "bad"}));
  EXPECT_FALSE(reader->applied({"a", "c"}));
  EXPECT_EQ(count_of("/ack"), 1u) << "they are over";
}

TEST_F(queue_reader_test, knows_messages_that_come_again) {
  open();
  queue.add("a", "1");
  next(*reader);
  queue.end_claims();
  EXPECT_EQ(keys_of(next(*reader)), texts{"a"});
  EXPECT_FALSE(reader->applied({"a"}));
  EXPECT_TRUE(queue.left().empty());
}

TEST_F(queue_reader_test, acknowledges_after_a_start_what_has_come_again) {
  open();
  queue.add("a", "1");
  next(*reader);
  open();
  EXPECT_FALSE(reader->applied({"a"})) << "it does not know it yet";
  EXPECT_EQ(queue.left(), names{"a"});
  queue.end_claims();
  next(*reader);
  EXPECT_FALSE(reader->applied({"a"}));
  EXPECT_TRUE(queue.left().empty());
}

TEST_F(queue_reader_test, claims_and_acknowledges_a_thousand_at_a_time) {
  open();
  std::vector<std::string> all;
  for (int i = 0; i < 1'001; ++i) {
    all.push_back("m" + std::to_string(i));
    queue.add(all.back(), "1");
  }
  EXPECT_EQ(next(*reader, 1'001).records.size(), 1'001u);
  EXPECT_EQ(queue.lines(),
            (texts{"/poll?ttl=77&limit=1000", "/poll?ttl=77&limit=1"}));
  EXPECT_FALSE(reader->applied(all));
  EXPECT_EQ(count_of("/ack"), 2u);
  EXPECT_TRUE(queue.left().empty());
}

TEST_F(queue_reader_test, tries_again_what_was_not_acknowledged) {
  settings.from.key_file = keys.path("secret");
  open();
  queue.add("a", "1");
  next(*reader);
  queue.refuse_with(refusal("403 Forbidden", "the-api-key is nobody's"));
  const auto error = reader->applied({"a"});
  EXPECT_EQ(error, ec::store_failed);
  EXPECT_EQ(render(error), "messages are not acknowledged: the queue answers "
                           "with 403: *** is nobody's");
  queue.refuse_with({});
  EXPECT_FALSE(reader->applied({"a"}));
  EXPECT_TRUE(queue.left().empty());
}

TEST_F(queue_reader_test, acknowledges_all_messages_of_a_key) {
  settings.key = "n";
  open();
  queue.add("a", R"({"n":7})");
  queue.add("b", R"({"n":7})");
  queue.add("c", R"({"n":8})");
  EXPECT_EQ(keys_of(next(*reader)), (texts{"7", "7", "8"}));
  EXPECT_FALSE(reader->applied({"7"}));
  EXPECT_EQ(queue.left(), names{"c"});
}

TEST_F(queue_reader_test, says_why_it_was_refused) {
  open();
  for (const auto& [answer, code, reason] :
       {std::tuple{
          refusal("403 Forbidden", R"({"reason":"not authorized"})"),
          ec::store_failed,
          R"(the queue answers with 403: {"reason":"not authorized"})"},
        std::tuple{refusal("404 Not Found", ""), ec::not_found,
                   "the queue answers with 404"},
        std::tuple{scripted_server::ok("<html/>"), ec::malformed,
                   "the answer is no list of messages"},
        std::tuple{scripted_server::ok(R"([{"payload":1}])"), ec::malformed,
                   "the answer is no list of messages: a message without id "
                   "or payload"},
        std::tuple{scripted_server::ok(R"([{"id":"a"}])"), ec::malformed,
                   "the answer is no list of messages: a message without id "
                   "or payload"},
        std::tuple{scripted_server::ok("{}"), ec::malformed,
                   "the answer is no list of messages"}}) {
    queue.refuse_with(answer);
    const auto out = asked(*reader);
    ASSERT_FALSE(out) << reason;
    EXPECT_EQ(out.error(), code) << reason;
    EXPECT_EQ(render(out.error()), reason);
  }
}

TEST_F(queue_reader_test, passes_over_payloads_that_are_not_utf8) {
  open();
  queue.add("a", "\"\xff\"");
  queue.add("b", "1");
  const auto batch = next(*reader);
  EXPECT_EQ(keys_of(batch), texts{"b"});
  ASSERT_EQ(batch.bad.size(), 1u);
  EXPECT_EQ(batch.bad[0].key, "a");
  EXPECT_EQ(batch.bad[0].reason, "is not UTF-8");
}

TEST_F(queue_reader_test, keeps_what_it_has_when_a_further_poll_fails) {
  scripted_server server{turns{
    scripted_server::ok(R"([{"id":"a","payload":1}])"), refusal("500 No", "")}};
  settings.from.url = server.url("/queue/1/src");
  open();
  EXPECT_EQ(keys_of(next(*reader)), texts{"a"});
  EXPECT_EQ(asked(*reader).error(), ec::store_failed);
}

TEST_F(queue_reader_test, claims_fewer_where_messages_are_too_large) {
  scripted_server server{
    turns{scripted_server::ok(std::string(answer_bytes_max + 1, ' ')),
          scripted_server::ok("[]")}};
  settings.from.url = server.url("/queue/1/src");
  open();
  EXPECT_EQ(asked(*reader, 100).error(), ec::too_large);
  next(*reader, 100);
  EXPECT_EQ(line_of_request(server.requests().at(1)),
            "GET /queue/1/src/poll?ttl=77&limit=50");
}

TEST_F(queue_reader_test, gives_up_in_time) {
  const silent_server server;
  settings.from.url = server.url("/queue/1/src");
  open();
  const auto out = asked(*reader, 1, {}, std::chrono::milliseconds{100});
  ASSERT_FALSE(out);
  EXPECT_EQ(render(out.error()), "took longer than 100 ms");
}

TEST_F(queue_reader_test, is_refused_where_settings_cannot_be) {
  for (const auto* url :
       {"ftp://host/queue/1/q", "http://host", "http://host//",
        "http://host/queue/1/q?a=b", "http://u:pass@host/queue/1/q", ""}) {
    settings.from.url = url;
    const auto made = make_queue_reader("src", settings, web_context());
    ASSERT_FALSE(made) << url;
    EXPECT_EQ(made.error(), ec::bad_setting) << url;
    EXPECT_EQ(render(made.error()).find("url: "), 0u) << render(made.error());
    EXPECT_EQ(render(made.error()).find("pass"), std::string::npos);
  }
}

} // namespace depositd::sources
