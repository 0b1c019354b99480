#include "messages/values/errors.hpp"

#include <caf/sec.hpp>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace depositd {
namespace {

constexpr ec all[] = {ec::invalid_argument,
                      ec::not_found,
                      ec::pending_limit_reached,
                      ec::stale_claim,
                      ec::store_failed,
                      ec::store_damaged,
                      ec::fenced,
                      ec::draining,
                      ec::overloaded,
                      ec::wrong_credentials,
                      ec::bad_setting,
                      ec::malformed,
                      ec::too_large,
                      ec::already_exists,
                      ec::throttled,
                      ec::quota_reached};

TEST(errors, all_have_a_name_of_their_own) {
  std::set<std::string> names;
  for (const auto code : all)
    names.insert(to_string(code));
  EXPECT_EQ(names.size(), std::size(all));
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_STREQ(to_string(static_cast<ec>(200)), "unknown");
}

TEST(errors, never_count_as_no_error) {
  for (const auto code : all)
    EXPECT_TRUE(caf::make_error(code)) << to_string(code);
}

TEST(errors, compare_with_their_code) {
  const auto error = caf::make_error(ec::fenced, std::string{"epoch 3"});
  EXPECT_EQ(error, ec::fenced);
  EXPECT_NE(error, ec::draining);
}

TEST(errors, render_as_their_text) {
  EXPECT_EQ(render(caf::make_error(ec::not_found, std::string{"no queue q"})),
            "no queue q");
  EXPECT_EQ(render(caf::make_error(ec::not_found, "no queue q")), "no queue q");
}

TEST(errors, render_as_their_name_without_a_text) {
  for (const auto code : all)
    EXPECT_EQ(render(caf::make_error(code)), to_string(code));
}

TEST(errors, of_the_actor_system_render_too) {
  EXPECT_EQ(render(caf::make_error(caf::sec::request_timeout)),
            "request_timeout");
}

TEST(errors, absent_render_as_no_error) {
  EXPECT_EQ(render(caf::error{}), "no error");
}

} // namespace
} // namespace depositd
