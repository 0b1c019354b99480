#include "actors/rules/ledger/outcome_bounds.hpp"

#include <gtest/gtest.h>

namespace {

using namespace depositd;
using namespace depositd::rules;

outcome an_outcome(std::size_t document_bytes) {
  outcome out;
  out.id = 7;
  out.token = 8;
  out.says = verdict::retry;
  out.delay_ms = 9;
  out.batch_id = "b";
  out.reason = "r";
  out.document.assign(document_bytes, 'x');
  out.tell = true;
  return out;
}

} // namespace

TEST(outcome_bounds, leave_alone_what_is_within_them) {
  const auto before = an_outcome(outcome_bytes_max - 2);
  auto x = before;
  keep_within_bounds(x);
  EXPECT_EQ(x, before);
}

TEST(outcome_bounds, fail_what_is_beyond_them_and_say_so) {
  auto x = an_outcome(outcome_bytes_max - 1);
  keep_within_bounds(x);
  EXPECT_EQ(x.id, 7u);
  EXPECT_EQ(x.token, 8u);
  EXPECT_TRUE(x.tell);
  EXPECT_EQ(x.says, verdict::failed);
  EXPECT_EQ(x.delay_ms, 0u);
  EXPECT_EQ(x.document, "");
  EXPECT_EQ(x.reason, "the outcome has 33554433 bytes, and more than 33554432 "
                      "are not kept");
}
