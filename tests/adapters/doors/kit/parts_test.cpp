// Limits of connections, and what TLS needs.

#include "adapters/doors/kit/listen.hpp"
#include "adapters/doors/kit/tls.hpp"

#include <gtest/gtest.h>

using namespace depositd;

TEST(kit_connection_limit, counts_who_is_there_and_who_ever_came) {
  kit::connection_limit x;
  x.set(4);
  ASSERT_EQ(x.max(), 4u);
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(x.enter());
  EXPECT_FALSE(x.enter());
  EXPECT_EQ(x.now(), 5u);
  x.leave();
  x.leave();
  EXPECT_TRUE(x.enter());
  EXPECT_EQ(x.now(), 4u);
  EXPECT_EQ(x.total(), 6u);
}

TEST(kit_tls, needs_both_files_or_none) {
  const auto none = kit::read_tls({});
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->certificate.empty());
  for (const auto& files : {kit::tls_files{"a", ""}, kit::tls_files{"", "b"},
                            kit::tls_files{"/no/certificate", "/no/key"}}) {
    const auto x = kit::read_tls(files);
    ASSERT_FALSE(x);
    EXPECT_EQ(x.error(), ec::bad_setting);
  }
}
