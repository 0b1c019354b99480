// What clients ask for, and nsqd's words for what they do not get.

#include "adapters/doors/nsq/identify.hpp"

#include <gtest/gtest.h>

namespace depositd::testing {

namespace {

using namespace nsq;
using ms = std::chrono::milliseconds;

struct asked {
  protocol_limits limits;
  server_facts server;
  terms now{limits};

  negotiated with(std::string_view document) {
    return identify(document, limits, server, now);
  }

  std::string refused(std::string_view document) {
    auto said = with(document);
    return said.wrong ? said.wrong->text : "";
  }
};

TEST(nsq_identify, row_q1_negotiates_features) {
  asked x;
  x.server.auth_required = true;
  const auto said = x.with(R"({"client_id":"c","hostname":"h","user_agent":"u",
    "feature_negotiation":true,"msg_timeout":1000,"sample_rate":42,
    "unknown":[{"a":1}],"tls_v1":true,"snappy":true})");
  ASSERT_FALSE(said.wrong);
  EXPECT_EQ(
    said.answer,
    R"({"max_rdy_count":2500,"version":"1.3.0","max_msg_timeout":900000,)"
    R"("msg_timeout":1000,"tls_v1":false,"deflate":false,"deflate_level":6,)"
    R"("max_deflate_level":6,"snappy":true,"sample_rate":42,)"
    R"("auth_required":true,"output_buffer_size":16384,)"
    R"("output_buffer_timeout":250})");
  EXPECT_TRUE(said.snappy);
  EXPECT_EQ(x.now.client_id, "c");
  EXPECT_EQ(x.now.hostname, "h");
  EXPECT_EQ(x.now.msg_timeout, ms{1'000});
  EXPECT_EQ(x.now.sample_rate, 42U);
}

TEST(nsq_identify, without_negotiation_is_answered_in_a_word) {
  asked x;
  const auto said = x.with(R"({"short_id":"s","long_id":"l","snappy":true})");
  EXPECT_EQ(said.answer, "OK");
  EXPECT_FALSE(said.snappy);
  EXPECT_EQ(x.now.client_id, "s");
  EXPECT_EQ(x.now.hostname, "l");
}

TEST(nsq_identify, row_q5_heartbeats_have_a_range) {
  asked x;
  EXPECT_EQ(x.refused(R"({"heartbeat_interval":60001})"),
            "E_BAD_BODY IDENTIFY heartbeat interval (60001) is invalid");
  EXPECT_EQ(x.refused(R"({"heartbeat_interval":999})"),
            "E_BAD_BODY IDENTIFY heartbeat interval (999) is invalid");
  EXPECT_EQ(x.refused(R"({"heartbeat_interval":60000})"), "");
  EXPECT_EQ(x.now.heartbeat, ms{60'000});
  EXPECT_EQ(x.refused(R"({"heartbeat_interval":-1})"), "");
  EXPECT_EQ(x.now.heartbeat, ms{0});
}

TEST(nsq_identify, row_q6_message_timeouts_have_a_range) {
  asked x;
  EXPECT_EQ(x.refused(R"({"msg_timeout":900001})"),
            "E_BAD_BODY IDENTIFY msg timeout (900001) is invalid");
  EXPECT_EQ(x.refused(R"({"msg_timeout":900000})"), "");
}

TEST(nsq_identify, buffers_and_samples_have_ranges) {
  asked x;
  EXPECT_EQ(x.refused(R"({"output_buffer_size":63})"),
            "E_BAD_BODY IDENTIFY output buffer size (63) is invalid");
  EXPECT_EQ(x.refused(R"({"output_buffer_timeout":24})"),
            "E_BAD_BODY IDENTIFY output buffer timeout (24) is invalid");
  EXPECT_EQ(x.refused(R"({"sample_rate":100})"),
            "E_BAD_BODY IDENTIFY sample rate (100) is invalid");
  EXPECT_FALSE(x.now.waits_for_more);
  EXPECT_EQ(x.refused(R"({"output_buffer_timeout":500})"), "");
  EXPECT_TRUE(x.now.waits_for_more);
  EXPECT_EQ(x.refused(R"({"output_buffer_size":-1})"), "");
  EXPECT_EQ(x.now.output_buffer, 1U);
  EXPECT_EQ(x.now.output_timeout, ms{0});
}

TEST(nsq_identify, reads_what_go_reads) {
  asked x;
  EXPECT_EQ(x.refused(R"({"Client_ID":"c","heartbeat_interval":null})"), "");
  EXPECT_EQ(x.now.client_id, "c");
  EXPECT_EQ(x.refused(" null "), "");
  const std::string unknown = "\xef\xbf\xbd";
  EXPECT_EQ(
    x.refused("{\"client_id\":\"\xfcro\",\"hostname\":\"\xc3\xfc\"}"), "");
  EXPECT_EQ(x.now.client_id, unknown + "ro");
  EXPECT_EQ(x.now.hostname, unknown + unknown);
  for (const auto* bad : {"", "[]", "{", R"({"heartbeat_interval":"1"})",
                          R"({"heartbeat_interval":1.5})", R"({"snappy":1})",
                          R"({"client_id":7})", "{} x", "nul", "null x",
                          "{\"snappy\":\xff}"})
    EXPECT_EQ(x.refused(bad), "E_BAD_BODY IDENTIFY failed to decode JSON body")
      << bad;
}

TEST(nsq_identify, row_q36_one_compression_is_enough) {
  asked x;
  EXPECT_EQ(
    x.refused(R"({"feature_negotiation":true,"snappy":true,"deflate":true})"),
    "E_IDENTIFY_FAILED cannot enable both deflate and snappy compression");
  x.limits.snappy = false;
  const auto said = x.with(R"({"feature_negotiation":true,"snappy":true,
    "deflate":true,"deflate_level":9})");
  EXPECT_FALSE(said.wrong);
  EXPECT_TRUE(said.deflate);
  EXPECT_EQ(said.deflate_level, 6);
}

} // namespace

} // namespace depositd::testing
