// What servers and programs of others answer, and clients say of themselves.

#include "tests/fuzz/target.hpp"

#include "adapters/doors/kit/json_reader.hpp"
#include "adapters/doors/nsq/authorizations.hpp"
#include "adapters/doors/nsq/identify.hpp"
#include "adapters/doors/nsq/layer.hpp"
#include "adapters/formats/identity.hpp"
#include "adapters/sources/kafka/positions.hpp"
#include "adapters/sources/records/records.hpp"
#include "adapters/sources/web/sqs_wire.hpp"
#include "adapters/stores/s3/documents.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>
#include <utility>

namespace depositd::fuzz {

namespace {

void read_sqs(std::string_view bytes) {
  (void)sources::sqs::read_refusal(bytes);
  if (const auto found = sources::sqs::read_messages(bytes))
    for (const auto& x : *found)
      promise(!x.id.empty() && !x.receipt.empty(), "a message can be deleted");
  constexpr std::size_t count = 3;
  if (const auto found = sources::sqs::read_deletion(bytes, count)) {
    promise(found->done.size() + found->failed.size() == count,
            "each is spoken of");
    for (const auto at : found->done)
      promise(at < count, "and no other");
  }
}

void read_s3(std::string_view bytes) {
  const auto why = s3::read_refusal(bytes);
  promise(why.message.find('\n') == std::string::npos, "a reason is a line");
  if (const auto found = s3::read_listing(bytes))
    for (const auto& x : found->entries)
      promise(!x.key.empty(), "an object has a key");
  (void)s3::read_upload_id(bytes);
}

void read_position(std::string_view bytes) {
  const auto found = sources::read_topic_position(bytes);
  if (!found)
    return;
  const auto again = sources::read_topic_position(sources::to_text(*found));
  promise(again.engaged() && *again == *found, "a position is its own copy");
}

/// As doors read it: half of a surrogate pair is a text, too, which another
/// reader does not take.
bool is_json(std::string_view text) {
  kit::json_reader from{text};
  return from.skip() && from.at_end() && from.finish();
}

void read_record(std::string_view bytes) {
  const sources::record_rules by{"s", "id", "who", 10'000};
  const std::string body{bytes};
  pulled_batch batch;
  sources::add_record(batch, by, "k", body);
  sources::add_object(batch, by, body);
  (void)sources::add_marked_object(batch, by, body, "n");
  for (const auto& x : batch.records) {
    promise(is_json(x.body), "a body is JSON");
    promise(!x.key.empty() && !x.user.empty(), "a record has key and user");
    promise(find_invalid_utf8(x.key + x.user) == x.key.npos, "as UTF-8");
  }
  for (const auto& x : batch.bad)
    promise(find_invalid_utf8(x.key + x.user + x.body) == x.key.npos,
            "a bad one can be shown");
  if (const auto message = sources::body_of_message(bytes))
    promise(is_json(*message), "a message's body is JSON");
}

void read_identify(std::string_view bytes) {
  static const nsq::protocol_limits limits;
  for (const bool tls : {false, true}) {
    nsq::terms terms{limits};
    const auto found =
      nsq::identify(bytes, limits, {.tls = tls, .auth_required = tls}, terms);
    promise(tls || !found.tls, "nobody is promised what there is not");
    promise(found.wrong || !(found.snappy && found.deflate),
            "one packing at most");
    promise(terms.sample_rate < 100, "a part is a part");
  }
  if (const auto state = nsq::read_auth_state(bytes))
    (void)state->allows("topic", "channel");
}

void read_programs(std::string_view bytes) {
  (void)formats::read_siegfried(bytes);
}

/// What a layer makes of bytes that come in pieces, and whether they are bad.
std::pair<std::string, bool> unpacked(kit::layer& from, std::string_view bytes,
                                      std::size_t step) {
  constexpr std::size_t most = 1'000'000;
  std::pair<std::string, bool> out;
  std::string rest;
  while (!bytes.empty() && !out.second && out.first.size() < most) {
    step = std::min(step, bytes.size());
    rest += bytes.substr(0, step);
    bytes.remove_prefix(step);
    std::string_view piece{rest};
    for (auto left = piece.size() + 1; !out.second && left > piece.size();) {
      left = piece.size();
      std::string some;
      out.second = static_cast<bool>(from.unpack(piece, some, 4'096));
      promise(some.size() < 200'000, "not much more than is wanted");
      out.first += some;
      if (!some.empty())
        left = piece.size() + 1; // it may hold more
    }
    rest = piece;
  }
  if (out.first.size() >= most) { // where that is reached depends on the pieces
    out.first.resize(most);
    out.second = false;
  }
  return out;
}

/// The first byte is the layer.
void read_packed(std::string_view bytes) {
  if (bytes.empty())
    return;
  const bool snappy = bytes.front() % 2 == 0;
  bytes.remove_prefix(1);
  const auto make = [&] {
    return snappy ? nsq::make_snappy_layer() : nsq::make_deflate_layer(6);
  };
  const auto whole = unpacked(*make(), bytes, bytes.size());
  for (const std::size_t step : {1, 7}) {
    const auto pieces = unpacked(*make(), bytes, step);
    promise(pieces.second == whole.second, "as bad however they come");
    promise(pieces.second || pieces.first == whole.first,
            "the same however they come");
  }
}

std::string packed(char kind, nsq::layer& by) {
  std::string out(1, kind);
  (void)by.pack("  V2SUB t c\n", out);
  (void)by.pack(std::string(3'000, 'x'), out);
  return out;
}

} // namespace

std::vector<target> answer_targets() {
  return {
    {"sqs_answers",
     read_sqs,
     {R"({"Messages":[{"MessageId":"a","ReceiptHandle":"b","Body":"{}"}]})",
      R"({"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"m"})",
      R"({"Successful":[{"Id":"0"},{"Id":"2"}],)"
      R"("Failed":[{"Id":"1","Code":"c","Message":null}]})"}},
    {"s3_answers",
     read_s3,
     {"<ListBucketResult><IsTruncated>true</IsTruncated>"
      "<NextContinuationToken>t</NextContinuationToken>"
      "<EncodingType>url</EncodingType><Contents><Key>a%20b</Key><Size>7"
      "</Size><ETag>&quot;e&quot;</ETag></Contents></ListBucketResult>",
      "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code><Message>m"
      "</Message><Region>r</Region></Error>",
      "<InitiateMultipartUploadResult><UploadId>u</UploadId>"
      "</InitiateMultipartUploadResult>"}},
    {"topic_position", read_position, {R"({"0":17,"1":[3,33554439]})"}},
    {"source_record",
     read_record,
     {R"({"id":"a","who":"ann","n":7,"payload":"\u00e4"})",
      R"({"id":1e3,"id":null,"who":"b"})", "[1, 2]", "plain"}},
    {"nsq_identify",
     read_identify,
     {R"({"client_id":"a","hostname":"h","user_agent":"u","tls_v1":true,)"
      R"("feature_negotiation":true,"heartbeat_interval":1000,)"
      R"("output_buffer_size":1024,"output_buffer_timeout":250,)"
      R"("msg_timeout":1000,"sample_rate":9,"deflate":true,)"
      R"("deflate_level":6})",
      R"({"snappy":true,"heartbeat_interval":-1,"feature_negotiation":true})",
      R"({"ttl":60,"identity":"i","identity_url":"u","authorizations":)"
      R"([{"topic":".*","channels":["a|b"],)"
      R"("permissions":["publish","subscribe"]}]})"}},
    {"siegfried",
     read_programs,
     {R"({"siegfried":"1.9","files":[{"filename":"a","filesize":1,)"
      R"("errors":"","matches":[{"ns":"pronom","id":"x-fmt/111",)"
      R"("format":"f","mime":"text/plain","basis":"b","warning":""}]}]})"}},
    {"nsq_packed",
     read_packed,
     {packed('\0', *nsq::make_snappy_layer()),
      packed('\1', *nsq::make_deflate_layer(6))}},
  };
}

} // namespace depositd::fuzz
