// What clients of doors order leaves lines as operators' changes do.

#include "tests/support/kept_audit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace depositd::kit {
namespace {

class client_audit_lines : public ::testing::Test {
protected:
  testing::kept_audit kept;
};

TEST_F(client_audit_lines, say_who_did_what) {
  kept.audit->tell({"key loader", "10.0.0.5", "topic empty", {{"name", "t"}}});
  EXPECT_EQ(kept.take(),
            "audit who=\"key loader from 10.0.0.5\" command=\"topic empty\" "
            "arguments={\"name\":\"t\"} before=null after=null "
            "result=\"done\"\n");
}

TEST_F(client_audit_lines, say_what_was_refused_and_leave_out_what_is_empty) {
  kept.audit->tell(
    {"", "::1", "object restore", {{"object", "a\nb"}, {"file", ""}}},
    caf::make_error(ec::not_found, "there is none"));
  EXPECT_EQ(kept.take(),
            "audit who=\"anybody from ::1\" command=\"object restore\" "
            "arguments={\"object\":\"a\\nb\"} before=null after=null "
            "result=\"there is none\"\n");
}

TEST_F(client_audit_lines, of_one_client_do_not_fill_the_log) {
  for (int i = 0; i < 1'000; ++i)
    kept.audit->tell({"key busy", "10.0.0.5", "queue purge", {{"name", "q"}}});
  const auto all = kept.take();
  // Ten at once, and ten for each second that it takes.
  EXPECT_LT(std::count(all.begin(), all.end(), '\n'), 200);
  kept.audit->tell({"key other", "10.0.0.5", "queue purge", {{"name", "q"}}});
  EXPECT_NE(kept.take().find("after={\"left_out\":"), std::string::npos);
}

} // namespace
} // namespace depositd::kit
