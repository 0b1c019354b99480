// Who is told how many could be served, and when.

#include "tests/support/polling_fixture.hpp"

#include <cstdint>
#include <vector>

namespace depositd {

namespace {

using counts = std::vector<std::uint32_t>;

class watched_queue : public testing::polling_fixture {
protected:
  void SetUp() override {
    start();
    ASSERT_TRUE(change({queue_changed{"q", {}}}));
  }

  void ask_count(const testing::test_processor& who) {
    settle_and_request count{who.number, 0, {}};
    count.counts = true;
    caf::anon_send(who.door, count);
    settle();
  }

  void want_now(const testing::test_processor& who, std::uint32_t credit) {
    caf::anon_send(who.door,
                   settle_and_request{who.number, credit, {}, false});
    settle();
  }
};

TEST_F(watched_queue, tells_whose_wish_was_void_of_the_first_who_comes) {
  const auto sp = attach_to("q");
  want_now(sp, 1);
  EXPECT_EQ(sp.got->counts, counts{});
  put("q", items_of("ann", 1));
  EXPECT_EQ(sp.got->counts, counts{1});
  EXPECT_TRUE(sp.got->items.empty()) << "its credit was void";
}

TEST_F(watched_queue, tells_whose_wish_was_void_whatever_it_knew_before) {
  for (const auto* user : {"ann", "bob", "carl"})
    put("q", items_of(user, 1));
  const auto sp = attach_to("q");
  ask_count(sp);
  want(attach_to("q"), 3);
  want_now(sp, 1);
  EXPECT_EQ(sp.got->counts, counts{3});
  put("q", items_of("dora", 1));
  EXPECT_EQ(sp.got->counts, (counts{3, 1}));
}

TEST_F(watched_queue, tells_who_watches_when_there_are_twice_as_many) {
  put("q", items_of("ann", 1));
  const auto sp = attach_to("q");
  ask_count(sp);
  put("q", items_of("ann", 5));
  EXPECT_EQ(sp.got->counts, counts{1}) << "still one user";
  put("q", items_of("bob", 1));
  put("q", items_of("carl", 1));
  EXPECT_EQ(sp.got->counts, (counts{1, 2})) << "three are not twice two";
  put("q", items_of("dora", 1));
  EXPECT_EQ(sp.got->counts, (counts{1, 2, 4}));
}

} // namespace

} // namespace depositd
