// Documents of batches and jobs whose segment is written again while somebody
// works on them. Memory has no room, so bodies are read where they are.

#include "messages/projection.hpp"
#include "tests/actors/work/work_fixture.hpp"
#include "tests/support/watched_engine.hpp"

namespace depositd {

namespace {

class work_bodies : public testing::watching<testing::work_fixture> {
protected:
  work_bodies() {
    body_budget = 0;
  }

  /// What the projector would ask for the item as it is stored now.
  compact_items compaction_of(const claimed_item& item,
                              const std::string& stage) {
    // Answers when the tables are up to date.
    jobs_found();
    const auto row = tables->item(item.id);
    EXPECT_TRUE(row);
    return {{{item.id, "p." + stage, item.user,
              std::make_shared<const std::string>(item.body), row->place}}};
  }

  std::size_t bodies_written(item_id id) {
    std::size_t out = 0;
    for (const auto& x : all<body_compacted>())
      out += x.id == id ? 1 : 0;
    return out;
  }
};

TEST_F(work_bodies, a_body_is_written_again_where_it_is_the_newest) {
  submit_and_split(1);
  const auto item = take("first");
  ASSERT_EQ(bodies_written(item.id), 0u);
  caf::anon_send(core, compaction_of(item, "first"));
  settle();
  EXPECT_EQ(bodies_written(item.id), 1u);
  EXPECT_TRUE(says(item, verdict::retry));
  advance(std::chrono::seconds{5});
  EXPECT_EQ(take("first").body, item.body);
}

TEST_F(work_bodies, an_older_one_does_not_come_back) {
  submit_and_split(1);
  const auto item = take("first");
  auto older = compaction_of(item, "first");
  auto document = decode_job_document(item.body);
  ASSERT_TRUE(document);
  document->space_needed = 42;
  auto what = outcome_of(item, verdict::not_yet);
  what.delay_ms = 1;
  what.document = encode(*document);
  ASSERT_TRUE(says(what));
  caf::anon_send(core, std::move(older));
  settle();
  advance(std::chrono::seconds{1});
  EXPECT_EQ(take("first").body, what.document);
}

TEST_F(work_bodies, one_that_cannot_be_read_fails_its_job) {
  submit_and_split(1);
  const auto job = jobs().at(0);
  disk->before_body = [](const body_location&) {
    return caf::make_error(ec::store_failed, std::string{"no such sector"});
  };
  const auto worker = attach_to("p.first");
  want(worker, 1);
  for (int i = 1; i < 3; ++i) {
    EXPECT_EQ(state_of(job), "pending") << i;
    advance(std::chrono::minutes{1});
  }
  EXPECT_TRUE(worker.got->items.empty());
  EXPECT_EQ(state_of(job), "failed");
  EXPECT_TRUE(last_of(job).status.needs_review);
  EXPECT_NE(last_of(job).status.note.find("body unreadable"),
            std::string::npos)
    << last_of(job).status.note;
  disk->before_body = [](const body_location&) { return caf::error{}; };
  ASSERT_TRUE(order(job, work_action::requeue));
  ASSERT_EQ(worker.got->items.size(), 1u);
  EXPECT_EQ(worker.got->items[0].id, job);
}

/// So many messages lie between the compaction and the outcome.
class work_bodies_at_once : public work_bodies,
                            public ::testing::WithParamInterface<unsigned> {};

TEST_P(work_bodies_at_once, the_newest_is_handed_out) {
  const auto id = submit(4);
  const auto item = take("batch");
  auto again = compaction_of(item, "batch");
  const auto next = split(item, 1);
  // Somebody waits for the batch, which is ready again at once.
  auto other = attach_to("p.batch");
  want(other, 1);
  caf::anon_send(core, std::move(again));
  settle(GetParam());
  EXPECT_TRUE(says(next));
  ASSERT_EQ(other.got->items.size(), 1u);
  EXPECT_EQ(other.got->items[0].id, id);
  const auto batch = decode_batch_document(other.got->items[0].body);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->split, 1u);
}

INSTANTIATE_TEST_SUITE_P(messages, work_bodies_at_once,
                         ::testing::Range(0u, 24u));

} // namespace

} // namespace depositd
