#include "messages/values/trace_context.hpp"

#include "messages/values/submission_body.hpp"

#include <gtest/gtest.h>

#include <string>

namespace depositd {
namespace {

const std::string good =
  "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(trace_context, is_four_numbers_of_known_length) {
  EXPECT_TRUE(legal_traceparent(good));
  EXPECT_TRUE(legal_traceparent(good.substr(0, 53) + "00"));
}

TEST(trace_context, is_nothing_else) {
  for (const auto& x :
       {std::string{}, "01" + good.substr(2), "ff" + good.substr(2),
        good + "-00", good + " ", " " + good, good + '\n',
        "00-" + std::string(32, '0') + good.substr(35),
        good.substr(0, 36) + std::string(16, '0') + "-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736" + good.substr(35),
        good.substr(0, 53) + "0g", std::string{"00--00f067aa0ba902b7-01"}})
    EXPECT_FALSE(legal_traceparent(x)) << x;
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_FALSE(legal_traceparent(good.substr(0, i)));
    auto other = good;
    other[i] = 'x';
    EXPECT_FALSE(legal_traceparent(other)) << other;
  }
}

TEST(trace_context, says_trace_parent_and_whether_spans_are_wanted) {
  EXPECT_EQ(trace_of(good, 1, 2),
            (trace_place{"4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7",
                         true}));
  EXPECT_FALSE(trace_of(good.substr(0, 53) + "00", 1, 2).sampled);
}

TEST(trace_context, of_what_came_without_one_is_its_own_and_stays) {
  const auto own = trace_of("", 1, 2);
  EXPECT_EQ(own, trace_of("nonsense", 1, 2));
  EXPECT_TRUE(legal_traceparent("00-" + own.trace + "-00f067aa0ba902b7-01"));
  EXPECT_NE(own.trace, trace_of("", 2, 2).trace);
  EXPECT_NE(own.trace, trace_of("", 1, 3).trace);
}

TEST(trace_context, of_a_batch_is_its_number) {
  EXPECT_EQ(
    trace_of_batch("", "bid-7d444840-9dc0-41d1-b245-5ffdce74fad2").trace,
    "7d4448409dc041d1b2455ffdce74fad2");
  EXPECT_EQ(trace_of_batch(good, "bid-x").trace, good.substr(3, 32));
  for (const auto* none : {"", "bid-", "bid-xyz", "7d444840"})
    EXPECT_EQ(trace_of_batch("", none).trace, "");
}

TEST(trace_context, is_in_the_body_of_a_claimed_item) {
  claimed_item x;
  x.id = 5;
  x.received_us = 6;
  EXPECT_EQ(trace_text(x), "");
  submission what;
  x.body = encode_submission_body(what);
  EXPECT_EQ(trace_text(x), " trace=" + trace_of("", 5, 6).trace);
  what.trace = good;
  x.body = encode_submission_body(what);
  EXPECT_EQ(trace_text(x), " trace=" + good.substr(3, 32));
  x.body =
    R"({"job":"jid-1","batch":"bid-7d444840-9dc0-41d1-b245-5ffdce74fad2"})";
  EXPECT_EQ(trace_of(x), "7d4448409dc041d1b2455ffdce74fad2");
  x.body = R"({"batch":"bid-1","traceparent":")" + good + R"("})";
  EXPECT_EQ(trace_of(x), good.substr(3, 32));
  x.body = "{";
  EXPECT_EQ(trace_of(x), "");
}

TEST(trace_context, names_each_span_alike_for_ever) {
  EXPECT_EQ(span_id("a", 1, "queued", 0), span_id("a", 1, "queued", 0));
  EXPECT_EQ(span_id("a", 1, "queued", 0).size(), 16u);
  EXPECT_NE(span_id("a", 1, "queued", 0), span_id("a", 1, "queued", 1));
  EXPECT_NE(span_id("a", 1, "queued", 0), span_id("b", 1, "queued", 0));
  EXPECT_NE(span_id("a", 1, "queued", 0), span_id("a", 2, "queued", 0));
}

} // namespace
} // namespace depositd
