#pragma once

// The composition root of a node that only runs processors, for an engine that
// it joins: depositd --processors-only --join HOST:PORT.

#include "config/settings.hpp"
#include "config/work_cut.hpp"
#include "messages/actors.hpp"

#include <caf/actor_system.hpp>
#include <caf/io/middleman_actor.hpp>

#include <functional>
#include <memory>
#include <string>

namespace depositd {

namespace node {
class store_line;
} // namespace node

class work_folder_proof;

/// Runs from construction to `stop`. Engines come and go meanwhile.
class processor_node {
public:
  /// `ready` gets the line "ready joined=HOST:PORT name=..." once, when the
  /// engine has taken this node in; from another thread.
  processor_node(caf::actor_system& system, const depositd_settings& settings,
                 caf::io::middleman_actor middleman, const endpoint& engine,
                 std::function<void(const std::string&)> ready);
  ~processor_node();

  processor_node(const processor_node&) = delete;
  processor_node& operator=(const processor_node&) = delete;

  /// Takes nothing new, lets what is in work end and be told to the engine, for
  /// at most `shutdown.drain_ms`. What is not done by then the engine gets back
  /// when this process is gone. False: some goes on even though it was cut
  /// short.
  bool stop();

  /// Ends what is in hand, also while `stop` waits for it.
  const work_cut_ptr& cut() const noexcept {
    return cut_;
  }

private:
  void spawn_manager();
  void look_at_work_folder();
  void spawn_joiner(const endpoint& engine,
                    std::function<void(const std::string&)> ready);

  caf::actor_system& system_;
  depositd_settings settings_;
  caf::io::middleman_actor middleman_; ///< of this process's node port
  std::string name_;
  std::shared_ptr<node::store_line> line_;
  std::shared_ptr<work_folder_proof> folder_;
  work_cut_ptr cut_ = std::make_shared<work_cut>();
  processor_manager_actor manager_;
  caf::actor joiner_;
};

} // namespace depositd
