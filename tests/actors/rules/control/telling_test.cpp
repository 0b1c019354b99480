#include "actors/rules/control/telling.hpp"

#include "tests/actors/rules/ledger/ledger_fixture.hpp"

#include <gtest/gtest.h>

namespace depositd {
namespace {

using namespace testing;

class telling : public ledger_fixture {
protected:
  item_finished failed(item_id id) {
    item_finished out;
    out.id = id;
    out.queue = "q";
    out.how = ending::failed;
    out.reason = "no such address";
    return out;
  }

  void set_aside(item_id id) {
    put({an_item(id)});
    apply(books.park({id}, true));
  }
};

TEST_F(telling, keeps_aside_what_nobody_could_be_told) {
  put({an_item(7)});
  claim();
  const auto kept = rules::keep_aside(failed(7), books);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->back.id, 7u);
  EXPECT_EQ(kept->back.queue, "q");
  EXPECT_EQ(kept->back.attempt, 1u);
  EXPECT_EQ(kept->back.reason, "no such address");
  EXPECT_EQ(kept->aside, (item_parked{7, "q", true}));
}

TEST_F(telling, keeps_so_many_of_a_user_aside_and_no_more) {
  for (item_id id = 1; id < outbox_parked_max; ++id)
    set_aside(id);
  put({an_item(5'000)});
  claim();
  EXPECT_TRUE(rules::keep_aside(failed(5'000), books));
  set_aside(6'000);
  EXPECT_FALSE(rules::keep_aside(failed(5'000), books));
}

} // namespace
} // namespace depositd
