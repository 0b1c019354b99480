#include "adapters/node/store_line.hpp"
#include "messages/cluster.hpp"
#include "messages/values/errors.hpp"

#include "tests/adapters/node/system_pair.hpp"

#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <future>

namespace depositd::node {
namespace {

using namespace std::chrono_literals;

/// Answers with its name and what was asked.
effects_actor::behavior_type named(effects_actor::pointer, std::string name) {
  return {
    [name](const effect_call& x) -> caf::result<effect_result> {
      return effect_result{name + ":" + x.what + ":" + x.arguments};
    },
  };
}

effects_actor::behavior_type refusing(effects_actor::pointer,
                                      std::shared_ptr<std::atomic<int>> asked) {
  return {
    [=](const effect_call&) -> caf::result<effect_result> {
      ++*asked;
      return caf::make_error(ec::store_damaged, std::string{"torn"});
    },
  };
}

class effect_line_test : public ::testing::Test {
protected:
  void TearDown() override {
    line.close();
    for (const auto& x : spawned)
      caf::anon_send_exit(x, caf::exit_reason::kill);
  }

  template <class... Ts>
  effects_actor spawn(Ts&&... xs) {
    auto out = here.system.spawn(std::forward<Ts>(xs)...);
    spawned.push_back(caf::actor_cast<caf::actor>(out));
    return out;
  }

  one_system here;
  std::vector<caf::actor> spawned;
  effect_line line{here.system, {500ms, 30s, 10ms}};
};

/// Never answers; tells when it was first asked.
struct owing_state {
  std::vector<caf::typed_response_promise<effect_result>> owed;
};

effects_actor::behavior_type
owing(effects_actor::stateful_pointer<owing_state> self,
      std::shared_ptr<std::promise<void>> asked) {
  return {
    [=](const effect_call&) -> caf::result<effect_result> {
      self->state.owed.push_back(self->make_response_promise<effect_result>());
      if (self->state.owed.size() == 1)
        asked->set_value();
      return self->state.owed.back();
    },
  };
}

TEST_F(effect_line_test, waits_for_an_engine) {
  auto answer
    = std::async(std::launch::async, [&] { return line.call("what", "x"); });
  line.connect(spawn(named, "first"));
  EXPECT_EQ(*answer.get(), "first:what:x");
}

TEST_F(effect_line_test, asks_the_next_engine_if_one_goes) {
  auto asked = std::make_shared<std::promise<void>>();
  line.connect(spawn(owing, asked));
  auto answer
    = std::async(std::launch::async, [&] { return line.call("what", "x"); });
  asked->get_future().wait();
  line.disconnect();
  line.connect(spawn(named, "second"));
  EXPECT_EQ(*answer.get(), "second:what:x");
}

TEST_F(effect_line_test, asks_again_what_was_not_answered_in_time) {
  auto asked = std::make_shared<std::promise<void>>();
  effect_line hasty{here.system, {20ms, 300ms, 10ms}};
  hasty.connect(spawn(owing, asked));
  const auto answer = hasty.call("what", "x");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(), ec::overloaded);
}

TEST_F(effect_line_test, takes_the_engines_refusal_for_an_answer) {
  auto asked = std::make_shared<std::atomic<int>>(0);
  line.connect(spawn(refusing, asked));
  const auto answer = line.call("what", "x");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(), ec::store_damaged);
  EXPECT_EQ(render(answer.error()), "torn");
  EXPECT_EQ(*asked, 1);
}

TEST_F(effect_line_test, gives_up_when_it_is_closed) {
  auto asked = std::make_shared<std::promise<void>>();
  line.connect(spawn(owing, asked));
  auto answer
    = std::async(std::launch::async, [&] { return line.call("what", "x"); });
  asked->get_future().wait();
  line.close();
  EXPECT_EQ(answer.get().error(), ec::draining);
}

TEST_F(effect_line_test, gives_up_when_no_engine_comes) {
  effect_line hasty{here.system, {20ms, 50ms, 10ms}};
  EXPECT_EQ(hasty.call("what", "x").error(), ec::overloaded);
}

} // namespace
} // namespace depositd::node
