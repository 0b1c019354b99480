// What processors say of items, however much it is.

#include "actors/rules/ledger/outcome_bounds.hpp"
#include "tests/support/submission_rows.hpp"
#include "tests/support/watched_engine.hpp"

namespace depositd {

namespace {

class outcomes : public testing::watching<testing::showing_submissions> {
protected:
  void SetUp() override {
    start();
  }

  item_id deposit() {
    submission what;
    what.source = "http";
    what.size = 4;
    const auto done =
      ask<enqueued>(core, submit{"metadata", "ann", 0, what, "<a/>"});
    EXPECT_TRUE(done);
    return done ? done->ids.at(0) : 0;
  }

  /// The items end together, with documents of so many bytes.
  void end_all(const testing::test_processor& sp, std::size_t bytes) {
    settle_and_request what{sp.number, 0, {}};
    for (const auto& item : sp.got->items) {
      what.outcomes.push_back(outcome_of(item));
      what.outcomes.back().document.assign(bytes, 'x');
    }
    caf::anon_send(sp.door, std::move(what));
    settle();
  }
};

TEST_F(outcomes, beyond_what_is_kept_fail_their_item) {
  const auto id = deposit();
  auto sp = attach_to("metadata");
  want(sp, 1);
  ASSERT_EQ(sp.got->items.size(), 1u);
  end_all(sp, rules::outcome_bytes_max + 1);
  const auto row = row_of(id);
  EXPECT_EQ(row.status, submission_status::completed);
  EXPECT_TRUE(row.failed);
  EXPECT_EQ(row.document, "");
  EXPECT_NE(row.reason.find("33554433 bytes"), std::string::npos) << row.reason;
  ASSERT_EQ(sp.got->settled.size(), 1u);
  EXPECT_TRUE(sp.got->settled[0].accepted);
}

TEST_F(outcomes, that_are_long_together_are_appends_of_their_own) {
  std::vector<item_id> ids;
  for (int i = 0; i < 3; ++i)
    ids.push_back(deposit());
  auto sp = attach_to("metadata");
  want(sp, 3);
  ASSERT_EQ(sp.got->items.size(), 3u);
  disk->groups.clear();
  end_all(sp, rules::outcome_bytes_max);
  EXPECT_EQ(disk->groups.size(), 2u) << "two of them in one";
  EXPECT_EQ(sp.got->settled.size(), 3u);
  for (const auto id : ids)
    EXPECT_EQ(row_of(id).document.size(), rules::outcome_bytes_max);
}

} // namespace

} // namespace depositd
