// Records where there are several shards: those of a source are all in the
// shard of its queue, positions in that of its scheduler, and every engine
// reaches both.

#include "messages/sources.hpp"
#include "tests/actors/cluster/shards_world.hpp"

namespace depositd::testing {

namespace {

class records_over_shards : public shards_world {
protected:
  static constexpr shard_number of_queue = 1;
  static constexpr shard_number of_scheduler = 2;

  void SetUp() override {
    begin(4);
    a = &join("a");
    pass(milliseconds{500});
    b = &join("b");
    pass(milliseconds{3'000});
    ASSERT_EQ(owns(*a).size(), 2u);
    queue = name_in(of_queue, "q");
    scheduler_changed feeds;
    feeds.name = name_in(of_scheduler, "s");
    feeds.settings.queue = queue;
    source.name = "a";
    source.settings.kind = source_kind::folder;
    source.settings.scheduler = feeds.name;
    source.settings.from.path = "/in";
    source.made_us = 7;
    const auto set =
      ask<done>(a->router, propose{{queue_changed{queue, {}}, feeds, source}});
    ASSERT_TRUE(set) << render(set.error());
  }

  engine& owner_of(shard_number shard) {
    return a->cores.count(shard) > 0 ? *a : *b;
  }

  caf::expected<records_fed> feed(engine& via, const std::string& name = "a") {
    feed_records x;
    x.queue = queue;
    x.source = name;
    x.made_us = 7;
    x.known_max = 10;
    x.records = {{"k", "ann", "{}", false}};
    x.bad = {{"bad", "ann", "why", "{", 0}};
    return ask<records_fed>(via.router, x);
  }

  engine* a = nullptr;
  engine* b = nullptr;
  std::string queue;
  source_changed source;
};

TEST_F(records_over_shards, are_known_whichever_engine_is_asked) {
  const auto first = feed(*a);
  ASSERT_TRUE(first) << render(first.error());
  EXPECT_EQ(first->was, std::vector{record_state::unknown});
  for (auto* via : {a, b}) {
    const auto again = feed(*via);
    ASSERT_TRUE(again) << render(again.error());
    EXPECT_EQ(again->was, std::vector{record_state::queued});
    const auto found =
      ask<record_found>(via->router, look_up_record{queue, "a", 7, "k"});
    ASSERT_TRUE(found);
    EXPECT_EQ(shard_of_item(found->id), of_queue);
    const auto counts =
      ask<records_counted>(via->router, count_records{queue, "a", 7});
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->queued, 1u);
    const auto left =
      ask<queue_measured>(via->router, measure_queue{queue, {}});
    ASSERT_TRUE(left);
    EXPECT_EQ(left->left, 1u);
    failed_query query;
    query.queue = queue;
    query.source = "a";
    query.made_us = 7;
    const auto failed = ask<failed_found>(via->reader, query);
    ASSERT_TRUE(failed);
    ASSERT_EQ(failed->rows.size(), 1u);
    EXPECT_EQ(failed->rows[0].body, "{");
  }
}

TEST_F(records_over_shards, of_a_source_that_is_still_to_be_heard_of_wait) {
  const auto early = feed(*a, "later");
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error(), ec::overloaded);
  source.name = "later";
  ASSERT_TRUE(ask<done>(a->router, propose{{source}}));
  EXPECT_TRUE(feed(*a, "later"));
}

TEST_F(records_over_shards, are_forgotten_with_their_source) {
  ASSERT_TRUE(feed(*a));
  source_read what;
  what.source = "a";
  what.made_us = 7;
  what.has_cursor = true;
  what.cursor = "17";
  auto& own = owner_of(of_scheduler);
  ASSERT_TRUE(ask<done>(own.cores.at(of_scheduler).shard, keep_position{what}));
  auto& other = owner_of(of_queue);
  const auto refused =
    ask<done>(other.cores.at(of_queue).shard, keep_position{what});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::invalid_argument);
  pass(milliseconds{1'000});
  EXPECT_EQ(settings_in(own, of_scheduler)->positions.size(), 1u);
  EXPECT_TRUE(settings_in(other, of_queue)->positions.empty())
    << "no other shard follows it";
  source.removed = true;
  ASSERT_TRUE(ask<done>(b->router, propose{{source}}));
  EXPECT_TRUE(settings_in(own, of_scheduler)->positions.empty());
  const auto counts =
    ask<records_counted>(b->router, count_records{queue, "a", 7});
  ASSERT_TRUE(counts);
  EXPECT_EQ(counts->queued, 0u);
  EXPECT_EQ(feed(*a).error(), ec::overloaded);
}

// Its position would be left behind: everything would come once more, beyond
// what is remembered as new records.
TEST_F(records_over_shards, stay_with_schedulers_of_their_shard) {
  const auto near = name_in(of_scheduler, "near");
  const auto far = name_in(of_scheduler + 1, "far");
  for (const auto& name : {near, far}) {
    scheduler_changed other;
    other.name = name;
    other.settings.queue = queue;
    ASSERT_TRUE(ask<done>(a->router, propose{{other}}));
  }
  auto moved = source;
  moved.settings.scheduler = far;
  const auto refused = ask<done>(b->router, propose{{moved}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::invalid_argument);
  EXPECT_NE(render(refused.error()).find("sources.a.scheduler: " + far),
            std::string::npos)
    << render(refused.error());
  moved.settings.scheduler = near;
  EXPECT_TRUE(ask<done>(b->router, propose{{moved}}));
  // Added anew it is another source, which begins anew.
  moved.removed = true;
  ASSERT_TRUE(ask<done>(b->router, propose{{moved}}));
  moved.removed = false;
  moved.settings.scheduler = far;
  moved.made_us = 8;
  EXPECT_TRUE(ask<done>(b->router, propose{{moved}}));
}

} // namespace

} // namespace depositd::testing
