#include "adapters/processing/crossref/handler.hpp"

#include "messages/values/submission_body.hpp"
#include "tests/adapters/doors/crossref/fake_stores.hpp"
#include "tests/adapters/processing/crossref/deposit_builder.hpp"
#include "tests/support/actor_fixture.hpp"
#include "tests/support/captured_log.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <future>
#include <utility>

namespace {

using namespace depositd;
using namespace depositd::crossref;
using depositd::testing::a_deposit;
using depositd::testing::actor_fixture;
using namespace std::chrono_literals;

struct handler_test : actor_fixture {
  handler_test() {
    submission_handler options;
    options.blobs = blobs;
    options.registry = registry;
    working = spawn(
      handler, std::make_shared<const submission_handler>(std::move(options)));
  }

  handle_item item(const std::string& bytes,
                   const std::string& operation = "doMDUpload",
                   const std::string& source = "native") {
    depositd::submission submission;
    submission.operation = operation;
    submission.source = source;
    submission.blob = *blobs->put(bytes);
    handle_item out;
    out.queue = "metadata";
    out.processor = "sp1";
    out.item.id = ++id_last;
    out.item.token = 77;
    out.item.member = 5;
    out.item.user = "alice";
    out.item.body = encode_submission_body(submission);
    out.control = control;
    return out;
  }

  handle_item good_item() {
    return item(
      a_deposit().with_article("10.5555/" + std::to_string(id_last)).text());
  }

  std::shared_ptr<depositd::testing::fake_blobs> blobs =
    std::make_shared<depositd::testing::fake_blobs>();
  std::shared_ptr<depositd::testing::fake_registry> registry =
    std::make_shared<depositd::testing::fake_registry>();
  control_snapshot control = std::make_shared<const control_state>();
  handler_actor working;
  item_id id_last = 0;
};

control_snapshot control_with_prefix(const std::string& prefix) {
  auto out = std::make_shared<control_state>();
  auto& account = out->accounts["alice"];
  account.user = "alice";
  account.prefixes = {prefix};
  return out;
}

TEST_F(handler_test, takes_its_time_in_a_demo_and_does_the_work_all_the_same) {
  const auto slow = spawn(slowed_handler, working, 500ms);
  auto reply = self->request(slow, caf::infinite, good_item());
  settle();
  EXPECT_FALSE(self->has_next_message());
  advance(499ms);
  EXPECT_FALSE(self->has_next_message());
  advance(1ms);
  ASSERT_TRUE(self->has_next_message());
  reply.receive(
    [](const outcome& x) {
      EXPECT_EQ(x.says, verdict::done);
      EXPECT_EQ(x.batch_id, "batch-1");
    },
    [](const caf::error& why) { ADD_FAILURE() << render(why); });
}

TEST_F(handler_test, ends_who_does_the_work_of_a_demo) {
  const auto slow = spawn(slowed_handler, working, 500ms);
  self->monitor(working);
  self->send_exit(slow, caf::exit_reason::kill);
  settle();
  ASSERT_TRUE(self->has_next_message());
  self->receive([&](const caf::down_msg& x) {
    EXPECT_EQ(x.source, caf::actor_cast<caf::actor_addr>(working));
  });
}

TEST_F(handler_test, processes_a_deposit_and_names_its_claim) {
  const auto x = ask<outcome>(working, good_item());
  ASSERT_TRUE(x);
  EXPECT_EQ(x->says, verdict::done) << x->reason;
  EXPECT_EQ(x->id, 1u);
  EXPECT_EQ(x->token, 77u);
  EXPECT_EQ(x->member, 5u);
  EXPECT_EQ(x->batch_id, "batch-1");
  EXPECT_NE(x->document.find("sp=\"sp1\""), std::string::npos);
}

struct slot_handler_test : handler_test {
  slot_handler_test() {
    submission_handler options;
    options.blobs = blobs;
    options.registry = registry;
    open(std::move(options));
  }

  void open(submission_handler options) {
    slot = spawn(slot_handler,
                 std::make_shared<const submission_handler>(std::move(options)),
                 std::make_shared<slot_threads>(sys, slot_threads_options{}));
  }

  caf::expected<outcome> answer(const handle_item& x) {
    caf::expected<outcome> out{caf::error{}};
    auto reply = self->request(slot, caf::infinite, x);
    settle();
    reply.receive([&](const outcome& ended) { out = ended; },
                  [&](const caf::error& why) { out = why; });
    return out;
  }

  handler_actor slot;
};

TEST_F(slot_handler_test, processes_a_deposit_and_names_its_claim) {
  const auto x = answer(good_item());
  ASSERT_TRUE(x) << render(x.error());
  EXPECT_EQ(x->says, verdict::done) << x->reason;
  EXPECT_EQ(x->token, 77u);
  EXPECT_EQ(x->batch_id, "batch-1");
}

/// So that a store which hangs for good takes no thread for each attempt.
TEST_F(slot_handler_test, takes_no_more_than_may_be_stuck) {
  struct hanging_blobs : depositd::testing::fake_blobs {
    caf::expected<std::string> get(const std::string&) override {
      until.wait();
      return caf::make_error(ec::store_failed, "it was away");
    }
    std::promise<void> back;
    std::shared_future<void> until = back.get_future().share();
  };
  const auto hanging = std::make_shared<hanging_blobs>();
  blobs = hanging;
  submission_handler options;
  options.blobs = blobs;
  options.registry = registry;
  open(std::move(options));
  for (std::size_t i = 0; i < stuck_items_max; ++i)
    self->send(slot, good_item());
  EXPECT_EQ(answer(good_item()), ec::overloaded);
  hanging->back.set_value();
}

TEST_F(handler_test, takes_each_operation_to_its_handler) {
  ASSERT_TRUE(
    ask<outcome>(working, item(a_deposit().with_article("10.5555/a").text(),
                               "doXSDMDUpload")));
  for (const auto* operation : {"doQueryUpload", "doDOIQueryUpload"}) {
    const auto x = ask<outcome>(working, item("10.5555/a\n", operation));
    ASSERT_TRUE(x);
    EXPECT_EQ(x->says, verdict::done) << operation << ": " << x->reason;
    EXPECT_NE(x->document.find("<query_result status=\"resolved\">"),
              std::string::npos);
  }
  const std::pair<const char*, const char*> refused[] = {
    {"doDOICitUpload", "the root has to be doi_batch of "
                       "http://www.crossref.org/doi_resources_schema/"},
    {"doTransferDOIsUpload", "line 1: the first line has to be like"},
    {"x", "Operation x is not supported here"}};
  for (const auto& [operation, reason] : refused) {
    const auto x = ask<outcome>(working, item("<a/>", operation));
    ASSERT_TRUE(x);
    EXPECT_EQ(x->says, verdict::failed);
    EXPECT_NE(x->reason.find(reason), std::string::npos) << x->reason;
    EXPECT_NE(x->document.find("<failure_count>1<"), std::string::npos);
  }
}

TEST_F(handler_test, says_of_which_deposits_somebody_is_told) {
  const auto named =
    a_deposit().with_email(" ann@example.org ").with_article("10.5/a").text();
  const auto unnamed =
    a_deposit().with_email("nobody").with_article("10.5555/a").text();
  const auto tells = [&](const std::string& bytes, const std::string& source) {
    return ask<outcome>(working, item(bytes, "doMDUpload", source))->tell;
  };
  EXPECT_TRUE(tells(named, "drop"));
  for (const auto* source : {"v2", "kafka", "native", ""})
    EXPECT_FALSE(tells(named, source)) << source;
  EXPECT_FALSE(tells(unnamed, "drop"));
  EXPECT_FALSE(tells("no XML", "drop"));
  auto known = std::make_shared<control_state>();
  known->contacts["alice"] = {"alice", "", "https://alice.example/told"};
  control = known;
  EXPECT_TRUE(tells("no XML", "drop"));
  EXPECT_FALSE(tells(named, "kafka"));
}

TEST_F(handler_test, fails_a_damaged_post_and_retries_an_absent_one) {
  blobs->fails_with = static_cast<int>(ec::store_damaged);
  EXPECT_EQ(ask<outcome>(working, good_item())->says, verdict::failed);
  const std::pair<ec, verdict> passing[] = {
    {ec::not_found, verdict::retry}, {ec::store_failed, verdict::not_yet}};
  for (const auto& [code, said] : passing) {
    blobs->fails_with = static_cast<int>(code);
    const auto x = ask<outcome>(working, good_item());
    EXPECT_EQ(x->says, said) << "a store that is away costs no attempt";
    EXPECT_EQ(x->document, "");
    EXPECT_NE(x->reason.find("is unwell"), std::string::npos);
  }
  blobs->fails_with = 0;
  auto garbled = good_item();
  garbled.item.body = "no envelope";
  EXPECT_EQ(ask<outcome>(working, garbled)->says, verdict::failed);
}

TEST_F(handler_test, says_in_the_log_that_an_acknowledged_file_is_lost) {
  depositd::testing::captured_log log;
  auto lost = good_item();
  blobs->fails_with = static_cast<int>(ec::store_failed);
  ASSERT_TRUE(ask<outcome>(working, lost));
  EXPECT_EQ(log.text(), "") << "it is away, and its store says so";
  for (const auto code : {ec::not_found, ec::store_damaged}) {
    blobs->fails_with = static_cast<int>(code);
    ASSERT_TRUE(ask<outcome>(working, lost));
  }
  EXPECT_EQ(log.count("deposit_unreadable submission="
                      + std::to_string(lost.item.id) + " user=alice"),
            2u)
    << log.text();
}

TEST_F(handler_test, takes_files_as_long_as_may_be) {
  submission_handler with{blobs, registry, nullptr, {}};
  with.limits.bytes_max = 12 << 20;
  working = spawn(handler, std::make_shared<const submission_handler>(with));
  const auto long_one = [](std::size_t bytes) {
    auto out = a_deposit().with_article("10.5555/a").text();
    while (out.size() < bytes)
      out += "<!--" + std::string(1'000'000, 'x') + "-->";
    return out;
  };
  EXPECT_EQ(ask<outcome>(working, item(long_one(11 << 20)))->says,
            verdict::done);
  const auto x = ask<outcome>(working, item(long_one(12 << 20)));
  EXPECT_EQ(x->says, verdict::failed);
  EXPECT_EQ(x->reason, "more than 12582912 bytes");
}

TEST_F(handler_test, applies_the_prefixes_of_the_account) {
  control = control_with_prefix("10.6666");
  EXPECT_EQ(ask<outcome>(working, good_item())->says, verdict::failed);
  control = control_with_prefix("10.5555");
  EXPECT_EQ(ask<outcome>(working, good_item())->says, verdict::done);
}

TEST_F(handler_test, fails_an_http_deposit_whose_account_is_gone) {
  const auto x = ask<outcome>(
    working, item(a_deposit().with_article("10.5555/a").text(), "", "http"));
  EXPECT_EQ(x->says, verdict::failed);
  EXPECT_EQ(x->reason, "The account has been removed");
  EXPECT_TRUE(x->tell) << "the file may name somebody";
}

TEST_F(handler_test, only_waits_when_a_delay_is_injected) {
  const auto delaying = spawn(delaying_handler, 500ms);
  int done = 0;
  for (int i = 0; i < 100; ++i)
    sys.spawn([&, what = good_item()](caf::event_based_actor* client) {
      client->request(delaying, caf::infinite, what)
        .then([&, id = what.item.id](const outcome& x) {
          done += x.says == verdict::done && x.id == id && x.token == 77;
        });
    });
  settle();
  advance(499ms);
  EXPECT_EQ(done, 0);
  advance(1ms);
  EXPECT_EQ(done, 100);
}

} // namespace
