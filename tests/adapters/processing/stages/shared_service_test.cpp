#include "adapters/processing/stages/shared_service.hpp"

#include "tests/support/captured_log.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace depositd::stages {

namespace {

using std::chrono::milliseconds;

class shared_service_test : public ::testing::Test {
protected:
  verdict ask(service_need need = service_need::surely) {
    const handle_item item;
    const stage_settings stage;
    const auto handler = while_reachable(
      {{service, [need](const stage_task&) { return need; }}},
      [this](const stage_task&) {
        ++worked;
        auto out = ended(says, "its own words");
        out.document = "changed";
        return out;
      });
    last = handler({item, stage});
    return last.says;
  }

  const caf::error gone =
    caf::make_error(ec::store_failed, std::string{"nobody answers"});
  caf::error away;
  std::chrono::steady_clock::time_point now{};
  int asked = 0;
  std::shared_ptr<shared_service> service =
    std::make_shared<shared_service>(shared_service_options{
      .name = "storage.vault",
      .ask =
        [this] {
          ++asked;
          return away;
        },
      .pause = milliseconds{5'000},
      .now = [this] { return now; }});
  verdict says = verdict::retry;
  int worked = 0;
  outcome last;
};

TEST_F(shared_service_test, asks_nothing_while_work_goes_well) {
  says = verdict::done;
  EXPECT_EQ(ask(), verdict::done);
  EXPECT_EQ(asked, 0);
}

TEST_F(shared_service_test, what_fails_while_it_is_there_fails) {
  EXPECT_EQ(ask(), verdict::retry);
  says = verdict::failed;
  EXPECT_EQ(ask(), verdict::failed);
  EXPECT_EQ(last.document, "changed");
}

TEST_F(shared_service_test, what_fails_while_it_is_away_waits_as_it_was) {
  away = gone;
  EXPECT_EQ(ask(), verdict::not_yet);
  EXPECT_EQ(last.reason, "nobody answers");
  EXPECT_EQ(last.document, "");
  EXPECT_EQ(worked, 1);
  EXPECT_EQ(ask(), verdict::not_yet);
  EXPECT_EQ(worked, 1) << "there is no use in it";
  EXPECT_EQ(asked, 1) << "too soon";
  now += milliseconds{5'000};
  EXPECT_EQ(ask(), verdict::not_yet);
  EXPECT_EQ(asked, 2);
  away = {};
  now += milliseconds{5'000};
  says = verdict::done;
  EXPECT_EQ(ask(), verdict::done);
}

TEST_F(shared_service_test, holds_up_nobody_who_may_do_without_it) {
  away = gone;
  EXPECT_EQ(ask(service_need::perhaps), verdict::not_yet);
  says = verdict::done;
  EXPECT_EQ(ask(service_need::perhaps), verdict::done);
  says = verdict::retry;
  EXPECT_EQ(ask(service_need::none), verdict::retry);
}

TEST_F(shared_service_test, the_log_says_once_that_it_is_away_and_is_back) {
  const testing::captured_log log;
  away = gone;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask(), verdict::not_yet);
    now += milliseconds{5'000};
  }
  away = {};
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(ask(), verdict::retry);
  EXPECT_EQ(
    log.count("service_away service=storage.vault reason=\"nobody answers\""),
    1u)
    << log.text();
  EXPECT_EQ(log.count("service_back service=storage.vault"), 1u) << log.text();
}

TEST(shared_services, are_asked_by_one_at_a_time) {
  std::promise<void> begun;
  std::promise<void> answer;
  std::atomic<int> asked = 0;
  shared_service service{{.name = "minter",
                          .ask = [&, answered = answer.get_future().share()] {
                            if (++asked == 1) {
                              begun.set_value();
                              answered.wait();
                            }
                            return caf::make_error(ec::overloaded);
                          }}};
  auto first = std::async(std::launch::async, [&] { return service.look(); });
  begun.get_future().wait();
  EXPECT_FALSE(service.known_away()) << "nobody has heard yet";
  answer.set_value();
  EXPECT_EQ(first.get(), ec::overloaded);
  EXPECT_EQ(service.known_away(), ec::overloaded);
  EXPECT_EQ(asked, 1);
}

} // namespace

} // namespace depositd::stages
