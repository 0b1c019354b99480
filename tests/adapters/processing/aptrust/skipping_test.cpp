#include "adapters/processing/aptrust/skipping.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace depositd::aptrust {
namespace {

std::vector<item_stage> ingest_stage_list() {
  std::vector<item_stage> out;
  for (std::size_t i = 0; i < ingest_stage_count; ++i)
    out.push_back(static_cast<item_stage>(i));
  return out;
}

/// An item that its stage is to work on, and nothing in its way.
work_item an_item(item_stage stage = item_stage::receive) {
  work_item out;
  out.name = "photos.tar";
  out.etag = "abc";
  out.institution = "test.edu";
  out.stage = stage;
  return out;
}

/// Nothing is in its way.
skip_facts clear_facts() {
  skip_facts out;
  out.has_interim = true;
  out.bag = bag_state::same;
  return out;
}

void expect_cancelled(item_stage stage, const skip_facts& facts,
                      skip_reason why) {
  auto item = an_item(stage);
  EXPECT_EQ(should_skip(item, facts), why) << word(stage);
  EXPECT_EQ(apply_skip(item, why).says, verdict::rejected);
  EXPECT_EQ(item.status, item_status::cancelled);
  EXPECT_FALSE(item.retry);
  EXPECT_TRUE(item.needs_admin_review);
}

TEST(skip_rules, row_p1_every_stage_works_on_its_items) {
  for (const auto stage : ingest_stage_list())
    EXPECT_EQ(should_skip(an_item(stage), clear_facts()), skip_reason::none)
      << word(stage);
}

TEST(skip_rules, row_p7_a_newer_bag_waits_for_the_older) {
  auto facts = clear_facts();
  facts.older_unfinished = true;
  auto item = an_item();
  EXPECT_EQ(should_skip(item, facts), skip_reason::older_unfinished);
  const auto effect = apply_skip(item, skip_reason::older_unfinished);
  EXPECT_EQ(effect.says, verdict::not_yet);
  EXPECT_FALSE(effect.note.empty());
  EXPECT_TRUE(item.retry);
  EXPECT_FALSE(is_finished(item.status));
}

TEST(skip_rules, row_p8_an_older_bag_is_cancelled_early) {
  for (const auto stage : ingest_stage_list()) {
    if (is_late(stage))
      continue;
    auto facts = clear_facts();
    facts.newer_unfinished = true;
    expect_cancelled(stage, facts, skip_reason::newer_exists);
  }
}

TEST(skip_rules, row_p9_an_older_bag_goes_on_late) {
  for (const auto stage : {item_stage::store, item_stage::storage_validation,
                           item_stage::record, item_stage::cleanup}) {
    auto facts = clear_facts();
    facts.newer_unfinished = true;
    EXPECT_EQ(should_skip(an_item(stage), facts), skip_reason::none)
      << word(stage);
  }
}

TEST(skip_rules, row_p9_an_older_bag_does_not_follow_what_was_ingested) {
  for (const auto stage : {item_stage::store, item_stage::storage_validation,
                           item_stage::record}) {
    auto facts = clear_facts();
    facts.newer_recorded = true;
    expect_cancelled(stage, facts, skip_reason::newer_recorded);
  }
}

TEST(skip_rules, row_p10_a_changed_bag_ends_it_early_and_not_late) {
  for (const auto stage : ingest_stage_list()) {
    auto facts = clear_facts();
    facts.bag = bag_state::changed;
    EXPECT_EQ(should_skip(an_item(stage), facts),
              is_late(stage) ? skip_reason::none : skip_reason::bag_changed)
      << word(stage);
  }
  auto item = an_item();
  EXPECT_EQ(apply_skip(item, skip_reason::bag_changed).says, verdict::rejected);
  EXPECT_EQ(item.status, item_status::cancelled);
  EXPECT_FALSE(item.retry);
}

TEST(skip_rules, row_p11_a_bag_that_is_gone_suspends_it) {
  auto facts = clear_facts();
  facts.bag = bag_state::gone;
  auto item = an_item(item_stage::validate);
  EXPECT_EQ(should_skip(item, facts), skip_reason::bag_gone);
  EXPECT_EQ(apply_skip(item, skip_reason::bag_gone).says, verdict::failed)
    << "a requeue is possible once the bag is there again";
  EXPECT_EQ(item.status, item_status::suspended);
  EXPECT_FALSE(item.retry);
  EXPECT_TRUE(item.needs_admin_review);
}

TEST(skip_rules, trouble_with_the_receiving_place_holds_nothing_up) {
  auto facts = clear_facts();
  facts.bag = bag_state::unknown;
  EXPECT_EQ(should_skip(an_item(item_stage::validate), facts),
            skip_reason::none);
}

TEST(skip_rules, row_p12_a_duplicate_of_what_was_ingested_succeeds) {
  auto facts = clear_facts();
  facts.has_interim = false;
  facts.recorded_since = true;
  auto item = an_item();
  EXPECT_EQ(should_skip(item, facts), skip_reason::already_ingested);
  EXPECT_EQ(apply_skip(item, skip_reason::already_ingested).says,
            verdict::skip);
  EXPECT_EQ(item.stage, item_stage::cleanup);
  EXPECT_EQ(item.status, item_status::success);
  EXPECT_FALSE(item.retry);
  EXPECT_FALSE(item.needs_admin_review);
}

TEST(skip_rules, row_p12_an_item_that_has_its_object_was_ingested) {
  auto item = an_item(item_stage::record);
  item.object = "test.edu/photos";
  EXPECT_EQ(should_skip(item, clear_facts()), skip_reason::already_ingested);
  apply_skip(item, skip_reason::already_ingested);
  EXPECT_EQ(item.outcome, "already ingested");
}

TEST(skip_rules, what_they_end_is_in_nobodys_hands_and_says_why) {
  for (const auto why : {skip_reason::newer_exists, skip_reason::newer_recorded,
                         skip_reason::bag_gone, skip_reason::bag_changed}) {
    auto item = an_item();
    item.node = "worker-1";
    item.pid = 42;
    const auto effect = apply_skip(item, why);
    EXPECT_EQ(item.node, "");
    EXPECT_EQ(item.pid, 0);
    EXPECT_NE(effect.note, "");
    EXPECT_EQ(item.note, effect.note);
    EXPECT_EQ(item.outcome, effect.note);
  }
}

TEST(skip_rules, an_item_that_is_under_way_is_no_duplicate_of_itself) {
  auto facts = clear_facts();
  facts.recorded_since = true;
  EXPECT_EQ(should_skip(an_item(item_stage::record), facts), skip_reason::none);
}

TEST(skip_rules, apply_in_their_order) {
  auto facts = clear_facts();
  facts.has_interim = false;
  facts.recorded_since = true;
  facts.older_unfinished = true;
  facts.newer_unfinished = true;
  facts.newer_recorded = true;
  facts.bag = bag_state::gone;
  auto item = an_item();
  EXPECT_EQ(should_skip(item, facts), skip_reason::already_ingested);
  facts.recorded_since = false;
  EXPECT_EQ(should_skip(item, facts), skip_reason::older_unfinished);
  facts.older_unfinished = false;
  EXPECT_EQ(should_skip(item, facts), skip_reason::newer_recorded);
  facts.newer_recorded = false;
  EXPECT_EQ(should_skip(item, facts), skip_reason::newer_exists);
  facts.newer_unfinished = false;
  EXPECT_EQ(should_skip(item, facts), skip_reason::bag_gone);
}

} // namespace
} // namespace depositd::aptrust
