#include "adapters/node/store_line.hpp"
#include "messages/cluster.hpp"
#include "messages/values/errors.hpp"

#include "tests/adapters/node/system_pair.hpp"

#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <functional>
#include <future>

namespace depositd::node {
namespace {

using namespace std::chrono_literals;

/// Stands for an engine's stores; only one question is asked here.
using answer = caf::result<submission_found>;

store_server_actor::behavior_type
standing_in(std::function<answer(item_id)> say) {
  return {
    [](const put_blob&) -> caf::result<blob_put> { return ec::not_found; },
    [](const read_blob&) -> caf::result<blob_piece> { return ec::not_found; },
    [](const record_dois&) -> caf::result<dois_recorded> {
      return ec::not_found;
    },
    [](const find_dois&) -> caf::result<dois_found> { return ec::not_found; },
    [=](const find_submission& x) { return say(x.last); },
    [](const find_objects&) -> caf::result<objects_found> {
      return ec::not_found;
    },
    [](const find_object_files&) -> caf::result<object_files_found> {
      return ec::not_found;
    },
    [](const find_local_id&) -> caf::result<local_id_found> {
      return ec::not_found;
    },
    [](const bind_object&) -> caf::result<done> { return ec::not_found; },
    [](const record_object&) -> caf::result<done> { return ec::not_found; },
    [](const lock_object&) -> caf::result<object_locked> {
      return ec::not_found;
    },
    [](const unlock_objects&) -> caf::result<done> { return ec::not_found; },
    [](const measure_collections&) -> caf::result<collections_measured> {
      return ec::not_found;
    },
    [](const measure_recorded&) -> caf::result<recorded_measured> {
      return ec::not_found;
    },
    [](const record_premis&) -> caf::result<done> { return ec::not_found; },
    [](const find_premis&) -> caf::result<premis_found> {
      return ec::not_found;
    },
    [](const mint_identifier&) -> caf::result<identifier_minted> {
      return ec::not_found;
    },
  };
}

/// Answers with a number of its own and what was asked.
store_server_actor::behavior_type numbered(store_server_actor::pointer,
                                           item_id number) {
  return standing_in(
    [=](item_id last) { return submission_found{number + last}; });
}

/// Refuses so often, then answers.
store_server_actor::behavior_type
refusing(store_server_actor::pointer, const caf::error& how, int times,
         std::shared_ptr<std::atomic<int>> asked) {
  return standing_in([=](item_id last) -> answer {
    if (++*asked <= times)
      return how;
    return submission_found{last};
  });
}

class store_line_test : public ::testing::Test {
protected:
  void TearDown() override {
    line.close();
    for (const auto& x : spawned)
      caf::anon_send_exit(x, caf::exit_reason::kill);
  }

  template <class... Ts>
  store_server_actor spawn(Ts&&... xs) {
    auto out = here.system.spawn(std::forward<Ts>(xs)...);
    spawned.push_back(caf::actor_cast<caf::actor>(out));
    return out;
  }

  one_system here;
  std::vector<caf::actor> spawned;
  store_line line{here.system, {500ms, 30s, 10ms}};
};

/// Never answers; tells when it was first asked.
struct owing_state {
  std::vector<caf::typed_response_promise<submission_found>> owed;
};

store_server_actor::behavior_type
owing(store_server_actor::stateful_pointer<owing_state> self,
      std::shared_ptr<std::promise<void>> asked) {
  return standing_in([=](item_id) -> answer {
    self->state.owed.push_back(self->make_response_promise<submission_found>());
    if (self->state.owed.size() == 1)
      asked->set_value();
    return self->state.owed.back();
  });
}

/// What the stores answer to 7.
caf::expected<item_id> ask(store_line& line) {
  const auto found = line.ask<submission_found>(find_submission{7});
  return found ? caf::expected<item_id>{found->id} : found.error();
}

TEST_F(store_line_test, waits_for_an_engine) {
  auto answer = std::async(std::launch::async, [&] { return ask(line); });
  line.connect(spawn(numbered, 100));
  EXPECT_EQ(*answer.get(), 107u);
}

TEST_F(store_line_test, asks_the_next_engine_if_one_goes) {
  auto asked = std::make_shared<std::promise<void>>();
  line.connect(spawn(owing, asked));
  auto answer = std::async(std::launch::async, [&] { return ask(line); });
  asked->get_future().wait();
  line.disconnect();
  line.connect(spawn(numbered, 200));
  EXPECT_EQ(*answer.get(), 207u);
}

TEST_F(store_line_test, asks_again_what_was_not_answered_in_time) {
  auto asked = std::make_shared<std::promise<void>>();
  store_line hasty{here.system, {20ms, 300ms, 10ms}};
  hasty.connect(spawn(owing, asked));
  const auto answer = ask(hasty);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(), ec::overloaded);
}

TEST_F(store_line_test, takes_the_engines_refusal_for_an_answer) {
  auto asked = std::make_shared<std::atomic<int>>(0);
  const auto how = caf::make_error(ec::store_damaged, std::string{"torn"});
  line.connect(spawn(refusing, how, 99, asked));
  const auto answer = ask(line);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(), ec::store_damaged);
  EXPECT_EQ(render(answer.error()), "torn");
  EXPECT_EQ(*asked, 1);
}

TEST_F(store_line_test, asks_only_once_what_a_store_throws_at) {
  auto asked = std::make_shared<std::atomic<int>>(0);
  const auto how = caf::make_error(caf::sec::runtime_error);
  line.connect(spawn(refusing, how, 99, asked));
  EXPECT_EQ(ask(line).error(), caf::sec::runtime_error);
  EXPECT_EQ(*asked, 1);
}

TEST_F(store_line_test, asks_again_a_server_that_has_too_much_to_do) {
  auto asked = std::make_shared<std::atomic<int>>(0);
  line.connect(spawn(refusing, caf::make_error(ec::overloaded), 2, asked));
  EXPECT_EQ(*ask(line), 7u);
  EXPECT_EQ(*asked, 3);
}

TEST_F(store_line_test, gives_up_when_it_is_closed) {
  auto asked = std::make_shared<std::promise<void>>();
  line.connect(spawn(owing, asked));
  auto answer = std::async(std::launch::async, [&] { return ask(line); });
  asked->get_future().wait();
  line.close();
  EXPECT_EQ(answer.get().error(), ec::draining);
}

TEST_F(store_line_test, gives_up_when_no_engine_comes) {
  store_line hasty{here.system, {20ms, 50ms, 10ms}};
  EXPECT_EQ(ask(hasty).error(), ec::overloaded);
}

} // namespace
} // namespace depositd::node
