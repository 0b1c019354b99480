#pragma once

// The door on a free port of the loopback.

#include "adapters/doors/nsq/door.hpp"
#include "messages/message_types.hpp"
#include "tests/adapters/doors/nsq/door_client.hpp"
#include "tests/adapters/doors/nsq/fake_topics.hpp"
#include "tests/support/loops_of_test.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace depositd::testing {

class nsq_door : public ::testing::Test {
protected:
  using ms = std::chrono::milliseconds;

  nsq_door();
  ~nsq_door() override;

  /// Opens the door, with other options if `change` makes them.
  void start(const std::function<void(nsq::door_options&)>& change = {});

  /// One that has connected and greeted; starts the door if nobody has.
  door_client client();

  /// One that consumes `t`/`c`.
  door_client consumer(int ready, const std::string& identity = {});

  /// Publishes one after the other, and waits for each.
  void publish_to_t(const std::vector<std::string>& bodies);

  /// Tells the shard to do something to a topic or channel.
  void order(const order_topic& what);

  /// Whether it comes true within moments.
  bool soon(const std::function<bool()>& what);

  struct config : caf::actor_system_config {
    config() {
      add_depositd_messages(*this);
      set("scheduler.policy", caf::atom("sharing"));
      set("scheduler.max-threads", std::size_t{2});
      if (in_actor_loop())
        kit::run_actors_in_loop(*this);
    }
  };

  config settings;
  caf::actor_system system{settings};
  std::shared_ptr<fake_world> world = std::make_shared<fake_world>();
  std::shared_ptr<control_state> control = std::make_shared<control_state>();
  shard_topics_actor shard;
  std::unique_ptr<nsq::door> door;
};

} // namespace depositd::testing
