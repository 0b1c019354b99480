#pragma once

// An engine that says what the test wants, and remembers what it was asked.

#include "adapters/shell/session.hpp"

#include "actors/operators/command.hpp"

#include <chrono>
#include <deque>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace depositd::shell {

struct asked {
  std::string command;
  nlohmann::json arguments;
};

struct fake_engine {
  std::deque<caf::expected<std::string>> answers; ///< then "{}"
  std::vector<asked> requests; ///< but those for its commands
  caf::expected<std::string> commands =
    to_json_text(operators::published_commands());
  int connections = 0;
  std::chrono::seconds waited{0}; ///< at most, for its commands
  int cuts = 0; ///< so many connections are cut as soon as they are made
  bool down = false;

  link_factory factory();
};

class fake_link : public engine_link {
public:
  explicit fake_link(fake_engine& engine) : engine_(engine) {
    // nop
  }

  caf::expected<std::string> ask(const std::string& command,
                                 const std::string& arguments,
                                 std::chrono::seconds patience) override {
    if (command == publish_commands)
      engine_.waited += patience;
    if (command == publish_commands && engine_.cuts > 0) {
      --engine_.cuts;
      return caf::make_error(caf::sec::remote_linking_failed,
                             std::string{"cut"});
    }
    if (command == publish_commands)
      return engine_.commands;
    engine_.requests.push_back({command, nlohmann::json::parse(arguments)});
    if (engine_.answers.empty())
      return std::string{"{}"};
    auto out = engine_.answers.front();
    engine_.answers.pop_front();
    return out;
  }

private:
  fake_engine& engine_;
};

inline link_factory fake_engine::factory() {
  return [this]() -> caf::expected<std::unique_ptr<engine_link>> {
    if (down)
      return caf::make_error(caf::sec::cannot_connect_to_node,
                             std::string{"no engine"});
    ++connections;
    return std::unique_ptr<engine_link>{std::make_unique<fake_link>(*this)};
  };
}

/// A terminal made of strings.
struct fake_terminal {
  explicit fake_terminal(const std::string& typed = "") : in(typed) {
    // nop
  }

  terminal where() {
    return terminal{in, out, err};
  }

  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
};

} // namespace depositd::shell
