// How long requests are remembered that nobody answers.

#include "adapters/doors/kit/gateway.hpp"
#include "messages/actors.hpp"
#include "messages/message_types.hpp"
#include "messages/operators.hpp"
#include "messages/receiving.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <gtest/gtest.h>

namespace depositd::testing {

namespace {

using namespace kit;
using namespace std::chrono_literals;

TEST(gateway, is_patient_with_what_takes_long) {
  caf::actor_system_config config;
  add_depositd_messages(config);
  caf::actor_system system{config};
  caf::scoped_actor silent{system};
  const caf::strong_actor_ptr whom{silent->ctrl()};
  gateway asked{system, {.patience = 0ms, .long_patience = 1h, .news = {}}};
  const auto ask = [&](auto what) {
    auto alive = std::make_shared<int>();
    asked.ask(whom, std::move(what), [alive](const core_answer&) {});
    return std::weak_ptr{alive};
  };
  const auto slow = ask(purge_queue{"q"});
  const auto quick = ask(count_queue{"q"});
  // Whoever comes later looks after those before, a part of them each.
  for (int i = 0; i < 100; ++i)
    ask(count_queue{"q"});
  EXPECT_FALSE(slow.expired());
  EXPECT_TRUE(quick.expired());
}

} // namespace

} // namespace depositd::testing
