// How many bytes of a user may wait.

#include "tests/actors/rules/ledger/ledger_fixture.hpp"

namespace depositd {
namespace {

using namespace testing;
using ids = std::vector<item_id>;
using bytes_waiting = ledger_fixture;

rules::incoming sized(item_id id, std::uint64_t size) {
  return with_size(an_item(id), size);
}

TEST_F(bytes_waiting, are_refused_beyond_the_limit_in_order) {
  books.limit_bytes(100);
  EXPECT_EQ(put({sized(1, 60), sized(2, 50), sized(3, 40)}), (ids{1, 3}));
  EXPECT_EQ(refused, (ids{2}));
  EXPECT_EQ(books.bytes(), 100u);
  EXPECT_FALSE(books.has_room_for(1));
}

TEST_F(bytes_waiting, are_not_those_of_claimed_items) {
  books.limit_bytes(100);
  put({sized(1, 100)});
  const auto x = claim();
  EXPECT_EQ(books.bytes(), 0u);
  EXPECT_EQ(put({sized(2, 100)}), (ids{2}));
  // What comes back counts, even beyond the limit.
  settle(x->item, verdict::release);
  EXPECT_EQ(books.bytes(), 200u);
  EXPECT_TRUE(put({sized(3, 1)}).empty());
}

TEST_F(bytes_waiting, count_wherever_an_item_waits) {
  put({sized(1, 10), sized(2, 20), sized(3, 40)});
  settle(claim()->item, verdict::retry, 1000); // delayed
  apply(books.park({2}, true));
  EXPECT_EQ(books.bytes(), 70u);
  apply(books.park({2}, false));
  EXPECT_EQ(books.bytes(), 70u);
  apply(books.purge(now));
  EXPECT_EQ(books.bytes(), 0u);
}

TEST_F(bytes_waiting, stay_the_same_when_lanes_are_built_again) {
  put({sized(1, 10), sized(2, 2000), with_digest(sized(3, 40), 7)});
  classes.add(100);
  configure();
  EXPECT_EQ(books.bytes(), 2050u);
  settings.dedup = dedup_mode::between_polls;
  configure();
  EXPECT_EQ(books.bytes(), 2050u);
  settings.dedup = dedup_mode::none;
  configure();
  EXPECT_EQ(books.bytes(), 2050u);
}

TEST_F(bytes_waiting, do_not_hold_for_what_was_accepted_elsewhere) {
  books.limit_bytes(10);
  EXPECT_EQ(books.accept({sized(1, 50)}, now, nullptr, true).size(), 1u);
}

TEST_F(bytes_waiting, have_no_limit_at_first) {
  EXPECT_EQ(put({sized(1, std::uint64_t{1} << 60)}), (ids{1}));
}

} // namespace
} // namespace depositd
