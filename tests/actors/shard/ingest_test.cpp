#include "tests/actors/records/record_log_fixture.hpp"

#include "messages/projection.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/submission_body.hpp"

namespace depositd {

namespace {

using namespace std::chrono_literals;
using testing::record_log_fixture;
class ingest_test : public record_log_fixture {
protected:
  static ingest batch(std::int64_t first, std::int64_t last,
                      const std::string& user = "a") {
    ingest out;
    out.partition = "in/0";
    out.last = last;
    for (auto offset = first; offset <= last; ++offset) {
      ingest_deposit x;
      x.offset = offset;
      x.queue = "metadata";
      x.user = user;
      x.user += std::to_string(offset % 3);
      x.submission.file_name = std::string{"f"}.append(std::to_string(offset));
      x.submission.source = source_kafka.name;
      x.submission.size = 4;
      x.body = "post";
      out.deposits.push_back(std::move(x));
    }
    return out;
  }

  std::int64_t kept_mark(const std::string& partition) {
    for (const auto& x : store->watermarks())
      if (x.partition == partition)
        return x.offset;
    return -1;
  }

  /// What intake makes of a batch of which some are refused.
  static ingest with_rejected(ingest x, const ingested& said) {
    for (const auto& refused : said.refused) {
      const auto at = std::find_if(
        x.deposits.begin(), x.deposits.end(),
        [&](const auto& y) { return y.offset == refused.offset; });
      EXPECT_NE(at, x.deposits.end());
      x.rejected.push_back({refused.offset, refused.reason, "key", "value",
                            {{"a", "b"}}, at->user});
      x.deposits.erase(at);
    }
    return x;
  }

  std::size_t submissions() {
    auto found = ask<submissions_found>(read_model, submission_query{});
    EXPECT_TRUE(found);
    return found ? found->rows.size() : 0;
  }
};

TEST_F(ingest_test, records_of_many_users_and_their_mark_are_one_group) {
  start();
  const auto before = store->last();
  auto reply = ask<ingested>(core, batch(0, 8));
  ASSERT_TRUE(reply) << render(reply.error());
  EXPECT_EQ(reply->accepted, 9u);
  EXPECT_EQ(kept_mark("in/0"), 8);
  std::size_t groups = 0;
  ASSERT_FALSE(store->read(before + 1, [&](const stored_group& x) {
    ++groups;
    EXPECT_EQ(x.watermarks,
              (std::vector<watermark>{{"in/0", 8}}));
    return true;
  }));
  EXPECT_EQ(groups, 1u);
}

TEST_F(ingest_test, what_was_applied_is_skipped_also_after_a_crash) {
  start();
  ASSERT_TRUE(ask<ingested>(core, batch(0, 4)));
  auto again = ask<ingested>(core, batch(3, 6));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->accepted, 2u);
  EXPECT_EQ(again->skipped, 2u);
  crash();
  start();
  auto later = ask<ingested>(core, batch(0, 7));
  ASSERT_TRUE(later);
  EXPECT_EQ(later->accepted, 1u);
  EXPECT_EQ(submissions(), 8u);
}

TEST_F(ingest_test, a_failed_group_leaves_neither_items_nor_mark) {
  start();
  fail_appends(*log, 1);
  EXPECT_FALSE(ask<ingested>(core, batch(0, 8)));
  EXPECT_EQ(kept_mark("in/0"), -1);
  advance(2s);
  auto again = ask<ingested>(core, batch(0, 8));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->accepted, 9u);
  EXPECT_EQ(submissions(), 9u);
}

TEST_F(ingest_test, takes_more_than_the_pending_limit_of_a_door) {
  configuration.queues[0].settings.pending_limit = 2;
  start();
  auto reply = ask<ingested>(core, batch(0, 8));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->accepted, 9u);
  EXPECT_EQ(report_of("metadata").ready, 9u);
}

TEST_F(ingest_test, a_batch_with_something_that_is_refused_is_not_applied) {
  start();
  const auto before = store->last();
  auto x = batch(0, 4);
  x.deposits[1].queue = "nowhere";
  x.deposits[2].user = "../a";
  auto reply = ask<ingested>(core, x);
  ASSERT_TRUE(reply) << render(reply.error());
  EXPECT_EQ(reply->accepted + reply->rejected + reply->skipped, 0u);
  ASSERT_EQ(reply->refused.size(), 2u);
  EXPECT_EQ(reply->refused[0].offset, 1);
  EXPECT_EQ(reply->refused[0].reason, "no deposit queue nowhere");
  EXPECT_EQ(reply->refused[1].offset, 2);
  EXPECT_EQ(reply->refused[1].reason, "not a user name");
  EXPECT_EQ(kept_mark("in/0"), -1);
  EXPECT_EQ(store->last(), before);
  EXPECT_EQ(submissions(), 0u);
}

TEST_F(ingest_test, ids_of_a_batch_that_was_refused_are_not_taken) {
  start();
  auto x = batch(0, 4);
  x.deposits[4].queue = "nowhere";
  ASSERT_EQ(ask<ingested>(core, x)->refused.size(), 1u);
  auto other = batch(0, 4);
  for (auto& deposit : other.deposits)
    deposit.body = "else";
  auto reply = ask<ingested>(core, other);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->accepted, 5u);
  EXPECT_TRUE(reply->refused.empty());
}

TEST_F(ingest_test, what_is_no_deposit_here_is_rejected_not_lost) {
  start();
  auto x = batch(0, 2);
  x.deposits[0].queue = "nowhere";
  x.deposits[1].user = "../a";
  auto refused = ask<ingested>(core, x);
  ASSERT_TRUE(refused);
  auto reply = ask<ingested>(core, with_rejected(x, *refused));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->accepted, 1u);
  EXPECT_EQ(reply->rejected, 2u);
  EXPECT_EQ(kept_mark("in/0"), 2);
}

TEST_F(ingest_test, the_same_deposit_is_taken_once_also_after_a_crash) {
  start();
  ASSERT_TRUE(ask<ingested>(core, batch(0, 2)));
  auto again = batch(3, 5);
  for (std::size_t i = 0; i < 3; ++i) {
    again.deposits[i].user = batch(0, 2).deposits[i].user;
    again.deposits[i].submission.file_name = "f" + std::to_string(i);
  }
  again.deposits[2].body = "lost";
  auto refused = ask<ingested>(core, again);
  ASSERT_TRUE(refused);
  ASSERT_EQ(refused->refused.size(), 1u) << "an id used for something else";
  EXPECT_EQ(refused->refused[0].offset, 5);
  auto reply = ask<ingested>(core, with_rejected(again, *refused));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->accepted, 0u);
  EXPECT_EQ(reply->skipped, 2u);
  EXPECT_EQ(reply->rejected, 1u);
  for (const auto tables_first : {false, true}) {
    if (tables_first) {
      EXPECT_EQ(submissions(), 3u);
    }
    crash();
    start();
    auto late = again;
    late.last += tables_first ? 6 : 3;
    late.deposits.resize(2);
    for (auto& x : late.deposits)
      x.offset = late.last;
    auto once_more = ask<ingested>(core, late);
    ASSERT_TRUE(once_more);
    EXPECT_EQ(once_more->skipped, 2u);
  }
}

TEST_F(ingest_test, other_content_of_the_same_size_is_told_also_after_a_crash) {
  start();
  ASSERT_TRUE(ask<ingested>(core, batch(0, 0)));
  for (const auto tables_first : {false, true}) {
    if (tables_first) {
      EXPECT_EQ(submissions(), 1u);
    }
    crash();
    start();
    auto other = batch(1, 1);
    other.deposits[0].user = batch(0, 0).deposits[0].user;
    other.deposits[0].submission.file_name = "f0";
    other.deposits[0].body = "tsop";
    auto reply = ask<ingested>(core, other);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->skipped, 0u) << "nobody would hear that it was left out";
    EXPECT_EQ(reply->refused.size(), 1u);
  }
}

TEST_F(ingest_test, another_operation_on_the_same_file_is_another_deposit) {
  start();
  ASSERT_TRUE(ask<ingested>(core, batch(0, 0)));
  auto other = batch(1, 1);
  other.deposits[0].user = batch(0, 0).deposits[0].user;
  other.deposits[0].submission.file_name = "f0";
  other.deposits[0].submission.operation = "doDOICitUpload";
  auto reply = ask<ingested>(core, other);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->skipped, 0u) << "nobody would hear that it was left out";
  EXPECT_EQ(reply->refused.size(), 1u);
}

TEST_F(ingest_test, an_id_is_known_for_seven_days) {
  start();
  ASSERT_TRUE(ask<ingested>(core, batch(0, 0)));
  crash();
  time_us += shard::ingest_ids_kept_us;
  start();
  auto again = batch(1, 1);
  again.deposits[0].user = batch(0, 0).deposits[0].user;
  again.deposits[0].submission.file_name = "f0";
  auto reply = ask<ingested>(core, again);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->accepted, 1u);
}

TEST_F(ingest_test, an_item_carries_its_post) {
  start();
  ASSERT_TRUE(ask<ingested>(core, batch(0, 0)));
  const auto sp = attach_to("metadata");
  want(sp, 1);
  ASSERT_EQ(sp.got->items.size(), 1u);
  const auto found = decode_submission_body(sp.got->items[0].body);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->body, "post");
  EXPECT_EQ(found->submission.file_name, "f0");
}

} // namespace

} // namespace depositd
