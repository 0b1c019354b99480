// Batches in records, and what is written of them and their jobs.

#include "adapters/logs/kafka/records.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/values/orders.hpp"
#include "tests/adapters/logs/kafka/protocol_examples.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace depositd {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* uuid = "7b0b7a5e-4e1f-4c7a-9d0e-0f5f7a3c9b11";

record_format format(std::size_t bytes_max = 1'000) {
  return make_record_format({.egress_topic = "out",
                             .dead_letter_topic = "dead",
                             .jobs_topic = "jobs",
                             .batch_payload_bytes_max = bytes_max});
}

caf::expected<record_content> read_any(const std::string& value) {
  return format().read({.offset = 7, .value = value, .has_value = true});
}

caf::expected<read_batch> read(const std::string& value) {
  auto out = read_any(value);
  if (!out)
    return std::move(out.error());
  EXPECT_TRUE(std::holds_alternative<read_batch>(*out));
  return std::get<read_batch>(std::move(*out));
}

/// A good record's members, of which a test changes one.
json members() {
  return {{"id", uuid},
          {"user", "amelie"},
          {"type", "batch"},
          {"form", {{"profile", "papers"}, {"filename", "a.checkm"}}},
          {"payload", "#%checkm_0.7"}};
}

std::string refusal(const json& all) {
  const auto out = read_any(all.dump());
  return out ? "taken" : render(out.error());
}

std::string refusal_of(const char* name, json value) {
  auto all = members();
  all[name] = std::move(value);
  return refusal(all);
}

std::string refusal_of_field(const char* name, json value) {
  auto all = members();
  all["form"][name] = std::move(value);
  return refusal(all);
}

std::string refusal_without(const char* name) {
  auto all = members();
  all.erase(name);
  return refusal(all);
}

json example(const char* kind) {
  const auto all = testing::examples();
  EXPECT_EQ(all.count(kind), 1u) << kind;
  const auto at = all.find(kind);
  return at == all.end() ? json{} : json::parse(at->second);
}

ended_job a_job() {
  ended_job out;
  out.event_id = "job:1236:failed:1772357401250000";
  out.batch_uuid = std::string{"bid-"} + uuid;
  out.stage_queue = "merritt.download";
  auto& row = out.row;
  row.id = 1236;
  row.batch = 1235;
  row.user = "amelie";
  row.info = {"jid-0d5b3e0c-94c5-4c8f-8f0e-1d7a0f0f3a51", "papers", "merritt",
              job_type::manifest, "fungi.checkm"};
  row.created_us = 1'772'357'400'500'000;
  row.queue = "merritt.download";
  row.priority = 15;
  row.attempt = 3;
  row.status.state = job_state::failed;
  row.status.last_successful = job_state::provisioning;
  row.status.needs_review = true;
  row.status.changed_us = 1'772'357'401'250'000;
  row.status.note = "spores.csv: the digest is another one";
  row.facts = {"ark:/99999/fk4abc", "fungi-2026", "Fungi", "", "", 1234};
  return out;
}

ended_batch a_batch() {
  ended_batch out;
  out.event_id = "batch:1235:failed:1772357402000000";
  auto& row = out.row;
  row.id = 1235;
  row.user = "amelie";
  row.info.uuid = std::string{"bid-"} + uuid;
  row.info.collection = "papers";
  row.info.pipeline = "merritt";
  row.info.source = "kafka";
  row.info.type = "object-manifest";
  row.info.file_name = "fungi.checkm";
  row.info.title = "Fungi";
  row.received_us = 1'772'357'400'125'000;
  row.status.state = batch_state::failed;
  row.status.changed_us = 1'772'357'402'000'000;
  row.jobs.expected = 1;
  row.jobs.split = true;
  row.jobs.failed = 1;
  return out;
}

} // namespace

TEST(batch_records, take_the_example_of_the_protocol) {
  const auto out = read(example("batch").dump());
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(out->what.user, "amelie");
  EXPECT_EQ(out->what.priority, 10);
  batch_info info;
  info.uuid = std::string{"bid-"} + uuid;
  info.collection = "papers";
  info.source = "kafka";
  info.type = "object-manifest";
  info.file_name = "fungi.checkm";
  info.title = "Fungi";
  EXPECT_EQ(out->what.info, info);
  EXPECT_EQ(out->payload, "");
  const auto& document = *out->document;
  EXPECT_EQ(document.uuid, info.uuid);
  EXPECT_EQ(document.user, "amelie");
  EXPECT_EQ(document.what.local_ids, std::vector<std::string>{"fungi-2026"});
  ASSERT_EQ(document.payloads.size(), 1u);
  EXPECT_EQ(document.payloads[0].url, "https://example.org/fungi.checkm");
  EXPECT_EQ(document.payloads[0].bytes, 812u);
}

TEST(batch_records, carry_a_payload_along) {
  auto all = members();
  const auto text = read(all.dump());
  ASSERT_TRUE(text) << render(text.error());
  EXPECT_EQ(text->payload, "#%checkm_0.7");
  ASSERT_EQ(text->document->payloads.size(), 1u);
  EXPECT_EQ(text->document->payloads[0].file_name, "a.checkm");
  EXPECT_EQ(text->document->payloads[0].bytes, 12u);
  EXPECT_EQ(text->document->payloads[0].url, "");
  all.erase("payload");
  all["payload_base64"] = "AP8=";
  const auto bytes = read(all.dump());
  ASSERT_TRUE(bytes) << render(bytes.error());
  EXPECT_EQ(bytes->payload, (std::string{"\0\xff", 2}));
}

TEST(batch_records, say_the_same_of_the_same_record) {
  const auto first = read(members().dump());
  const auto second = read(members().dump(2));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(encode(*first->document), encode(*second->document));
  auto capitals = members();
  capitals["id"] = "7B0B7A5E-4E1F-4C7A-9D0E-0F5F7A3C9B11";
  const auto third = read(capitals.dump());
  ASSERT_TRUE(third);
  EXPECT_EQ(third->what.info.uuid, first->what.info.uuid);
}

TEST(batch_records, leave_a_queue_of_that_name_to_deposits) {
  const auto format = make_record_format({.deposit_queues = {"batch"}});
  const auto out =
    format.read({.offset = 7, .value = members().dump(), .has_value = true});
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_TRUE(std::holds_alternative<ingest_deposit>(*out));
}

TEST(batch_records, take_numbers_among_the_fields_by_their_digits) {
  for (const auto number : {0, 9, -1}) {
    auto x = example("batch");
    x["form"]["title"] = number;
    const auto out = read(x.dump());
    ASSERT_TRUE(out) << render(out.error());
    EXPECT_EQ(out->what.info.title, std::to_string(number));
  }
}

TEST(batch_records, refuse_what_is_missing) {
  for (const auto* name : {"id", "user", "form", "payload"})
    EXPECT_EQ(refusal_without(name), std::string{name} + " is missing");
  EXPECT_EQ(refusal_of("form", json::object()),
            "form has no filename for the payload");
  EXPECT_NE(refusal_of("form", {{"filename", "a"}}).find("profile"),
            std::string::npos);
}

TEST(batch_records, refuse_ids_that_are_no_uuids) {
  for (const auto* id : {"", "a.xml", "7b0b7a5e-4e1f-4c7a-9d0e-0f5f7a3c9b1",
                         "7b0b7a5e-4e1f-4c7a-9d0e-0f5f7a3c9b1g",
                         "7b0b7a5e+4e1f-4c7a-9d0e-0f5f7a3c9b11"})
    EXPECT_EQ(refusal_of("id", id), "id of a batch is not a UUID") << id;
}

TEST(batch_records, refuse_forms_that_are_none) {
  EXPECT_EQ(refusal_of("form", "papers"), "form is not an object");
  EXPECT_EQ(refusal_of("form", nullptr), "form is not an object");
  EXPECT_EQ(refusal_of_field("title", json::array({"a"})),
            "a field of the form is neither text nor number");
  EXPECT_EQ(refusal_of_field("url", "https://example.org/"),
            "form has a field that the record itself says: url");
  EXPECT_NE(refusal_of_field("usr", "ann").find("usr"), std::string::npos);
  EXPECT_NE(refusal_of_field("type", "nonsense").find("type"),
            std::string::npos);
  EXPECT_NE(
    refusal_of_field("title", std::string(200'000, 'a')).find("too long"),
    std::string::npos);
  EXPECT_NE(refusal_of_field("filename", "../../etc/passwd").find("file name"),
            std::string::npos);
  EXPECT_EQ(refusal_of_field("profile", "a\nb"),
            "the profile in the form is not the name of a collection");
  auto many = members();
  for (int i = 0; i < 300; ++i)
    many["form"]["f" + std::to_string(i)] = "x";
  EXPECT_EQ(refusal(many), "form has more than 256 fields");
}

TEST(batch_records, refuse_a_field_that_comes_twice) {
  auto text = members().dump();
  const std::string before = R"("profile":"papers")";
  text.replace(text.find(before), before.size(), before + "," + before);
  const auto out = read_any(text);
  ASSERT_FALSE(out);
  EXPECT_EQ(render(out.error()), "a field of the form stands there twice");
}

TEST(batch_records, refuse_payloads_that_are_none) {
  EXPECT_EQ(refusal_of("payload", " \n"), "payload is empty");
  EXPECT_EQ(refusal_of("payload", std::string(1'001, 'x')),
            "payload has more than 1000 bytes");
  EXPECT_EQ(refusal_of("payload_url", "https://example.org/a"),
            "payload_url and a payload are both given");
  auto all = members();
  all.erase("payload");
  all["payload_url"] = "gopher://example.org/a";
  EXPECT_NE(refusal(all).find("url"), std::string::npos) << refusal(all);
  all["payload_url"] = "";
  EXPECT_EQ(refusal(all), "payload_url is empty");
}

TEST(batch_records, give_reasons_of_one_line) {
  const auto why = refusal_of_field("type", "a\nb");
  EXPECT_NE(why, "taken");
  EXPECT_EQ(why.find('\n'), std::string::npos);
}

TEST(batch_records, write_ends_as_the_protocol_shows) {
  const auto job = format().write_job(a_job());
  EXPECT_EQ(json::parse(job.value), example("ended-job"));
  EXPECT_EQ(job.topic, "jobs");
  EXPECT_EQ(job.key, "amelie");
  EXPECT_EQ(job.headers,
            (std::vector<record_header>{{"event-id", a_job().event_id},
                                        {"schema-version", "1"}}));
  const auto batch = format().write_batch(a_batch());
  EXPECT_EQ(json::parse(batch.value), example("ended-batch"));
  EXPECT_EQ(batch.topic, "jobs");
  EXPECT_EQ(batch.key, "amelie");
}

TEST(batch_records, write_json_whatever_a_note_says) {
  auto x = a_job();
  x.row.status.note = "a\xff\"\n\x1b[2J";
  EXPECT_EQ(json::parse(format().write_job(x).value)["note"],
            "a\xef\xbf\xbd\"\n\x1b[2J");
}

TEST(batch_records, tell_of_no_ends_without_a_topic) {
  const auto format = make_record_format({.egress_topic = "out"});
  EXPECT_FALSE(format.write_batch);
  EXPECT_FALSE(format.write_job);
}

// -- orders -------------------------------------------------------------------

namespace {

json order_members() {
  return example("order");
}

std::string order_refusal(const std::string& field, const json& value) {
  auto all = order_members();
  all["form"][field] = value;
  return refusal(all);
}

} // namespace

TEST(order_records, the_example_becomes_a_batch_of_its_pipeline) {
  const auto x = read(order_members().dump());
  ASSERT_TRUE(x) << render(x.error());
  EXPECT_EQ(x->what.user, "inst");
  EXPECT_EQ(x->what.info.source, "kafka");
  EXPECT_EQ(x->what.info.pipeline, "aptrust_restore_file");
  EXPECT_EQ(x->what.info.collection, "photos");
  EXPECT_EQ(x->what.info.uuid, "bid-0d5c2c39-8f0b-4d1d-8f5e-7f0f5a0c7a11");
  EXPECT_TRUE(x->payload.empty());
  const auto order = order_in(x->document->more);
  ASSERT_TRUE(order && *order);
  EXPECT_EQ((**order).kind, order_kind::restore_file);
  EXPECT_EQ((**order).object, "inst.edu/bag-17");
  EXPECT_EQ((**order).file, "data/a.txt");
  EXPECT_EQ((**order).asked_by, "user inst");
}

TEST(order_records, a_deletion_is_not_ordered_but_asked_for) {
  auto all = order_members();
  all["form"]["order"] = "delete_item";
  all["form"].erase("file");
  const auto read = read_any(all.dump());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), ec::not_allowed);
}

TEST(order_records, are_refused_with_the_reason) {
  EXPECT_NE(order_refusal("order", "burn").find("order must be"),
            std::string::npos);
  EXPECT_NE(order_refusal("object", "").find("object"), std::string::npos);
  EXPECT_NE(order_refusal("file", "").find("file is for"), std::string::npos);
  EXPECT_NE(order_refusal("order", "restore_object").find("file is for"),
            std::string::npos);
  EXPECT_NE(order_refusal("profile", "no such name!").find("profile"),
            std::string::npos);
  auto all = order_members();
  all["payload"] = "x";
  EXPECT_NE(refusal(all).find("no payload"), std::string::npos);
  all = order_members();
  all["id"] = "17";
  EXPECT_NE(refusal(all).find("UUID"), std::string::npos);
  all = order_members();
  all.erase("form");
  EXPECT_NE(refusal(all).find("form"), std::string::npos);
}

} // namespace depositd
