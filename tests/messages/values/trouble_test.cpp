#include "messages/values/trouble.hpp"

#include <gtest/gtest.h>

namespace depositd {
namespace {

TEST(trouble, tells_each_reason_once) {
  trouble x;
  EXPECT_TRUE(x.is_new("away"));
  EXPECT_FALSE(x.is_new("away"));
  EXPECT_TRUE(x.is_new("refuses"));
  EXPECT_FALSE(x.is_new("refuses"));
}

TEST(trouble, tells_once_that_it_is_over) {
  trouble x;
  EXPECT_FALSE(x.is_over()) << "there was none";
  x.is_new("away");
  EXPECT_TRUE(x.is_over());
  EXPECT_FALSE(x.is_over());
  EXPECT_TRUE(x.is_new("away")) << "again";
}

} // namespace
} // namespace depositd
