// Answers of several on their way to one.

#include "actors/journal/gather.hpp"
#include "messages/receiving.hpp"
#include "messages/values/errors.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace depositd::testing {

namespace {

using numbers = std::vector<std::uint64_t>;
using counter_actor =
  caf::typed_actor<caf::replies_to<count_queue>::with<queue_counted>>;

/// Counts as many as it was told; `why`: or fails.
counter_actor::behavior_type counter(counter_actor::pointer,
                                     std::uint64_t items, caf::error why) {
  return {
    [=](const count_queue&) -> caf::result<queue_counted> {
      if (why)
        return why;
      return queue_counted{items, 0};
    },
  };
}

counter_actor::behavior_type mute(counter_actor::pointer, int) {
  return {
    [=](const count_queue&) -> caf::result<queue_counted> {
      return caf::delegated<queue_counted>{};
    },
  };
}

/// Adds up what others count; `all_count`: an error of one is everybody's.
counter_actor::behavior_type adder(counter_actor::pointer self,
                                   std::vector<counter_actor> others,
                                   bool all_count) {
  const auto add = [](queue_counted& sum, const queue_counted& x) {
    sum.items += x.items;
  };
  const auto count = [](queue_counted& sum, const caf::error&) {
    ++sum.claims;
  };
  return {
    [=](const count_queue& x) {
      return journal::gather<queue_counted>(
        self, [&](const journal::gathering<queue_counted>& all) {
          for (const auto& who : others)
            if (all_count)
              all.ask<queue_counted>(self, who, std::chrono::seconds{5}, x,
                                     add);
            else
              all.ask<queue_counted>(self, who, std::chrono::seconds{5}, x, add,
                                     count);
        });
    },
  };
}

/// Keeps everybody waiting; whoever asks for `next` has the first of them
/// answered, if any, and is told how many it was asked by in all.
counter_actor::behavior_type patient(counter_actor::pointer self, int) {
  using promise = caf::typed_response_promise<queue_counted>;
  const auto waiting = std::make_shared<std::vector<promise>>();
  const auto answered = std::make_shared<std::size_t>(0);
  return {
    [=](const count_queue& x) -> caf::result<queue_counted> {
      if (x.queue != "next") {
        auto promise = self->make_response_promise<queue_counted>();
        waiting->push_back(promise);
        return promise;
      }
      const auto all = waiting->size();
      if (*answered < all)
        (*waiting)[(*answered)++].deliver(queue_counted{1, 0});
      return queue_counted{all, 0};
    },
  };
}

/// Adds up what one counts whom it asks so many times, in turn.
counter_actor::behavior_type adder_in_turn(counter_actor::pointer self,
                                           counter_actor whom,
                                           std::size_t times) {
  const auto add = [](queue_counted& sum, const queue_counted& x) {
    sum.items += x.items;
  };
  return {
    [=](const count_queue& x) {
      return journal::gather<queue_counted>(
        self, [&](const journal::gathering<queue_counted>& all) {
          for (std::size_t i = 0; i < times; ++i)
            all.ask_in_turn<queue_counted>(self, whom, std::chrono::seconds{5},
                                           x, add);
        });
    },
  };
}

class gathered : public actor_fixture {
protected:
  caf::expected<queue_counted> sum(std::vector<counter_actor> others,
                                   bool all_count) {
    return ask<queue_counted>(spawn(adder, std::move(others), all_count),
                              count_queue{"q"});
  }

  counter_actor counts(std::uint64_t items) {
    return spawn(counter, items, caf::error{});
  }

  counter_actor fails(ec why) {
    return spawn(counter, 0u, caf::make_error(why));
  }
};

TEST_F(gathered, are_answered_when_all_have_answered) {
  const auto x = sum({counts(1), counts(2), counts(4)}, true);
  ASSERT_TRUE(x);
  EXPECT_EQ(x->items, 7u);
}

TEST_F(gathered, are_answered_at_once_when_nobody_is_asked) {
  const auto x = sum({}, true);
  ASSERT_TRUE(x);
  EXPECT_EQ(x->items, 0u);
}

TEST_F(gathered, fail_with_the_first_error) {
  const auto x =
    sum({counts(1), fails(ec::overloaded), fails(ec::store_failed)}, true);
  ASSERT_FALSE(x);
  EXPECT_EQ(x.error(), ec::overloaded);
}

TEST_F(gathered, leave_errors_out_where_these_are_answers_too) {
  const auto x = sum({counts(1), fails(ec::overloaded), counts(4)}, false);
  ASSERT_TRUE(x);
  EXPECT_EQ(x->items, 5u);
  EXPECT_EQ(x->claims, 1u) << "those that failed";
}

TEST_F(gathered, wait_no_longer_than_each_may_take) {
  const auto asked =
    spawn(adder, std::vector<counter_actor>{counts(1), spawn(mute, 0)}, false);
  auto reply = self->request(asked, caf::infinite, count_queue{"q"});
  settle();
  EXPECT_FALSE(self->has_next_message());
  advance(std::chrono::seconds{5});
  ASSERT_TRUE(self->has_next_message());
  reply.receive([](const queue_counted& x) { EXPECT_EQ(x.claims, 1u); },
                [](const caf::error& why) { FAIL() << render(why); });
}

TEST_F(gathered, of_very_many_keep_few_waiting_at_once) {
  const auto all = journal::asked_at_once + 7;
  const auto whom = spawn(patient, 0);
  auto reply = self->request(spawn(adder_in_turn, whom, all), caf::infinite,
                             count_queue{"q"});
  settle();
  for (std::size_t i = 0; i < all; ++i) {
    EXPECT_FALSE(self->has_next_message()) << i;
    const auto asked = ask<queue_counted>(whom, count_queue{"next"});
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->items, std::min(journal::asked_at_once + i, all));
  }
  ASSERT_TRUE(self->has_next_message());
  reply.receive([&](const queue_counted& x) { EXPECT_EQ(x.items, all); },
                [](const caf::error& why) { FAIL() << render(why); });
}

TEST_F(gathered, of_very_many_fail_with_the_first_error_when_all_were_asked) {
  const auto x = ask<queue_counted>(
    spawn(adder_in_turn, fails(ec::overloaded), journal::asked_at_once * 2),
    count_queue{"q"});
  ASSERT_FALSE(x);
  EXPECT_EQ(x.error(), ec::overloaded);
}

TEST(gathering, is_complete_only_when_nothing_more_is_asked) {
  int done_with = 0;
  const journal::gathering<numbers> all{[&](const caf::expected<numbers>& x) {
    ++done_with;
    EXPECT_EQ(*x, (numbers{1, 2}));
  }};
  const auto take = [](numbers& sum, std::uint64_t x) { sum.push_back(x); };
  const auto first = all.expect<std::uint64_t>(take);
  first(1);
  const auto second = all.expect<std::uint64_t>(take);
  all.close();
  EXPECT_EQ(done_with, 0);
  second(2);
  EXPECT_EQ(done_with, 1);
}

} // namespace

} // namespace depositd::testing
