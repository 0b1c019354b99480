// What a worker sees of a deposit.

#include "adapters/doors/emodb/deposit_reader.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"
#include "messages/values/submission_body.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace depositd::testing {

namespace {

using json = nlohmann::json;

constexpr const char* a_trace =
  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

class emodb_deposits : public ::testing::Test {
protected:
  json shown(const submission& x, std::string_view body = {},
             bool with_document = true) {
    const auto bytes = encode_submission_body(x, body);
    std::string out;
    emodb::append_deposit(out, {bytes, "ann", 1'000'000},
                          with_document ? blobs.get() : nullptr);
    return json::parse(out);
  }

  static submission a_deposit(const std::string& blob) {
    submission out;
    out.file_name = "a.xml";
    out.operation = "doMDUpload";
    out.blob = blob;
    out.size = 4;
    return out;
  }

  std::unique_ptr<blob_store> blobs = make_memory_blobs();
};

TEST_F(emodb_deposits, come_with_their_blob) {
  const auto x = shown(a_deposit(*blobs->put("<a/>")));
  EXPECT_EQ(x["document"], "<a/>");
  EXPECT_EQ(x["user"], "ann");
  EXPECT_EQ(x["file_name"], "a.xml");
  EXPECT_EQ(x["size"], 4);
  EXPECT_EQ(x.count("traceparent"), 0u);
  EXPECT_EQ(shown(a_deposit(*blobs->put("\xff")))["document_base64"], "/w==");
}

TEST_F(emodb_deposits, come_with_what_lies_with_their_item) {
  EXPECT_EQ(shown(a_deposit(""), "<b/>")["document"], "<b/>");
  EXPECT_EQ(shown(a_deposit(""), "<b/>", false).count("document"), 0u);
}

TEST_F(emodb_deposits, are_known_by_their_digest_wherever_they_lie) {
  EXPECT_EQ(
    shown(a_deposit(""), "<b/>", false)["sha256"],
    "c5a1c182c87ac852d7d4621a27899d9d002b02dd501be9355d1fc4f58e9ccc7f");
  EXPECT_EQ(shown(a_deposit(std::string(64, 'a')))["sha256"],
            std::string(64, 'a'));
}

TEST_F(emodb_deposits, say_what_cannot_be_read) {
  EXPECT_EQ(shown(a_deposit(std::string(64, '0'))).count("document_error"), 1u);
}

TEST_F(emodb_deposits, hand_their_trace_on) {
  auto x = a_deposit("");
  x.trace = a_trace;
  EXPECT_EQ(shown(x, "<b/>")["traceparent"], a_trace);
}

} // namespace

} // namespace depositd::testing
