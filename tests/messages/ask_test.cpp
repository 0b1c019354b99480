// How one actor asks another, and what it gets to hear.

#include "messages/ask.hpp"

#include "messages/sources.hpp"
#include "messages/values/errors.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/all.hpp>

#include <string>
#include <vector>

namespace depositd {

namespace {

using namespace std::chrono_literals;

using told_actor = caf::typed_actor<
  caf::replies_to<explain_strategy>::with<strategy_explained>>;
using heard = std::vector<caf::expected<strategy_explained>>;

/// Whom is asked: keeps the questions until the test has it answer.
struct asked_state {
  std::vector<caf::response_promise> open;
};

class ask_test : public testing::actor_fixture {
protected:
  using asked_self = told_actor::stateful_pointer<asked_state>;

  ask_test() {
    whom = spawn([this](asked_self self) -> told_actor::behavior_type {
      asked = self;
      return {[=](const explain_strategy&) -> caf::result<strategy_explained> {
        self->state.open.push_back(self->make_response_promise());
        return caf::delegated<strategy_explained>{};
      }};
    });
  }

  void TearDown() override {
    asked->state.open.clear();
    actor_fixture::TearDown();
  }

  /// An actor that asks once and writes down what it hears.
  void ask_for(const told_actor& one, answer_wait within) {
    spawn([=, this](caf::event_based_actor* self) -> caf::behavior {
      depositd::ask(self, one, within, explain_strategy{},
                    [this](caf::expected<strategy_explained> x) {
                      all.push_back(std::move(x));
                    });
      return {[](int) {}};
    });
  }

  void answer(const caf::message& what) {
    for (auto& x : asked->state.open)
      x.next()->enqueue(nullptr, x.id().response_id(), what, nullptr);
    settle();
  }

  asked_self asked = nullptr;
  told_actor whom;
  heard all;
};

/// Longer than what a string keeps in itself.
const std::string text = "in its usual spelling, at some length";

strategy_explained explained() {
  strategy_explained out;
  out.strategy = text;
  return out;
}

TEST_F(ask_test, hears_the_answer_once) {
  ask_for(whom, 1s);
  EXPECT_TRUE(all.empty());
  answer(caf::make_message(explained()));
  advance(2s);
  ASSERT_EQ(all.size(), 1u);
  ASSERT_TRUE(all[0]);
  EXPECT_EQ(all[0]->strategy, text);
}

TEST_F(ask_test, all_who_are_sent_one_answer_have_all_of_it) {
  ask_for(whom, 1s);
  ask_for(whom, 1s);
  answer(caf::make_message(explained()));
  ASSERT_EQ(all.size(), 2u);
  for (const auto& x : all) {
    ASSERT_TRUE(x);
    EXPECT_EQ(x->strategy, text);
  }
}

TEST_F(ask_test, hears_of_an_error_as_it_is) {
  ask_for(whom, 1s);
  const auto why = caf::make_error(ec::draining, std::string{"it ends"});
  answer(caf::make_message(why));
  ASSERT_EQ(all.size(), 1u);
  ASSERT_FALSE(all[0]);
  EXPECT_EQ(all[0].error(), ec::draining);
}

TEST_F(ask_test, another_answer_is_an_error) {
  ask_for(whom, 1s);
  answer(caf::make_message(done{}));
  ASSERT_EQ(all.size(), 1u);
  ASSERT_FALSE(all[0]);
  EXPECT_EQ(all[0].error(), caf::sec::unexpected_response);
}

TEST_F(ask_test, waits_so_long_and_then_does_not_hear_what_comes) {
  ask_for(whom, 1s);
  advance(2s);
  ASSERT_EQ(all.size(), 1u);
  ASSERT_FALSE(all[0]);
  EXPECT_EQ(all[0].error(), caf::sec::request_timeout);
  answer(caf::make_message(explained()));
  EXPECT_EQ(all.size(), 1u);
}

TEST_F(ask_test, waits_for_ever_if_it_says_so) {
  ask_for(whom, caf::infinite);
  advance(24h);
  EXPECT_TRUE(all.empty());
  answer(caf::make_message(explained()));
  EXPECT_EQ(all.size(), 1u);
}

TEST_F(ask_test, nobody_is_no_whom) {
  ask_for(told_actor{}, 1s);
  ASSERT_EQ(all.size(), 1u);
  ASSERT_FALSE(all[0]);
  EXPECT_EQ(all[0].error(), caf::sec::invalid_argument);
}

} // namespace

} // namespace depositd
