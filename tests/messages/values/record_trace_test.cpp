#include "messages/values/record_trace.hpp"

#include <gtest/gtest.h>

namespace depositd {

namespace {

TEST(trace_of_a_record, is_its_own_member) {
  const struct {
    const char* record;
    const char* trace;
  } cases[] = {
    {R"({"traceparent":"00-a-b-01"})", "00-a-b-01"},
    {R"({ "id" : 7, "traceparent" : "00-a-b-01" })", "00-a-b-01"},
    {R"({"of":{"traceparent":"00-a-b-01"}})", ""},
    {R"({"note":"\"traceparent\":\"00-a-b-01\""})", ""},
    {R"({"traceparent":7})", ""},
    {R"(["traceparent"])", ""},
    {R"({"traceparent":"00-)", ""},
    {"traceparent", ""},
    {"", ""},
  };
  for (const auto& [record, trace] : cases)
    EXPECT_EQ(traceparent_of_record(record), trace) << record;
}

} // namespace

} // namespace depositd
