#include "adapters/processing/crossref/handler_pool.hpp"

#include "messages/values/submission_body.hpp"
#include "tests/adapters/doors/crossref/fake_stores.hpp"
#include "tests/adapters/processing/crossref/deposit_builder.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace {

using namespace depositd;
using namespace depositd::crossref;
using depositd::testing::a_deposit;
using depositd::testing::actor_fixture;
using namespace std::chrono_literals;

/// A shard that only tells the control state, when it is asked to.
using teller_actor =
  caf::typed_actor<caf::replies_to<watch_control>::with<control_changed>>;

struct handler_pool_test : actor_fixture {
  handler_pool_test() {
    submission_handler_options options;
    options.blobs = blobs;
    options.registry = registry;
    handler = std::make_shared<const submission_handler>(std::move(options));
  }

  handler_pool_options options() {
    handler_pool_options out;
    out.spawn_worker = [this] {
      auto worker = sys.spawn(handler_worker, handler);
      adopt(worker);
      return worker;
    };
    return out;
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
  std::shared_ptr<const submission_handler> handler;
  item_id id_last = 0;
};

control_snapshot control_with_prefix(const std::string& prefix) {
  auto out = std::make_shared<control_state>();
  auto& account = out->accounts["alice"];
  account.user = "alice";
  account.prefixes = {prefix};
  return out;
}

TEST_F(handler_pool_test, processes_a_deposit_and_names_its_claim) {
  const auto pool = spawn(handler_pool, options());
  const auto x = ask<outcome>(pool, good_item());
  ASSERT_TRUE(x);
  EXPECT_EQ(x->says, verdict::done) << x->reason;
  EXPECT_EQ(x->id, 1u);
  EXPECT_EQ(x->token, 77u);
  EXPECT_EQ(x->member, 5u);
  EXPECT_EQ(x->batch_id, "batch-1");
  EXPECT_NE(x->document.find("sp=\"sp1\""), std::string::npos);
}

TEST_F(handler_pool_test, takes_each_operation_to_its_handler) {
  const auto pool = spawn(handler_pool, options());
  ASSERT_TRUE(ask<outcome>(
    pool, item(a_deposit().with_article("10.5555/a").text(), "doXSDMDUpload")));
  for (const auto* operation : {"doQueryUpload", "doDOIQueryUpload"}) {
    const auto x = ask<outcome>(pool, item("10.5555/a\n", operation));
    ASSERT_TRUE(x);
    EXPECT_EQ(x->says, verdict::done) << operation << ": " << x->reason;
    EXPECT_NE(x->document.find("<query_result status=\"resolved\">"),
              std::string::npos);
  }
  for (const auto* operation :
       {"doDOICitUpload", "doTransferDOIsUpload", "x"}) {
    const auto x = ask<outcome>(pool, item("<a/>", operation));
    ASSERT_TRUE(x);
    EXPECT_EQ(x->says, verdict::failed);
    EXPECT_EQ(x->reason,
              std::string{"Operation "} + operation + " is not supported here");
    EXPECT_NE(x->document.find("<failure_count>1<"), std::string::npos);
  }
}

TEST_F(handler_pool_test, fails_a_damaged_post_and_retries_an_absent_one) {
  const auto pool = spawn(handler_pool, options());
  blobs->fails_with = static_cast<int>(ec::store_damaged);
  EXPECT_EQ(ask<outcome>(pool, good_item())->says, verdict::failed);
  for (const auto code : {ec::not_found, ec::store_failed}) {
    blobs->fails_with = static_cast<int>(code);
    const auto x = ask<outcome>(pool, good_item());
    EXPECT_EQ(x->says, verdict::retry);
    EXPECT_EQ(x->document, "");
    EXPECT_NE(x->reason.find("is unwell"), std::string::npos);
  }
  blobs->fails_with = 0;
  auto garbled = good_item();
  garbled.item.body = "no envelope";
  EXPECT_EQ(ask<outcome>(pool, garbled)->says, verdict::failed);
}

TEST_F(handler_pool_test, applies_the_prefixes_of_the_account) {
  auto settings = options();
  settings.control = control_with_prefix("10.6666");
  const auto pool = spawn(handler_pool, settings);
  EXPECT_EQ(ask<outcome>(pool, good_item())->says, verdict::failed);
  self->send(pool, control_changed{control_with_prefix("10.5555")});
  settle();
  EXPECT_EQ(ask<outcome>(pool, good_item())->says, verdict::done);
}

TEST_F(handler_pool_test, fails_an_http_deposit_whose_account_is_gone) {
  const auto pool = spawn(handler_pool, options());
  const auto x = ask<outcome>(
    pool, item(a_deposit().with_article("10.5555/a").text(), "", "http"));
  EXPECT_EQ(x->says, verdict::failed);
  EXPECT_EQ(x->reason, "The account has been removed");
}

/// A worker whose every job takes one second of the test's time.
using slow_worker_actor =
  handler_worker_actor::extend<caf::reacts_to<delay_over>>;

struct slow_worker_state {
  outcome result;
  caf::typed_response_promise<outcome> promise;
};

slow_worker_actor::behavior_type
slow_worker(slow_worker_actor::stateful_pointer<slow_worker_state> self,
            int* running, int* peak) {
  return {
    [=](const handler_job& job) -> caf::result<outcome> {
      *peak = std::max(*peak, ++*running);
      self->state.result.id = job.what.item.id;
      self->state.promise = self->make_response_promise<outcome>();
      self->delayed_send(self, 1s, delay_over{});
      return self->state.promise;
    },
    [=](const delay_over&) {
      --*running;
      self->state.promise.deliver(self->state.result);
    },
  };
}

TEST_F(handler_pool_test, gives_every_worker_one_item_at_a_time) {
  int running = 0;
  int peak = 0;
  auto settings = options();
  settings.workers = 3;
  settings.waiting_max = 4;
  settings.spawn_worker = [&] {
    auto worker = sys.spawn(slow_worker, &running, &peak);
    adopt(worker);
    return handler_worker_actor{worker};
  };
  const auto pool = spawn(handler_pool, settings);
  std::vector<item_id> answered;
  int refused = 0;
  for (int i = 0; i < 8; ++i)
    sys.spawn([&, pool, what = good_item()](caf::event_based_actor* client) {
      client->request(pool, caf::infinite, what)
        .then([&](const outcome& x) { answered.push_back(x.id); },
              [&](const caf::error& x) { refused += x == ec::overloaded; });
    });
  settle();
  EXPECT_EQ(peak, 3);
  EXPECT_EQ(refused, 1); // three run, four wait
  for (int i = 0; i < 3; ++i)
    advance(1s);
  std::sort(answered.begin(), answered.end());
  EXPECT_EQ(answered, (std::vector<item_id>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(peak, 3);
  EXPECT_EQ(running, 0);
}

TEST_F(handler_pool_test, retries_the_item_and_replaces_a_worker_that_dies) {
  int spawned = 0;
  auto settings = options();
  settings.workers = 1;
  const auto healthy = settings.spawn_worker;
  settings.spawn_worker = [&, healthy]() -> handler_worker_actor {
    if (++spawned > 1)
      return healthy();
    auto worker = sys.spawn([](handler_worker_actor::pointer self)
                              -> handler_worker_actor::behavior_type {
      return {[self](const handler_job&) {
        self->quit(caf::exit_reason::unhandled_exception);
        return caf::result<outcome>{self->make_response_promise<outcome>()};
      }};
    });
    adopt(worker);
    return worker;
  };
  const auto pool = spawn(handler_pool, settings);
  const auto x = ask<outcome>(pool, good_item());
  ASSERT_TRUE(x) << "the pool has to answer for its worker";
  EXPECT_EQ(x->says, verdict::retry);
  EXPECT_EQ(x->id, 1u);
  EXPECT_EQ(ask<outcome>(pool, good_item())->says, verdict::done);
  EXPECT_EQ(spawned, 2);
}

TEST_F(handler_pool_test, waits_with_items_until_it_knows_the_accounts) {
  control_snapshot told;
  int asked = 0;
  auto teller =
    spawn([&](teller_actor::pointer) -> teller_actor::behavior_type {
      return {[&](const watch_control& x) -> caf::result<control_changed> {
        ++asked;
        EXPECT_TRUE(x.who);
        if (!told)
          return caf::make_error(ec::draining);
        return control_changed{told};
      }};
    });
  auto settings = options();
  settings.shard = caf::actor_cast<shard_actor>(teller);
  const auto pool = spawn(handler_pool, settings);
  verdict said = verdict::release;
  sys.spawn([&, pool, what = good_item()](caf::event_based_actor* client) {
    client->request(pool, caf::infinite, what).then([&](const outcome& x) {
      said = x.says;
    });
  });
  settle();
  EXPECT_EQ(said, verdict::release);
  told = control_with_prefix("10.5555");
  advance(1s);
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(said, verdict::done);
}

TEST_F(handler_pool_test, only_waits_when_a_delay_is_injected) {
  handler_pool_options settings;
  settings.inject_delay_ms = 500;
  const auto pool = spawn(handler_pool, settings);
  int done = 0;
  for (int i = 0; i < 100; ++i)
    sys.spawn([&, pool, what = good_item()](caf::event_based_actor* client) {
      client->request(pool, caf::infinite, what).then([&](const outcome& x) {
        done += x.says == verdict::done;
      });
    });
  settle();
  advance(499ms);
  EXPECT_EQ(done, 0);
  advance(1ms);
  EXPECT_EQ(done, 100);
}

TEST_F(handler_pool_test, ends_its_workers_when_it_ends) {
  std::vector<handler_worker_actor> workers;
  auto settings = options();
  settings.spawn_worker = [&] {
    workers.push_back(sys.spawn(handler_worker, handler));
    return workers.back();
  };
  auto pool = spawn(handler_pool, settings);
  int ended = 0;
  const auto watching =
    spawn([&](caf::event_based_actor* watcher) -> caf::behavior {
      watcher->set_down_handler([&, watcher](const caf::down_msg&) {
        if (++ended == 2)
          watcher->quit();
      });
      for (const auto& x : workers)
        watcher->monitor(x);
      return {[](int) {}};
    });
  settle();
  caf::anon_send_exit(pool, caf::exit_reason::user_shutdown);
  settle();
  EXPECT_EQ(workers.size(), 2u);
  EXPECT_EQ(ended, 2);
}

} // namespace
