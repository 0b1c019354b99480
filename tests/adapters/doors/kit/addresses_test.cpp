#include "adapters/doors/kit/addresses.hpp"

#include <gtest/gtest.h>

using namespace depositd;
using kit::address_list;
using kit::client_behind;

namespace {

address_list list(const std::vector<std::string>& texts) {
  auto out = address_list::of(texts);
  EXPECT_TRUE(out) << render(out.error());
  return out ? std::move(*out) : address_list{};
}

} // namespace

TEST(kit_addresses, has_single_addresses_and_networks_of_both_kinds) {
  const auto x = list({"10.1.2.3", "192.168.4.0/22", "fd00::/8", "::1"});
  for (const auto* in :
       {"10.1.2.3", "::ffff:10.1.2.3", "192.168.7.255", "fdff::1", "::1"})
    EXPECT_TRUE(x.has(in)) << in;
  for (const auto* out : {"10.1.2.4", "192.168.8.0", "fe00::1", "::2", "", "x",
                          "127.0.0.1", "::ffff:10.1.2.4"})
    EXPECT_FALSE(x.has(out)) << out;
  EXPECT_TRUE(list({"0.0.0.0/0"}).has("1.2.3.4"));
  EXPECT_FALSE(list({"0.0.0.0/0"}).has("::1"));
  EXPECT_FALSE(list({}).has("::1"));
}

TEST(kit_addresses, refuses_what_is_no_address) {
  for (const auto* text :
       {"", "host", "1.2.3", "10/8", "abc", "1.2.3.4/33", "::/129", "1.2.3.4/",
        "1.2.3.4/x", "1.2.3.4/8 ", "/8"}) {
    const auto x = address_list::of({"::1", text});
    ASSERT_FALSE(x) << text;
    EXPECT_EQ(x.error(), ec::bad_setting);
  }
}

TEST(kit_addresses, the_client_is_the_last_that_is_no_trusted_proxy) {
  const auto x = list({"10.0.0.0/8"});
  EXPECT_EQ(client_behind(x, "10.0.0.1", "6.6.6.6, 1.2.3.4"), "1.2.3.4");
  EXPECT_EQ(client_behind(x, "10.0.0.1", "6.6.6.6,1.2.3.4 ,10.9.9.9"),
            "1.2.3.4");
  EXPECT_EQ(client_behind(x, "::ffff:10.0.0.1", "1.2.3.4:567"), "1.2.3.4");
  EXPECT_EQ(client_behind(x, "10.0.0.1", "[2001:DB8::1]:567"), "2001:db8::1");
  EXPECT_EQ(client_behind(x, "10.0.0.1", "2001:db8::1"), "2001:db8::1");
  EXPECT_EQ(client_behind(x, "10.0.0.1", "10.0.0.2"), "10.0.0.2");
}

TEST(kit_addresses, nobody_else_is_believed) {
  const auto x = list({"10.0.0.0/8"});
  EXPECT_EQ(client_behind(x, "1.2.3.4", "5.6.7.8"), "1.2.3.4");
  EXPECT_EQ(client_behind(x, "10.0.0.1", ""), "10.0.0.1");
  for (const auto* wrong :
       {"unknown", "face", "5.6.7.8, ", "5.6.7.8,[", "5.6.7.8,:::"})
    EXPECT_EQ(client_behind(x, "10.0.0.1", wrong), "10.0.0.1") << wrong;
  EXPECT_EQ(client_behind(list({}), "10.0.0.1", "5.6.7.8"), "10.0.0.1");
}
