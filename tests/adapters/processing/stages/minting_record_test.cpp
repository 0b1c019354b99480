#include "adapters/processing/stages/minting_record.hpp"

#include "tests/support/captured_log.hpp"

#include <gtest/gtest.h>

namespace depositd::stages {

namespace {

using namespace std::chrono_literals;

/// Answers as it is told.
class told_minter final : public minter {
public:
  caf::expected<std::string> mint(const mint_request&) override {
    if (failure)
      return failure;
    return std::string{"ark:/99999/fk4x"};
  }

  caf::error failure;
};

class minting_record_test : public ::testing::Test {
protected:
  verdict process() {
    const handle_item item;
    const stage_settings stage;
    const auto handler = while_minting(record, [this](const stage_task&) {
      auto minted = asked.mint({});
      auto out = minted ? ended(verdict::done)
                        : ended(says, render(minted.error()));
      out.document = "changed";
      return out;
    });
    last = handler({item, stage});
    return last.says;
  }

  std::chrono::steady_clock::time_point now{};
  std::shared_ptr<minting_record> record =
    std::make_shared<minting_record>([this] { return now; });
  std::shared_ptr<told_minter> service = std::make_shared<told_minter>();
  recorded_minter asked{service, record};
  const caf::error refusal = caf::make_error(ec::overloaded, "500");
  verdict says = verdict::retry;
  outcome last;
};

TEST_F(minting_record_test, jobs_wait_while_nobody_is_given_anything) {
  service->failure = refusal;
  EXPECT_EQ(process(), verdict::retry) << "it may be this job";
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(process(), verdict::not_yet);
    EXPECT_EQ(last.reason, "500");
    EXPECT_EQ(last.document, "");
    now += 10min;
  }
  service->failure = {};
  EXPECT_EQ(process(), verdict::done);
}

TEST_F(minting_record_test, a_job_that_it_stumbles_over_among_others_fails) {
  for (int i = 0; i < 5; ++i) {
    service->failure = refusal;
    EXPECT_EQ(process(), verdict::retry);
    service->failure = {};
    EXPECT_EQ(process(), verdict::done) << "another one";
  }
}

TEST_F(minting_record_test, jobs_wait_for_an_hour_and_no_longer) {
  service->failure = refusal;
  process();
  now += 59min;
  EXPECT_EQ(process(), verdict::not_yet);
  now += 1min;
  EXPECT_EQ(process(), verdict::retry);
  service->failure = {};
  EXPECT_EQ(process(), verdict::done);
  service->failure = refusal;
  EXPECT_EQ(process(), verdict::retry);
  EXPECT_EQ(process(), verdict::not_yet) << "another hour";
}

TEST_F(minting_record_test, what_it_judges_is_as_good_as_what_it_gives) {
  service->failure = refusal;
  process();
  service->failure = caf::make_error(ec::invalid_argument, "no title");
  says = verdict::failed;
  EXPECT_EQ(process(), verdict::failed);
  service->failure = refusal;
  EXPECT_EQ(process(), verdict::failed) << "whatever failed it";
  says = verdict::retry;
  EXPECT_EQ(process(), verdict::not_yet);
}

TEST_F(minting_record_test, the_log_says_once_that_it_fails_and_does_not) {
  const depositd::testing::captured_log log;
  service->failure = refusal;
  process();
  EXPECT_EQ(log.count("no_identifiers"), 0u);
  process();
  process();
  EXPECT_EQ(log.count("no_identifiers reason="), 1u);
  service->failure = {};
  process();
  process();
  EXPECT_EQ(log.count("identifiers_again"), 1u);
}

} // namespace

} // namespace depositd::stages
