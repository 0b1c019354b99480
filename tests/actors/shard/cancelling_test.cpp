// Deposits that an operator ends before anybody has worked on them.

#include "messages/projection.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/submission_body.hpp"
#include "tests/support/engine_fixture.hpp"

#include <algorithm>

namespace depositd {

namespace {

class cancelling_test : public testing::engine_fixture {
protected:
  void SetUp() override {
    configuration.queues.push_back({"query", deposit_queue_defaults()});
    slice_items = 3;
    start();
  }

  item_id deposit(const std::string& user, const std::string& name,
                  const std::string& queue = "metadata") {
    submit what;
    what.queue = queue;
    what.user = user;
    what.submission.file_name = name;
    what.submission.source = "http";
    what.submission.blob = std::string(64, 'a');
    const auto answer = ask<enqueued>(core, what);
    EXPECT_TRUE(answer);
    return answer && !answer->ids.empty() ? answer->ids.front() : 0;
  }

  submission_row row(item_id id) {
    submission_query query;
    query.id = id;
    const auto found = ask<submissions_found>(read_model, query);
    EXPECT_TRUE(found && found->rows.size() == 1);
    return found && !found->rows.empty() ? found->rows.front()
                                         : submission_row{};
  }

  caf::expected<done> cancel(item_id id, const std::string& user = "ann") {
    return ask<done>(core, cancel_deposit{id, user, "cancelled by root"});
  }

  void park(const std::string& user) {
    park_matching what;
    what.users = {user};
    what.to_us = time_us * 2;
    EXPECT_TRUE(ask<matching_parked>(core, what));
  }

  cancel_matching all_of(const std::string& queue = "") {
    cancel_matching out;
    out.queue = queue;
    out.to_us = time_us * 2;
    out.reason = "cancelled by root";
    return out;
  }
};

TEST_F(cancelling_test, one_of_a_user_who_is_just_asked_to_leave_is_found) {
  for (std::size_t steps = 0; steps < 8; ++steps) {
    SCOPED_TRACE(steps);
    const auto id = deposit("ann", "a.xml");
    sched.advance_time(std::chrono::seconds{61});
    settle(steps);
    ASSERT_TRUE(cancel(id));
    EXPECT_TRUE(row(id).failed);
  }
}

TEST_F(cancelling_test, a_waiting_one_has_failed_and_is_never_handed_out) {
  const auto id = deposit("ann", "a.xml");
  const auto other = deposit("ann", "b.xml");
  ASSERT_TRUE(cancel(id));
  const auto x = row(id);
  EXPECT_EQ(x.status, submission_status::completed);
  EXPECT_TRUE(x.failed);
  EXPECT_EQ(x.reason, "cancelled by root");
  EXPECT_NE(x.finished_us, never);
  auto sp = attach_to("metadata");
  want(sp, 5);
  ASSERT_EQ(sp.got->items.size(), 1u);
  EXPECT_EQ(sp.got->items[0].id, other);
  EXPECT_EQ(cancel(id).error(), ec::not_found);
  crash();
  start();
  EXPECT_EQ(row(id).reason, "cancelled by root");
  const auto report = report_of("metadata");
  EXPECT_EQ(report.ready + report.in_flight, 1u) << "the other one";
}

TEST_F(cancelling_test, a_parked_one_can_be_cancelled) {
  const auto id = deposit("ann", "a.xml");
  park("ann");
  ASSERT_TRUE(cancel(id));
  EXPECT_TRUE(row(id).failed);
}

TEST_F(cancelling_test, one_in_work_is_refused_with_who_has_it) {
  const auto id = deposit("ann", "a.xml");
  auto sp = attach_to("metadata");
  want(sp, 1);
  const auto answer = cancel(id);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(), ec::invalid_argument);
  EXPECT_NE(render(answer.error()).find("in process at sp"), std::string::npos)
    << render(answer.error());
  EXPECT_EQ(row(id).status, submission_status::in_process);
  end(sp, sp.got->items.at(0));
  EXPECT_TRUE(sp.got->settled.at(0).accepted);
  EXPECT_FALSE(row(id).failed);
}

TEST_F(cancelling_test, what_is_no_deposit_of_the_user_is_refused) {
  const auto message = put("loose", items_of("ann", 1)).at(0);
  EXPECT_EQ(cancel(message).error(), ec::invalid_argument);
  EXPECT_EQ(cancel(4'711).error(), ec::not_found);
  EXPECT_EQ(cancel(message, "nobody").error(), ec::not_found);
  EXPECT_EQ(report_of("loose").ready, 1u);
}

TEST_F(cancelling_test, all_that_match_are_counted_and_then_cancelled) {
  const auto parked = deposit("cyd", "c"); // before those that are not
  park("cyd");
  for (int i = 0; i < 7; ++i)
    deposit("ann", "a" + std::to_string(i));
  const auto of_bob = deposit("bob", "b");
  const auto query = deposit("ann", "q", "query");
  put("loose", items_of("ann", 1));
  auto what = all_of("metadata");
  what.users = {"ann", "cyd"};
  what.count_only = true;
  auto counted = ask<matching_cancelled>(core, what);
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->matched, 8u);
  EXPECT_EQ(counted->moved, 0u);
  what.count_only = false;
  const auto sum = ask<matching_cancelled>(core, what);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->matched, 8u);
  EXPECT_EQ(sum->moved, 8u);
  EXPECT_TRUE(row(parked).failed);
  EXPECT_FALSE(row(of_bob).failed);
  EXPECT_FALSE(row(query).failed);
  EXPECT_EQ(report_of("metadata").ready, 1u);
  EXPECT_EQ(report_of("loose").ready, 1u);
}

TEST_F(cancelling_test, what_comes_meanwhile_is_not_meant) {
  for (int i = 0; i < 4; ++i)
    deposit("ann", "a" + std::to_string(i));
  auto all = self->request(core, caf::infinite, all_of());
  const auto later = deposit("ann", "b"); // which everybody works on meanwhile
  all.receive([](const matching_cancelled& x) { EXPECT_EQ(x.moved, 4u); },
              [](const caf::error& why) { FAIL() << render(why); });
  EXPECT_FALSE(row(later).failed);
}

TEST_F(cancelling_test, of_all_queues_those_of_deposits_are_meant) {
  deposit("ann", "a");
  deposit("ann", "q", "query");
  put("loose", items_of("ann", 1));
  const auto sum = ask<matching_cancelled>(core, all_of());
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->moved, 2u);
  EXPECT_EQ(report_of("loose").ready, 1u);
  EXPECT_EQ(ask<matching_cancelled>(core, all_of("loose")).error(),
            ec::invalid_argument);
  EXPECT_EQ(ask<matching_cancelled>(core, all_of("nowhere")).error(),
            ec::not_found);
}

/// Mail is sent here, so somebody may have to be told.
class cancelling_told_test : public cancelling_test {
protected:
  void SetUp() override {
    configuration.queues.push_back({notify_queue, outbox_queue_defaults()});
    cancelling_test::SetUp();
  }

  std::vector<item_id> to_be_told() {
    const auto found =
      ask<items_found>(read_model, peek_items{notify_queue, 20});
    EXPECT_TRUE(found);
    std::vector<item_id> out;
    if (found)
      for (const auto& x : found->rows)
        out.push_back(x.id);
    return out;
  }

  void expect_cancelled(item_id id) {
    const auto x = row(id);
    EXPECT_EQ(x.status, submission_status::completed);
    EXPECT_EQ(x.queue, "metadata");
    EXPECT_TRUE(x.failed);
    EXPECT_EQ(x.reason, "cancelled by root");
  }
};

TEST_F(cancelling_told_test, a_cancelled_one_is_told_once_like_a_failed_one) {
  const auto id = deposit("ann", "a.xml");
  ASSERT_TRUE(cancel(id));
  expect_cancelled(id);
  EXPECT_EQ(report_of("metadata").items, 0u);
  EXPECT_EQ(cancel(id).error(), ec::not_found) << "it has ended";
  crash();
  start();
  expect_cancelled(id);
  EXPECT_EQ(to_be_told(), std::vector<item_id>{id});
  auto teller = attach_to(notify_queue);
  want(teller, 1);
  ASSERT_EQ(teller.got->items.size(), 1u);
  EXPECT_EQ(teller.got->items[0].id, id);
  const auto body = decode_submission_body(teller.got->items[0].body);
  ASSERT_TRUE(body);
  EXPECT_EQ(body->submission.file_name, "a.xml");
  EXPECT_EQ(cancel(id).error(), ec::not_found) << "nor while it is told";
  end(teller, teller.got->items[0]);
  EXPECT_TRUE(to_be_told().empty());
  expect_cancelled(id);
}

TEST_F(cancelling_told_test, end_and_notice_are_one_record) {
  const auto id = deposit("ann", "a.xml");
  const auto before = store->last();
  ASSERT_TRUE(cancel(id));
  std::vector<std::size_t> events;
  ASSERT_FALSE(store->read(before + 1, [&](const stored_group& x) {
    if (x.first > before)
      events.push_back(x.last - x.first + 1);
    return true;
  }));
  EXPECT_EQ(events, std::vector<std::size_t>{2}) << "moved on, and ended";
}

TEST_F(cancelling_told_test, a_parked_one_is_told_of_and_does_not_stay_parked) {
  const auto id = deposit("ann", "a.xml");
  park("ann");
  ASSERT_TRUE(cancel(id));
  expect_cancelled(id);
  auto teller = attach_to(notify_queue);
  want(teller, 1);
  ASSERT_EQ(teller.got->items.size(), 1u);
  EXPECT_EQ(teller.got->items[0].id, id);
}

TEST_F(cancelling_told_test, each_of_many_is_told_once) {
  std::vector<item_id> wanted;
  for (int i = 0; i < 7; ++i)
    wanted.push_back(deposit("ann", "a" + std::to_string(i)));
  wanted.push_back(deposit("cyd", "c"));
  park("cyd");
  const auto of_bob = deposit("bob", "b");
  auto what = all_of("metadata");
  what.users = {"ann", "cyd"};
  for (const std::uint64_t count : {8u, 0u}) {
    const auto sum = ask<matching_cancelled>(core, what);
    ASSERT_TRUE(sum);
    EXPECT_EQ(sum->moved, count);
  }
  auto told = to_be_told();
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told, wanted);
  for (const auto id : wanted)
    expect_cancelled(id);
  EXPECT_FALSE(row(of_bob).failed);
}

TEST_F(cancelling_told_test, what_is_to_be_told_cannot_be_cancelled) {
  deposit("ann", "a.xml");
  ASSERT_TRUE(ask<matching_cancelled>(core, all_of()));
  EXPECT_EQ(ask<matching_cancelled>(core, all_of(notify_queue)).error(),
            ec::invalid_argument);
  EXPECT_EQ(to_be_told().size(), 1u);
}

} // namespace

} // namespace depositd
