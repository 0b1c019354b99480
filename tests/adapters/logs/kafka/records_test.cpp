#include "adapters/logs/kafka/records.hpp"
#include "tests/adapters/logs/kafka/protocol_examples.hpp"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace depositd {

namespace {

using testing::examples;

record_format format() {
  return make_record_format(
    {.egress_topic = "out", .dead_letter_topic = "dead"});
}

source_record a_record(std::string value) {
  return {
    .offset = 7, .key = "k", .value = std::move(value), .has_value = true};
}

caf::expected<ingest_deposit> read_record(const source_record& x) {
  auto out = format().read(x);
  if (!out)
    return std::move(out.error());
  EXPECT_TRUE(std::holds_alternative<ingest_deposit>(*out));
  return std::get<ingest_deposit>(std::move(*out));
}

caf::expected<ingest_deposit> read(std::string value) {
  return read_record(a_record(std::move(value)));
}

/// A good record's members, of which a test changes one.
nlohmann::ordered_json members() {
  return {{"id", "a.xml"}, {"user", "amelie"}, {"type", "metadata"},
          {"payload", "<doi_batch/>"}};
}

/// A good record's text with something more in it.
std::string with(const std::string& more) {
  return R"({"id":"a.xml","user":"amelie","type":"metadata",)"
         R"("payload":"<doi_batch/>",)"
         + more + "}";
}

std::string refusal(std::string value) {
  const auto out = read(std::move(value));
  return out ? "taken" : render(out.error());
}

std::string refusal_of(const char* name, nlohmann::ordered_json value) {
  auto all = members();
  all[name] = std::move(value);
  return refusal(all.dump());
}

outcome_event an_outcome() {
  outcome_event out;
  out.event_id = "0:4711:1772357401250000";
  out.id = 1234;
  out.user = "amelie";
  out.queue = "metadata";
  out.submission.file_name = "2026-03-01-fungi.xml";
  out.submission.operation = "doMDUpload";
  out.submission.source = "kafka";
  out.how = ending::failed;
  out.reason = "the root element is not doi_batch";
  out.batch_id = "fungi-2026-03";
  out.received_us = 1'772'357'400'125'000;
  out.finished_us = 1'772'357'401'250'000;
  out.document = R"(<doi_batch_diagnostic status="completed"/>)";
  return out;
}

nlohmann::json outcome_document(const outcome_event& x) {
  return nlohmann::json::parse(format().write_outcome(x).value);
}

} // namespace

TEST(records, take_the_examples_of_the_protocol) {
  const auto all = examples();
  ASSERT_EQ(all.count("ingress"), 2U);
  auto at = all.lower_bound("ingress");
  const auto first = read(at->second);
  ASSERT_TRUE(first) << render(first.error());
  EXPECT_EQ(first->user, "amelie");
  EXPECT_EQ(first->queue, "metadata");
  EXPECT_EQ(first->priority, 10);
  EXPECT_EQ(first->body, "<?xml version=\"1.0\"?>"
                         "<doi_batch version=\"5.3.1\"/>");
  EXPECT_EQ(first->submission, (submission{.file_name = "2026-03-01-fungi.xml",
                                           .operation = "doMDUpload",
                                           .login = "amelie",
                                           .source = "kafka",
                                           .blob = "",
                                           .size = first->body.size(),
                                           .trace = ""}));
  const auto second = read((++at)->second);
  ASSERT_TRUE(second) << render(second.error());
  EXPECT_EQ(second->queue, "query");
  EXPECT_EQ(second->submission.operation, "doQueryUpload");
  EXPECT_EQ(second->body, "<query_batch/>\n");
  EXPECT_EQ(second->priority, 0);
}

TEST(records, refuse_the_examples_that_the_protocol_says_are_refused) {
  const auto all = examples();
  ASSERT_EQ(all.count("refused"), 1U);
  EXPECT_EQ(refusal(all.find("refused")->second),
            "payload_url is not supported");
}

TEST(records, write_outcomes_as_the_protocol_shows) {
  const auto all = examples();
  ASSERT_EQ(all.count("egress"), 1U);
  const auto out = format().write_outcome(an_outcome());
  EXPECT_EQ(nlohmann::ordered_json::parse(out.value),
            nlohmann::ordered_json::parse(all.find("egress")->second));
  EXPECT_EQ(out.topic, "out");
  EXPECT_EQ(out.key, "amelie");
  EXPECT_EQ(out.headers, (std::vector<record_header>{
                           {"event-id", "0:4711:1772357401250000"},
                           {"schema-version", "1"}}));
}

TEST(records, name_every_outcome) {
  auto x = an_outcome();
  for (const auto& [how, name] :
       std::map<ending, std::string>{{ending::done, "done"},
                                     {ending::failed, "failed"},
                                     {ending::purged, "purged"},
                                     {ending::collapsed, "collapsed"}}) {
    x.how = how;
    EXPECT_EQ(outcome_document(x)["outcome"], name);
  }
}

TEST(records, write_json_whatever_a_file_is_called) {
  auto x = an_outcome();
  x.submission.file_name = "a\xff\"\n\x1b[2J.xml";
  EXPECT_EQ(outcome_document(x)["id"], "a\xef\xbf\xbd\"\n\x1b[2J.xml");
}

TEST(records, leave_out_a_document_that_is_too_large) {
  auto x = an_outcome();
  x.document = std::string(400'000, '"');
  EXPECT_EQ(outcome_document(x)["document"], x.document);
  EXPECT_LT(format().write_outcome(x).value.size(), 1'000'000U);
  x.document += "x";
  const auto out = outcome_document(x);
  EXPECT_EQ(out.count("document"), 0U);
  EXPECT_EQ(out["document_omitted_bytes"], 400'001);
}

TEST(records, write_a_refused_record_as_it_was) {
  const std::string bytes{"\0\xff\n", 3};
  const auto out = format().write_dead_letter(
    {"3:9", {.partition = "deposits.in/12",
             .offset = 77,
             .reason = "no JSON text",
             .key = "k",
             .value = bytes}});
  EXPECT_EQ(out.topic, "dead");
  EXPECT_EQ(out.key, "k");
  EXPECT_EQ(out.value, bytes);
  EXPECT_EQ(out.headers, (std::vector<record_header>{
                           {"event-id", "3:9"},
                           {"schema-version", "1"},
                           {"source-topic", "deposits.in"},
                           {"source-partition", "12"},
                           {"source-offset", "77"},
                           {"reason", "no JSON text"}}));
}

TEST(records, keep_the_headers_of_a_refused_record_but_for_our_own_names) {
  record_rejected what{.partition = "in/0", .offset = 1, .reason = "why"};
  what.headers = {{"sent-by", "a"},  {"sent-by", "b"}, {"event-id", "9:9"},
                  {"reason", "none"}, {"value-omitted", "7"},
                  {"schema-version", "2"}, {"traceparent", "x"}, {"", ""}};
  const auto out = format().write_dead_letter({"3:9", what});
  EXPECT_EQ(out.headers, (std::vector<record_header>{
                           {"event-id", "3:9"},
                           {"schema-version", "1"},
                           {"source-topic", "in"},
                           {"source-partition", "0"},
                           {"source-offset", "1"},
                           {"reason", "why"},
                           {"sent-by", "a"},
                           {"sent-by", "b"},
                           {"traceparent", "x"},
                           {"", ""}}));
}

TEST(records, carry_a_trace_from_the_deposit_to_its_outcome) {
  const std::string trace
    = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  auto x = a_record(members().dump());
  x.headers = {{"traceparent", trace}, {"tracestate", "a=b"}};
  const auto deposit = read_record(x);
  ASSERT_TRUE(deposit);
  EXPECT_EQ(deposit->submission.trace, trace);
  auto outcome = an_outcome();
  outcome.submission = deposit->submission;
  EXPECT_EQ(format().write_outcome(outcome).headers.back(),
            (record_header{"traceparent", trace}));
}

TEST(records, ignore_what_is_no_trace) {
  const std::string trace
    = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const auto other = trace.substr(0, 53) + "00";
  for (const auto& headers : std::vector<std::vector<record_header>>{
         {},
         {{"traceparent", ""}},
         {{"traceparent", "nonsense"}},
         {{"Traceparent", trace}},
         {{"traceparent", trace}, {"traceparent", other}},
         {{"traceparent", trace}, {"traceparent", "nonsense"}}}) {
    auto x = a_record(members().dump());
    x.headers = headers;
    const auto out = read_record(x);
    ASSERT_TRUE(out);
    EXPECT_EQ(out->submission.trace, "");
  }
}

TEST(records, know_operations_and_queues) {
  const std::map<std::string, std::pair<std::string, std::string>> known{
    {"metadata", {"metadata", "doMDUpload"}},
    {"query", {"query", "doQueryUpload"}},
    {"doMDUpload", {"metadata", "doMDUpload"}},
    {"doXSDMDUpload", {"metadata", "doXSDMDUpload"}},
    {"doDOICitUpload", {"metadata", "doDOICitUpload"}},
    {"doTransferDOIsUpload", {"metadata", "doTransferDOIsUpload"}},
    {"doQueryUpload", {"query", "doQueryUpload"}},
    {"doDOIQueryUpload", {"query", "doDOIQueryUpload"}}};
  for (const auto& [type, expected] : known) {
    auto all = members();
    all["type"] = type;
    const auto out = read(all.dump());
    ASSERT_TRUE(out) << type;
    EXPECT_EQ(out->queue, expected.first);
    EXPECT_EQ(out->submission.operation, expected.second);
  }
  EXPECT_EQ(refusal_of("type", "doNothing"),
            "type is no deposit queue or operation");
  EXPECT_EQ(refusal_of("type", "emails"),
            "type is no deposit queue or operation");
}

// Row 51 of the table of bad inputs.
TEST(records, refuse_what_is_no_deposit) {
  source_record tombstone;
  EXPECT_EQ(render(format().read(tombstone).error()),
            "the record has no value");
  EXPECT_TRUE(refusal("").starts_with("no JSON text")) << refusal("");
  EXPECT_TRUE(refusal("   ").starts_with("no JSON text"));
  std::mt19937 random{51};
  std::string noise(1'000'000, ' ');
  for (auto& x : noise)
    x = static_cast<char>(random());
  EXPECT_TRUE(refusal(noise).starts_with("no JSON text"));
  // Another format: a magic byte, the id of a schema, Avro.
  EXPECT_TRUE(refusal(std::string{"\0\0\0\0\x2a\x06xml", 9})
                .starts_with("no JSON text"));
  EXPECT_EQ(refusal("[]"), "the JSON text is not an object");
  EXPECT_EQ(refusal("\"x\""), "the JSON text is not an object");
  EXPECT_EQ(refusal("{}"), "id is missing");
}

TEST(records, refuse_versions_that_come_later) {
  auto x = a_record(members().dump());
  x.headers = {{"schema-version", "1"}, {"trace", "a"}, {"trace", "b"}};
  EXPECT_TRUE(format().read(x));
  x.headers = {{"schema-version", "1"}, {"schema-version", "2"}};
  EXPECT_EQ(render(format().read(x).error()), "schema-version is not 1");
  x.headers = {{"schema-version", ""}};
  EXPECT_FALSE(format().read(x));
}

TEST(records, refuse_a_key_that_has_no_room_in_a_dead_letter) {
  auto x = a_record(members().dump());
  x.key = std::string(key_bytes_max, 'k');
  EXPECT_TRUE(format().read(x));
  x.key += 'k';
  EXPECT_EQ(render(format().read(x).error()),
            "the key has more than 4096 bytes");
}

TEST(records, do_without_a_key) {
  auto x = a_record(members().dump());
  x.key.clear();
  EXPECT_TRUE(format().read(x));
}

TEST(records, ignore_what_they_do_not_know) {
  EXPECT_EQ(refusal(with(R"("more":{"id":1,"deep":[[[{}]]]},"n":null)")),
            "taken");
}

TEST(records, refuse_broken_json) {
  for (const auto& text : std::vector<std::string>{
         with("\"a\":1") + "x", with("\"a\":1") + "{}", with("\"a\":NaN"),
         with("\"a\":1e400"), with("\"a\":01"), with("\"a\":tru"),
         with("\"a\":\"\\ud800\""), with("\"a\":\"\\udc00\""),
         with("\"a\":\"\xed\xa0\x80\""), with("\"a\":\"\xff\""),
         with("\"a\":\"\x01\""), with("\"a\":1,"), with("a:1"),
         with("\"a\":1").substr(1)})
    EXPECT_TRUE(refusal(text).starts_with("no JSON text"))
      << text << ": " << refusal(text);
  const auto text = with("\"a\":1");
  for (std::size_t i = 0; i < text.size(); ++i)
    EXPECT_NE(refusal(text.substr(0, i)), "taken") << i;
}

TEST(records, refuse_members_that_come_twice) {
  EXPECT_EQ(refusal(with(R"("user":"boris")")),
            "a member stands there twice");
  EXPECT_EQ(refusal(with(R"("\u0075ser":"boris")")),
            "a member stands there twice");
  EXPECT_EQ(refusal(with(R"("x":1,"x":1)")), "a member stands there twice");
}

TEST(records, refuse_depth_and_breadth) {
  const auto nested = [](int depth) {
    const auto count = static_cast<std::size_t>(depth);
    return with("\"a\":" + std::string(count, '[') + std::string(count, ']'));
  };
  EXPECT_EQ(refusal(nested(63)), "taken");
  EXPECT_EQ(refusal(nested(64)), "the JSON text is nested too deeply");
  EXPECT_EQ(refusal(nested(10'000)), "the JSON text is nested too deeply");
  std::string broad = "\"m\":1";
  for (int i = 0; i < 1'100; ++i)
    broad += ",\"m" + std::to_string(i) + "\":1";
  EXPECT_EQ(refusal(with(broad)), "the object has more than 1000 members");
}

TEST(records, refuse_members_that_are_missing_or_of_another_type) {
  for (const std::string name : {"id", "user", "type", "payload"}) {
    auto all = members();
    all.erase(name);
    EXPECT_EQ(refusal(all.dump()), name + " is missing");
    for (const auto& value : std::vector<nlohmann::ordered_json>{
           nullptr, 1, true, nlohmann::ordered_json::array()})
      EXPECT_EQ(refusal_of(name.c_str(), value), name + " is not a string");
  }
}

TEST(records, refuse_names_that_are_not_legal) {
  for (const std::string user :
       {"", ".", "..", "../../etc", "a/b", "a b", "\xe2\x80\xae", "a\n"})
    EXPECT_EQ(refusal_of("user", user), "user is not a user name") << user;
  EXPECT_EQ(refusal_of("user", std::string(65, 'a')),
            "user is not a user name");
  EXPECT_EQ(refusal_of("user", std::string{"a\0b", 3}),
            "user is not a user name");
  EXPECT_EQ(refusal_of("id", ""), "id must have 1 to 255 bytes");
  EXPECT_EQ(refusal_of("id", std::string(10'000, 'a')),
            "id must have 1 to 255 bytes");
  EXPECT_EQ(refusal_of("id", "a\nb"), "id has control characters");
  EXPECT_EQ(refusal_of("id", std::string{"a\0b", 3}),
            "id has control characters");
}

TEST(records, refuse_priorities_that_are_none) {
  EXPECT_EQ(refusal_of("priority", 99), "taken");
  for (const auto& value : std::vector<nlohmann::ordered_json>{
         -1, 100, 1'000'000'000, 1.5, 5.0, "5", "05-", nullptr})
    EXPECT_EQ(refusal_of("priority", value),
              "priority is not a whole number from 0 to 99")
      << value;
}

TEST(records, refuse_payloads_that_are_none) {
  EXPECT_EQ(refusal_of("payload", ""), "payload is empty");
  EXPECT_EQ(refusal_of("payload", " \t\r\n"), "payload is empty");
  EXPECT_EQ(refusal_of("payload", std::string(10 * 1024 * 1024 + 1, 'x')),
            "payload has more than 10485760 bytes");
  EXPECT_EQ(refusal_of("payload_base64", "PHgvPg=="),
            "payload and payload_base64 are both given");
  auto all = members();
  all.erase("payload");
  all["payload_base64"] = "PHgvPg";
  EXPECT_EQ(refusal(all.dump()), "payload_base64 is not base64");
  all["payload_base64"] = "";
  EXPECT_EQ(refusal(all.dump()), "payload is empty");
}

} // namespace depositd
