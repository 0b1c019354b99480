#include "adapters/tracing/otlp_exporter.hpp"
#include "tests/support/scripted_server.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace depositd {
namespace {

using namespace std::chrono_literals;
using testing::scripted_server;

span a_span(const std::string& name = "received") {
  span out;
  out.trace = std::string(32, 'a');
  out.id = std::string(16, 'b');
  out.name = name;
  out.kind = span_kind::server;
  out.start_us = 5;
  out.end_us = 7;
  out.attributes = {{"depositd.user", "ann"}, {"depositd.processor", ""}};
  return out;
}

nlohmann::json first_of(const std::string& text) {
  return nlohmann::json::parse(text)
    .at("resourceSpans")
    .at(0)
    .at("scopeSpans")
    .at(0)
    .at("spans")
    .at(0);
}

TEST(otlp_text, has_numbers_of_64_bits_as_texts) {
  const auto x = first_of(otlp_text({a_span()}, {}));
  EXPECT_EQ(x.at("startTimeUnixNano"), "5000");
  EXPECT_EQ(x.at("endTimeUnixNano"), "7000");
  EXPECT_EQ(x.at("kind"), 2);
  EXPECT_FALSE(x.contains("parentSpanId"));
  EXPECT_FALSE(x.contains("status"));
  EXPECT_EQ(x.at("attributes").size(), 1u);
}

TEST(otlp_text, says_what_went_wrong_in_utf8) {
  auto failed = a_span();
  failed.parent = std::string(16, 'c');
  failed.failed = true;
  failed.reason = "no such \xff";
  const auto x = first_of(otlp_text({failed}, {}));
  EXPECT_EQ(x.at("parentSpanId"), failed.parent);
  EXPECT_EQ(x.at("status").at("code"), 2);
  EXPECT_EQ(x.at("status").at("message"), "no such \xef\xbf\xbd");
}

TEST(otlp_exporter, refuses_what_is_no_address) {
  for (const auto* wrong : {"collector:4318", "ftp://a", "http://u:p@a"}) {
    const auto out = make_otlp_exporter({.endpoint = wrong});
    ASSERT_FALSE(out) << wrong;
    EXPECT_EQ(out.error(), ec::bad_setting);
    EXPECT_NE(render(out.error()).find("trace.endpoint"), std::string::npos);
  }
}

TEST(otlp_exporter, sends_what_waits_when_it_ends) {
  scripted_server collector{
    [](const std::string&) { return scripted_server::ok("{}", ""); }};
  {
    auto out =
      make_otlp_exporter({.endpoint = collector.url("/"), .linger = 1h});
    ASSERT_TRUE(out) << render(out.error());
    (*out)->offer({a_span("one"), a_span("two")});
    (*out)->offer({a_span("three")});
  }
  const auto asked = collector.requests();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].rfind("POST /v1/traces HTTP/1.1\r\n", 0), 0u);
  const auto body = asked[0].substr(asked[0].find("\r\n\r\n") + 4);
  EXPECT_EQ(first_of(body).at("name"), "one");
  EXPECT_NE(body.find("three"), std::string::npos);
}

TEST(otlp_exporter, drops_and_counts_what_has_no_room) {
  auto out = make_otlp_exporter(
    {.endpoint = "http://127.0.0.1:1", .waiting_max = 4, .linger = 1h});
  ASSERT_TRUE(out);
  (*out)->offer(std::vector<span>(10, a_span()));
  EXPECT_EQ((*out)->dropped(), 6u);
}

} // namespace
} // namespace depositd
