#include "adapters/sources/web/held_messages.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace depositd::sources {

namespace {

std::vector<std::string> receipts(const held_messages& x,
                                  const std::vector<std::string>& keys) {
  std::vector<std::string> out;
  for (const auto& one : x.of(keys))
    out.push_back(one.id + "=" + one.receipt);
  std::sort(out.begin(), out.end());
  return out;
}

using texts = std::vector<std::string>;

} // namespace

TEST(held_messages, are_found_by_key) {
  held_messages held;
  held.hold("k", "1", "a");
  held.hold("l", "2", "b");
  held.hold("m", "3", "c");
  EXPECT_EQ(receipts(held, {"l", "k", "none"}), (texts{"1=a", "2=b"}));
  EXPECT_TRUE(held.of({}).empty());
}

TEST(held_messages, of_one_key_are_all_found_once) {
  held_messages held;
  held.hold("k", "1", "a");
  held.hold("k", "2", "b");
  EXPECT_EQ(receipts(held, {"k", "k"}), (texts{"1=a", "2=b"}));
}

TEST(held_messages, know_only_the_latest_receipt) {
  held_messages held;
  held.hold("k", "1", "a");
  held.hold("k", "1", "b");
  EXPECT_EQ(receipts(held, {"k"}), texts{"1=b"});
  EXPECT_EQ(held.size(), 1u);
}

TEST(held_messages, may_change_their_key) {
  held_messages held;
  held.hold("k", "1", "a");
  held.hold("l", "1", "b");
  EXPECT_TRUE(held.of({"k"}).empty());
  EXPECT_EQ(receipts(held, {"l"}), texts{"1=b"});
}

TEST(held_messages, are_forgotten_one_by_one) {
  held_messages held;
  held.hold("k", "1", "a");
  held.hold("k", "2", "b");
  held.forget("1");
  held.forget("none");
  EXPECT_EQ(receipts(held, {"k"}), texts{"2=b"});
  held.forget("2");
  EXPECT_TRUE(held.of({"k"}).empty());
  EXPECT_EQ(held.size(), 0u);
}

TEST(held_messages, are_no_more_than_that_and_the_oldest_goes) {
  held_messages held{2};
  held.hold("k", "1", "a");
  held.hold("l", "2", "b");
  held.hold("k", "1", "c"); // younger now
  held.hold("m", "3", "d");
  EXPECT_EQ(held.size(), 2u);
  EXPECT_EQ(receipts(held, {"k", "l", "m"}), (texts{"1=c", "3=d"}));
}

} // namespace depositd::sources
