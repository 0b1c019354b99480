// Deposits of which somebody is told: from their end to the outbox.

#include "messages/receiving.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/submission_body.hpp"
#include "tests/support/submission_rows.hpp"

#include <limits>

namespace depositd {

namespace {

using testing::test_processor;

class telling : public testing::showing_submissions {
protected:
  telling() {
    configuration.queues.push_back({notify_queue, outbox_queue_defaults()});
  }

  void SetUp() override {
    start();
  }

  item_id deposit(const std::string& user = "ann",
                  const submission_source& by = source_http) {
    submission what;
    what.file_name = "a.xml";
    what.operation = "doMDUpload";
    what.source = by.name;
    what.blob = *blobs->put("<a/>");
    const auto done = ask<enqueued>(core, submit{"metadata", user, 0, what});
    EXPECT_TRUE(done) << (done ? "" : render(done.error()));
    return done ? done->ids.at(0) : 0;
  }

  /// Takes the next deposit and ends it like this.
  void end_next(const test_processor& sp, verdict says, bool tell) {
    want(sp, 1);
    ASSERT_FALSE(sp.got->items.empty());
    auto ended = outcome_of(sp.got->items.back(), says);
    ended.tell = tell;
    ended.batch_id = "batch-1";
    ended.document = "<doi_batch_diagnostic/>";
    caf::anon_send(sp.door, settle_and_request{sp.number, 0, {ended}});
    settle();
  }

  /// As who knows no claim, but the deposit's name.
  void end_by_name(item_id id, verdict says) {
    settle_items::one one;
    one.name = {id, digest_of_user("ann")};
    one.says = says;
    one.batch_id = "batch-1";
    one.document = "<doi_batch_diagnostic/>";
    const auto done = ask<items_settled>(core, settle_items{"metadata", {one}});
    ASSERT_TRUE(done) << render(done.error());
    EXPECT_EQ(done->accepted.at(0), 1u);
  }

  std::vector<item_row> waiting() {
    const auto found =
      ask<items_found>(read_model, peek_items{notify_queue, 10});
    EXPECT_TRUE(found);
    return found ? found->rows : std::vector<item_row>{};
  }

  void restart() {
    crash();
    start();
  }
};

void expect_over(const submission_row& row, bool failed) {
  EXPECT_EQ(row.status, submission_status::completed);
  EXPECT_EQ(row.failed, failed);
  EXPECT_EQ(row.queue, "metadata");
  EXPECT_EQ(row.batch_id, "batch-1");
  EXPECT_EQ(row.document, "<doi_batch_diagnostic/>");
}

TEST_F(telling, a_deposit_goes_on_with_its_number_and_what_it_says) {
  const auto id = deposit();
  const auto sp = attach_to("metadata");
  end_next(sp, verdict::done, true);
  EXPECT_EQ(sp.got->settled.size(), 1u);
  EXPECT_TRUE(sp.got->settled.at(0).accepted);
  expect_over(row_of(id), false);
  const auto teller = attach_to(notify_queue);
  want(teller, 1);
  ASSERT_EQ(teller.got->items.size(), 1u);
  EXPECT_EQ(teller.got->items[0].id, id);
  EXPECT_EQ(teller.got->items[0].user, "ann");
  EXPECT_EQ(teller.got->items[0].attempt, 1u);
  const auto body = decode_submission_body(teller.got->items[0].body);
  ASSERT_TRUE(body);
  EXPECT_EQ(body->submission.file_name, "a.xml");
  // What becomes of the notification is none of the submission's business.
  expect_over(row_of(id), false);
  end(teller, teller.got->items[0]);
  EXPECT_TRUE(waiting().empty());
  expect_over(row_of(id), false);
}

TEST_F(telling, a_failed_deposit_is_told_of_as_well) {
  const auto id = deposit();
  end_next(attach_to("metadata"), verdict::failed, true);
  expect_over(row_of(id), true);
  ASSERT_EQ(waiting().size(), 1u);
  EXPECT_EQ(waiting()[0].id, id);
}

TEST_F(telling, a_deposit_of_which_nobody_is_told_is_gone) {
  const auto id = deposit();
  end_next(attach_to("metadata"), verdict::done, false);
  expect_over(row_of(id), false);
  EXPECT_TRUE(waiting().empty());
  EXPECT_EQ(report_of("metadata").items, 0u);
}

TEST_F(telling, a_worker_who_knows_no_claim_leaves_it_to_who_tells) {
  const auto done = deposit();
  end_by_name(done, verdict::done);
  expect_over(row_of(done), false);
  const auto failed = deposit();
  want(attach_to("metadata"), 1);
  end_by_name(failed, verdict::failed);
  expect_over(row_of(failed), true);
  ASSERT_EQ(waiting().size(), 2u);
  EXPECT_EQ(waiting()[0].id, done);
  EXPECT_EQ(waiting()[1].id, failed);
}

TEST_F(telling, a_door_that_processes_at_once_has_told_by_itself) {
  const auto id = deposit("ann", source_v2);
  end_by_name(id, verdict::done);
  expect_over(row_of(id), false);
  EXPECT_TRUE(waiting().empty());
}

TEST_F(telling, a_deposit_that_is_tried_again_waits_where_it_was) {
  deposit();
  end_next(attach_to("metadata"), verdict::retry, true);
  EXPECT_TRUE(waiting().empty());
  EXPECT_EQ(report_of("metadata").items, 1u);
}

TEST_F(telling, what_is_to_be_told_survives_a_crash) {
  const auto id = deposit();
  end_next(attach_to("metadata"), verdict::done, true);
  for (int i = 0; i < 2; ++i) {
    restart();
    expect_over(row_of(id), false);
    ASSERT_EQ(waiting().size(), 1u);
    const auto teller = attach_to(notify_queue);
    want(teller, 1);
    ASSERT_EQ(teller.got->items.size(), 1u);
    EXPECT_EQ(teller.got->items[0].id, id);
  }
}

TEST_F(telling, is_read_from_tables_and_journal_alike) {
  const auto first = deposit();
  row_of(first); // the tables have it as it is now
  const auto sp = attach_to("metadata");
  end_next(sp, verdict::done, true);
  const auto second = deposit();
  end_next(sp, verdict::done, true);
  for (const auto id : {first, second})
    expect_over(row_of(id), false);
  ASSERT_EQ(waiting().size(), 2u);
  EXPECT_EQ(waiting()[0].id, first);
  EXPECT_EQ(waiting()[1].id, second);
}

TEST_F(telling, what_nobody_takes_is_set_aside_and_can_be_tried_again) {
  auto once = outbox_queue_defaults();
  once.attempts_max = 1;
  ASSERT_TRUE(change({queue_changed{notify_queue, once}}));
  const auto id = deposit();
  end_next(attach_to("metadata"), verdict::done, true);
  auto teller = attach_to(notify_queue);
  want(teller, 1);
  ASSERT_EQ(teller.got->items.size(), 1u);
  end(teller, teller.got->items[0], verdict::retry);
  ASSERT_EQ(waiting().size(), 1u);
  EXPECT_EQ(waiting()[0].state, item_state::parked);
  restart();
  ASSERT_EQ(waiting().size(), 1u);
  EXPECT_EQ(waiting()[0].state, item_state::parked);
  expect_over(row_of(id), false);
  park_matching back;
  back.queue = notify_queue;
  back.to_us = std::numeric_limits<micros>::max();
  back.parked = false;
  const auto taken_back = ask<matching_parked>(core, back);
  ASSERT_TRUE(taken_back);
  EXPECT_EQ(taken_back->count, 1u);
  teller = attach_to(notify_queue);
  want(teller, 1);
  ASSERT_EQ(teller.got->items.size(), 1u);
  end(teller, teller.got->items[0], verdict::done);
  EXPECT_TRUE(waiting().empty());
}

TEST_F(telling, no_more_wait_than_may_be) {
  auto one = outbox_queue_defaults();
  one.pending_limit = 1;
  ASSERT_TRUE(change({queue_changed{notify_queue, one}}));
  const auto sp = attach_to("metadata");
  const auto first = deposit();
  end_next(sp, verdict::done, true);
  const auto second = deposit();
  end_next(sp, verdict::done, true);
  expect_over(row_of(second), false);
  ASSERT_EQ(waiting().size(), 1u);
  EXPECT_EQ(waiting()[0].id, first);
}

TEST_F(telling, a_deposit_that_kills_its_processors_is_told_of) {
  auto once = deposit_queue_defaults();
  once.attempts_max = 1;
  ASSERT_TRUE(change({queue_changed{"metadata", once}}));
  const auto id = deposit();
  const auto sp = attach_to("metadata");
  want(sp, 1);
  ASSERT_EQ(sp.got->items.size(), 1u);
  caf::anon_send_exit(sp.actor, caf::exit_reason::kill);
  settle();
  EXPECT_EQ(row_of(id).status, submission_status::completed);
  EXPECT_TRUE(row_of(id).failed);
  ASSERT_EQ(waiting().size(), 1u);
}

TEST_F(telling, a_deposit_that_kills_its_engine_is_told_of) {
  auto once = deposit_queue_defaults();
  once.attempts_max = 1;
  ASSERT_TRUE(change({queue_changed{"metadata", once}}));
  const auto id = deposit();
  want(attach_to("metadata"), 1);
  restart();
  EXPECT_EQ(row_of(id).status, submission_status::completed);
  EXPECT_TRUE(row_of(id).failed);
  ASSERT_EQ(waiting().size(), 1u);
  EXPECT_EQ(waiting()[0].state, item_state::pending);
}

TEST_F(telling, of_what_kills_its_engine_no_more_wait_than_may_be) {
  auto once = deposit_queue_defaults();
  once.attempts_max = 1;
  auto one = outbox_queue_defaults();
  one.pending_limit = 1;
  ASSERT_TRUE(change({queue_changed{"metadata", once},
                      queue_changed{notify_queue, one}}));
  const auto first = deposit();
  const auto second = deposit();
  const auto sp = attach_to("metadata");
  want(sp, 2);
  ASSERT_EQ(sp.got->items.size(), 2u);
  restart();
  ASSERT_EQ(waiting().size(), 1u);
  EXPECT_EQ(waiting()[0].id, first);
  EXPECT_EQ(row_of(second).status, submission_status::completed);
  EXPECT_TRUE(row_of(second).failed);
}

TEST_F(telling, what_dies_with_its_engine_is_set_aside_too) {
  auto once = outbox_queue_defaults();
  once.attempts_max = 1;
  ASSERT_TRUE(change({queue_changed{notify_queue, once}}));
  const auto id = deposit();
  end_next(attach_to("metadata"), verdict::done, true);
  want(attach_to(notify_queue), 1);
  for (int i = 0; i < 2; ++i) {
    restart();
    ASSERT_EQ(waiting().size(), 1u);
    EXPECT_EQ(waiting()[0].id, id);
    EXPECT_EQ(waiting()[0].state, item_state::parked);
    EXPECT_EQ(waiting()[0].attempt, 1u);
    expect_over(row_of(id), false);
  }
}

TEST_F(telling, what_is_purged_is_told_of_whoever_has_claimed_it) {
  const auto claimed = deposit();
  const auto sp = attach_to("metadata");
  want(sp, 1);
  ASSERT_EQ(sp.got->items.size(), 1u);
  const auto waits = deposit();
  ASSERT_TRUE(ask<done>(core, purge_queue{"metadata"}));
  EXPECT_EQ(sp.got->purged, std::vector<item_id>{claimed});
  EXPECT_EQ(report_of("metadata").items, 0u);
  for (const auto id : {claimed, waits}) {
    EXPECT_EQ(row_of(id).status, submission_status::completed);
    EXPECT_TRUE(row_of(id).failed);
    EXPECT_EQ(row_of(id).reason, "purged");
  }
  restart();
  ASSERT_EQ(waiting().size(), 2u);
  EXPECT_EQ(waiting()[0].id, claimed);
  EXPECT_EQ(waiting()[1].id, waits);
  // Of these nobody is told anything.
  ASSERT_TRUE(ask<done>(core, purge_queue{notify_queue}));
  EXPECT_TRUE(waiting().empty());
}

TEST_F(telling, of_what_is_purged_no_more_wait_than_may_be) {
  auto one = outbox_queue_defaults();
  one.pending_limit = 1;
  ASSERT_TRUE(change({queue_changed{notify_queue, one}}));
  const auto first = deposit();
  const auto second = deposit();
  ASSERT_TRUE(ask<done>(core, purge_queue{"metadata"}));
  ASSERT_EQ(waiting().size(), 1u);
  EXPECT_EQ(waiting()[0].id, first);
  EXPECT_EQ(row_of(second).reason, "purged");
}

TEST_F(telling, takes_nothing_from_doors) {
  const auto refused =
    ask<enqueued>(core, enqueue{notify_queue, items_of("ann", 1)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), ec::invalid_argument);
}

TEST_F(telling, deposits_go_to_queues_of_deposits_alone) {
  put("work", items_of("ann", 1));
  submission what;
  what.source = "http";
  for (const std::string queue : {"work", notify_queue}) {
    const auto refused = ask<enqueued>(core, submit{queue, "ann", 0, what});
    ASSERT_FALSE(refused) << queue;
    EXPECT_EQ(refused.error(), ec::invalid_argument) << queue;
  }
  EXPECT_EQ(report_of("work").items, 1u);
}

/// No server for mail: only those are told who are called back.
class telling_by_callback : public telling {
protected:
  telling_by_callback() {
    configuration.queues.pop_back();
  }

  caf::expected<done> call_back(const std::string& user) {
    return change({queue_changed{notify_queue, outbox_queue_defaults()},
                   contact_changed{user, "", "https://a.example/told"}});
  }
};

TEST_F(telling_by_callback, nothing_goes_on_without_an_outbox) {
  deposit();
  end_next(attach_to("metadata"), verdict::done, true);
  EXPECT_TRUE(waiting().empty());
}

TEST_F(telling_by_callback, concerns_only_those_who_are_called) {
  ASSERT_TRUE(call_back("ann"));
  const auto sp = attach_to("metadata");
  const auto id = deposit("ann");
  end_next(sp, verdict::done, true);
  deposit("bob");
  end_next(sp, verdict::done, true);
  ASSERT_EQ(waiting().size(), 1u);
  EXPECT_EQ(waiting()[0].id, id);
}

TEST_F(telling_by_callback, concerns_only_them_when_an_engine_dies) {
  auto once = deposit_queue_defaults();
  once.attempts_max = 1;
  ASSERT_TRUE(change({queue_changed{"metadata", once}}));
  ASSERT_TRUE(call_back("ann"));
  const auto id = deposit("ann");
  const auto other = deposit("bob");
  want(attach_to("metadata"), 2);
  restart();
  ASSERT_EQ(waiting().size(), 1u);
  EXPECT_EQ(waiting()[0].id, id);
  EXPECT_TRUE(row_of(other).failed);
}

TEST_F(telling_by_callback, holds_for_users_who_are_there_already) {
  const auto id = deposit();
  ASSERT_TRUE(call_back("ann"));
  end_next(attach_to("metadata"), verdict::done, true);
  ASSERT_EQ(waiting().size(), 1u);
  EXPECT_EQ(waiting()[0].id, id);
}

TEST_F(telling_by_callback, holds_for_users_who_are_just_asked_to_leave) {
  const auto sp = attach_to("metadata");
  for (std::size_t steps = 0; steps < 8; ++steps) {
    SCOPED_TRACE(steps);
    const auto user = "user" + std::to_string(steps);
    const auto id = deposit(user);
    sched.advance_time(std::chrono::seconds{61});
    settle(steps);
    ASSERT_TRUE(call_back(user));
    end_next(sp, verdict::done, true);
    ASSERT_EQ(waiting().size(), steps + 1);
    EXPECT_EQ(waiting().back().id, id);
  }
}

} // namespace

} // namespace depositd
