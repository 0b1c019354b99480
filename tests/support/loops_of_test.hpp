#pragma once

// Tests of doors run twice: with loops that have threads of their own, and
// with DEPOSITD_TEST_ACTOR_LOOP in the thread that runs the actors.

#include "adapters/doors/kit/actor_loop.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <cstdlib>
#include <memory>

namespace depositd::testing {

inline bool in_actor_loop() {
  return std::getenv("DEPOSITD_TEST_ACTOR_LOOP") != nullptr;
}

/// For doors that are tested without actors. Outlives them.
class loops_of_test {
public:
  loops_of_test() {
    if (!in_actor_loop())
      return;
    kit::run_actors_in_loop(config_);
    system_ = std::make_unique<caf::actor_system>(config_);
  }

  kit::loop_source source() {
    return system_ ? kit::loops_of(*system_) : kit::loop_source{};
  }

private:
  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> system_;
};

} // namespace depositd::testing
