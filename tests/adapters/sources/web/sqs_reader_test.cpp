// SQS that does what no good server does, or what it does seldom.

#include "adapters/sources/web/sqs_reader.hpp"
#include "tests/adapters/sources/web/web_sources.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace depositd::sources {

namespace {

using nlohmann::json;

struct delivery {
  std::string id;
  std::string receipt;
  std::string body;
};

std::string messages(const std::vector<delivery>& what) {
  auto all = json::array();
  for (const auto& x : what)
    all.push_back(
      {{"MessageId", x.id}, {"ReceiptHandle", x.receipt}, {"Body", x.body}});
  return scripted_server::ok(json{{"Messages", all}}.dump());
}

std::string refused(const std::string& status, const std::string& code) {
  const auto body = json{
    {"__type", "com.amazonaws.sqs#" + code},
    {"message",
     "because"}}.dump();
  return scripted_server::response(
    status, "Content-Length: " + std::to_string(body.size()) + "\r\n", body);
}

/// Answers to deletions as it is told, and all others with `received` in turn.
class sqs_script {
public:
  sqs_script(std::vector<std::string> received = {},
             std::vector<std::string> deleted = {})
    : received_(std::move(received)), deleted_(std::move(deleted)) {
    // nop
  }

  std::string operator()(const std::string& request) {
    const bool deletes = scripted_server::header(request, "X-Amz-Target")
                         == "AmazonSQS.DeleteMessageBatch";
    const auto& from = deletes ? deleted_ : received_;
    auto& at = deletes ? deletions_ : receptions_;
    const auto out = at < from.size() ? from[at] : messages({});
    ++at;
    return out;
  }

private:
  std::vector<std::string> received_;
  std::vector<std::string> deleted_;
  std::size_t receptions_ = 0;
  std::size_t deletions_ = 0;
};

class sqs_reader_test : public ::testing::Test {
protected:
  void open(sqs_script script, const std::string& key = {}) {
    server = std::make_unique<scripted_server>(std::move(script));
    auto settings =
      web_source(source_kind::sqs, server->url("/123456789012/in"));
    settings.key = key;
    settings.from.visibility_timeout_s = 77;
    keys.name_in(settings.from);
    reader = opened(make_sqs_reader("src", settings, web_context()));
  }

  /// Of what it was asked.
  std::vector<json> asked_for(const std::string& action) const {
    std::vector<json> out;
    for (const auto& x : server->requests())
      if (scripted_server::header(x, "X-Amz-Target") == "AmazonSQS." + action)
        out.push_back(json::parse(body_of_request(x)));
    return out;
  }

  std::vector<std::string> receipts_deleted(std::size_t request) const {
    std::vector<std::string> out;
    const auto all = asked_for("DeleteMessageBatch");
    for (const auto& x : all.at(request)["Entries"])
      out.push_back(x["ReceiptHandle"].get<std::string>());
    std::sort(out.begin(), out.end());
    return out;
  }

  caf::error failure() {
    auto out = asked(*reader);
    EXPECT_FALSE(out);
    return out ? caf::error{} : out.error();
  }

  using texts = std::vector<std::string>;

  key_files keys;
  std::unique_ptr<scripted_server> server;
  std::unique_ptr<source_reader> reader;
};

} // namespace

TEST_F(sqs_reader_test, asks_and_signs_as_sqs_wants_it) {
  open({{messages({{"i", "r", "1"}})}, {}});
  EXPECT_EQ(keys_of(next(*reader, 1)), texts{"i"});
  const auto request = server->requests().at(0);
  EXPECT_EQ(line_of_request(request), "POST /");
  EXPECT_EQ(scripted_server::header(request, "Content-Type"),
            "application/x-amz-json-1.0");
  const auto proof = scripted_server::header(request, "Authorization");
  EXPECT_NE(proof.find("Credential=depositd-test/"), proof.npos) << proof;
  EXPECT_NE(proof.find("/us-east-1/sqs/aws4_request"), proof.npos) << proof;
  EXPECT_EQ(request.find("only/for+tests"), request.npos);
  const auto what = asked_for("ReceiveMessage").at(0);
  EXPECT_EQ(what["QueueUrl"], server->url("/123456789012/in"));
  EXPECT_EQ(what["MaxNumberOfMessages"], 1);
  EXPECT_EQ(what["VisibilityTimeout"], 77);
  EXPECT_LT(what["WaitTimeSeconds"], 20);
}

TEST_F(sqs_reader_test, does_not_sign_without_keys) {
  scripted_server other{turns{messages({{"i", "r", "1"}})}};
  const auto settings = web_source(source_kind::sqs, other.url("/1/in"));
  reader = opened(make_sqs_reader("src", settings, web_context()));
  EXPECT_EQ(keys_of(next(*reader, 1)), texts{"i"});
  EXPECT_EQ(scripted_server::header(other.requests().at(0), "Authorization"),
            "");
}

TEST_F(sqs_reader_test, asks_until_there_is_nothing_or_no_room) {
  std::vector<delivery> ten;
  for (int i = 0; i < 10; ++i)
    ten.push_back({"a" + std::to_string(i), "r", "1"});
  open({{messages(ten), messages({{"b", "r", "1"}}), messages({})}, {}});
  EXPECT_EQ(next(*reader, 15).records.size(), 11u);
  const auto receptions = asked_for("ReceiveMessage");
  ASSERT_EQ(receptions.size(), 3u);
  EXPECT_EQ(receptions[0]["MaxNumberOfMessages"], 10);
  EXPECT_EQ(receptions[1]["MaxNumberOfMessages"], 5);
  EXPECT_EQ(receptions[1]["WaitTimeSeconds"], 0) << "it has something";
}

TEST_F(sqs_reader_test, keeps_what_it_has_when_a_further_question_fails) {
  open({{messages({{"a", "r", "1"}}), refused("500 No", "InternalError"),
         refused("500 No", "InternalError")},
        {}});
  EXPECT_EQ(keys_of(next(*reader)), texts{"a"});
  EXPECT_EQ(failure(), ec::store_failed) << "then it is told";
}

TEST_F(sqs_reader_test, passes_over_messages_that_are_not_utf8) {
  auto raw =
    json{{"Messages",
          json::array(
            {{{"MessageId", "i"}, {"ReceiptHandle", "r"}, {"Body", "?"}},
             {{"MessageId", "j"}, {"ReceiptHandle", "s"}, {"Body", "2"}}})}}
      .dump();
  raw[raw.find('?')] = '\xff';
  open({{scripted_server::ok(raw)}, {}});
  const auto batch = next(*reader);
  EXPECT_EQ(keys_of(batch), texts{"j"});
  ASSERT_EQ(batch.bad.size(), 1u);
  EXPECT_EQ(batch.bad[0].key, "i");
  EXPECT_EQ(batch.bad[0].reason, "is not UTF-8");
  EXPECT_EQ(batch.bad[0].body, "\xEF\xBF\xBD");
  EXPECT_FALSE(reader->applied({"i"}));
  EXPECT_TRUE(asked_for("DeleteMessageBatch").empty()) << "it stays there";
}

TEST_F(sqs_reader_test, deletes_by_the_receipt_of_the_latest_delivery) {
  open({{messages({{"i", "old", "1"}}), messages({}),
         messages({{"i", "new", "1"}})},
        {scripted_server::ok(R"({"Successful":[{"Id":"0"}]})")}});
  EXPECT_EQ(keys_of(next(*reader)), texts{"i"});
  EXPECT_EQ(keys_of(next(*reader)), texts{"i"}) << "it is delivered again";
  const auto error = reader->applied({"i"});
  EXPECT_FALSE(error) << render(error);
  EXPECT_EQ(receipts_deleted(0), texts{"new"});
  EXPECT_FALSE(reader->applied({"i"}));
  EXPECT_EQ(asked_for("DeleteMessageBatch").size(), 1u) << "it is gone";
}

TEST_F(sqs_reader_test, tries_again_what_was_not_deleted) {
  open({{messages({{"a", "r", "1"}, {"b", "s", "2"}})},
        {scripted_server::ok(
           R"({"Successful":[{"Id":"0"}],"Failed":[{"Id":"1",)"
           R"("SenderFault":false,"Code":"InternalError","Message":"m"}]})"),
         refused("503 No", "ServiceUnavailable"),
         scripted_server::ok(R"({"Successful":[{"Id":"0"}]})")}});
  next(*reader);
  const auto error = reader->applied({"a", "b"});
  EXPECT_EQ(error, ec::store_failed);
  EXPECT_EQ(render(error), "messages are not deleted: InternalError (m)");
  EXPECT_EQ(reader->applied({"a", "b"}), ec::store_failed);
  EXPECT_FALSE(reader->applied({"a", "b"}));
  EXPECT_EQ(receipts_deleted(1), texts{"s"}) << "only the one that is left";
  EXPECT_EQ(receipts_deleted(2), texts{"s"});
}

TEST_F(sqs_reader_test, does_not_insist_on_receipts_that_are_over) {
  open({{messages({{"a", "r", "1"}})},
        {scripted_server::ok(
          R"({"Failed":[{"Id":"0","SenderFault":true,)"
          R"("Code":"ReceiptHandleIsInvalid","Message":"m"}]})")}});
  next(*reader);
  EXPECT_FALSE(reader->applied({"a"})) << "it comes again";
  EXPECT_FALSE(reader->applied({"a"}));
  EXPECT_EQ(asked_for("DeleteMessageBatch").size(), 1u);
}

TEST_F(sqs_reader_test, deletes_ten_at_a_time) {
  std::vector<delivery> ten;
  std::vector<std::string> all{"b"};
  std::string done = R"({"Successful":[)";
  for (int i = 0; i < 10; ++i) {
    ten.push_back({"a" + std::to_string(i), "r", "1"});
    all.push_back(ten.back().id);
    done += (i > 0 ? ",{\"Id\":\"" : "{\"Id\":\"") + std::to_string(i) + "\"}";
  }
  open({{messages(ten), messages({{"b", "r", "1"}})},
        {scripted_server::ok(done + "]}"),
         scripted_server::ok(R"({"Successful":[{"Id":"0"}]})")}});
  next(*reader);
  EXPECT_FALSE(reader->applied(all));
  EXPECT_EQ(receipts_deleted(0).size(), 10u);
  EXPECT_EQ(receipts_deleted(1).size(), 1u);
}

TEST_F(sqs_reader_test, deletes_all_messages_of_a_key_that_is_a_field) {
  open({{messages({{"a", "r", R"({"n":7})"}, {"b", "s", R"({"n":7})"}})},
        {scripted_server::ok(R"({"Successful":[{"Id":"0"},{"Id":"1"}]})")}},
       "n");
  EXPECT_EQ(keys_of(next(*reader)), (texts{"7", "7"}));
  EXPECT_FALSE(reader->applied({"a"})) << "the id is no key here";
  EXPECT_FALSE(reader->applied({"7"}));
  ASSERT_EQ(asked_for("DeleteMessageBatch").size(), 1u);
  EXPECT_EQ(receipts_deleted(0), (texts{"r", "s"}));
}

TEST_F(sqs_reader_test, says_why_it_was_refused) {
  for (const auto& [answer, code, reason] :
       {std::tuple{refused("400 Bad Request", "QueueDoesNotExist"),
                   ec::not_found,
                   "SQS answers with 400: QueueDoesNotExist (because)"},
        std::tuple{
          refused("400 Bad Request", "AWS.SimpleQueueService.NonExistentQueue"),
          ec::not_found,
          "SQS answers with 400: AWS.SimpleQueueService.NonExistentQueue "
          "(because)"},
        std::tuple{refused("403 Forbidden", "echo only/for+tests"),
                   ec::store_failed,
                   "SQS answers with 403: echo *** (because)"},
        std::tuple{scripted_server::response("502 Bad Gateway", "", "<html/>"),
                   ec::store_failed, "SQS answers with 502"}}) {
    open({{answer}, {}});
    const auto error = failure();
    EXPECT_EQ(error, code);
    EXPECT_EQ(render(error), reason);
  }
}

TEST_F(sqs_reader_test, does_not_understand_everything) {
  open({{scripted_server::ok("<html/>")}, {}});
  EXPECT_EQ(failure(), ec::malformed);
}

TEST_F(sqs_reader_test, needs_the_keys_that_are_named) {
  open({});
  keys.write("secret", "\n");
  const auto error = failure();
  EXPECT_EQ(error, ec::invalid_argument);
  EXPECT_EQ(render(error).find("secret_key_file: no text in "), 0u)
    << render(error);
  keys.write("secret", "two\twords\n");
  EXPECT_EQ(failure(), ec::invalid_argument);
  EXPECT_EQ(render(failure()).find("two"), std::string::npos);
  keys.mend();
  EXPECT_TRUE(next(*reader).records.empty()) << "they are read each time";
}

TEST(sqs_source, is_refused_where_settings_cannot_be) {
  for (const auto& [url, setting] :
       {std::pair{"ftp://host/1/q", "url"}, std::pair{"http://host", "url"},
        std::pair{"http://host/", "url"},
        std::pair{"http://host/1/q?a=b", "url"},
        std::pair{"http://u:pass@host/1/q", "url"},
        std::pair{"no url", "url"}}) {
    const auto made =
      make_sqs_reader("src", web_source(source_kind::sqs, url), web_context());
    ASSERT_FALSE(made) << url;
    EXPECT_EQ(made.error(), ec::bad_setting) << url;
    EXPECT_EQ(render(made.error()).find(setting), 0u) << render(made.error());
    EXPECT_EQ(render(made.error()).find("pass"), std::string::npos);
  }
  auto settings = web_source(source_kind::sqs, "http://host/1/q");
  settings.from.access_key_file = "/there";
  EXPECT_EQ(render(make_sqs_reader("src", settings, web_context()).error()),
            "secret_key_file: is required with access_key_file");
  settings = web_source(source_kind::sqs, "http://host/1/q");
  settings.from.region = "no region";
  EXPECT_EQ(make_sqs_reader("src", settings, web_context()).error(),
            ec::bad_setting);
}

} // namespace depositd::sources
