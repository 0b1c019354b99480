// Two systems on loopback; the engine's comes and goes.

#include "adapters/node/joiner.hpp"
#include "messages/operators.hpp"
#include "messages/processors.hpp"
#include "messages/shard.hpp"

#include "tests/adapters/node/system_pair.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <condition_variable>
#include <mutex>

namespace depositd::node {
namespace {

using namespace std::chrono_literals;

/// Stands for an engine: takes in whoever is not called "stranger".
admin_actor::behavior_type front_desk(admin_actor::pointer,
                                      const std::string& name) {
  return {
    [](const admin_request&) -> caf::result<admin_reply> {
      return admin_reply{};
    },
    [](const sign_in&) -> caf::result<signed_in> {
      return caf::make_error(ec::not_allowed);
    },
    [](const command_as&) -> caf::result<admin_reply> {
      return caf::make_error(ec::not_allowed);
    },
    [](const log_in&) -> caf::result<logged_in> {
      return caf::make_error(ec::not_allowed);
    },
    [](const know_token&) -> caf::result<logged_in> {
      return caf::make_error(ec::not_allowed);
    },
    [](const connect_native&) -> caf::result<native_actor> {
      return ec::draining;
    },
    [=](const join_node& x) -> caf::result<node_joined> {
      if (x.name == "stranger")
        return caf::make_error(ec::already_exists, std::string{"taken"});
      return node_joined{name, {}, {}};
    },
    [](const meet_engine&) -> caf::result<engine_met> { return ec::draining; },
  };
}

processor_manager_actor::behavior_type
idle_manager(processor_manager_actor::pointer, int) {
  return {
    [](const control_changed&) {},
    [](report_slots) -> caf::result<slots_report> { return slots_report{}; },
    [](const drain&) -> caf::result<done> { return done{}; },
  };
}

/// What the joiner has told.
class diary {
public:
  void write(const std::string& line) {
    const std::lock_guard lock{mutex_};
    lines_.push_back(line);
    changed_.notify_all();
  }

  bool await(const std::vector<std::string>& lines) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, 60s, [&] { return lines_ == lines; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
};

class joiner_test : public ::testing::Test {
protected:
  void TearDown() override {
    caf::anon_send_exit(joining, caf::exit_reason::kill);
    caf::anon_send_exit(manager, caf::exit_reason::kill);
    joining = nullptr;
    manager = nullptr;
    stop_engine();
  }

  void start_engine(const std::string& name) {
    desk = pair.engine().spawn(front_desk, name);
    port = pair.publish(desk, port);
  }

  void stop_engine() {
    if (!desk)
      return;
    caf::anon_send_exit(desk, caf::exit_reason::kill);
    desk = nullptr;
    pair.end_engine();
  }

  void join(const std::string& name) {
    manager = pair.node().spawn(idle_manager, 0);
    joiner_options options;
    options.engine = {"127.0.0.1", port};
    options.middleman = pair.node().middleman().actor_handle();
    options.introduction = {name, manager};
    options.joined
      = [this](const node_joined& x) { told.write("joined " + x.engine); };
    options.lost = [this] { told.write("lost"); };
    options.pause_min = 10ms;
    options.pause_max = 50ms;
    joining = pair.node().spawn(joiner, std::move(options));
  }

  diary told;
  system_pair pair;
  admin_actor desk;
  processor_manager_actor manager;
  joiner_actor joining;
  std::uint16_t port = 0;
};

TEST_F(joiner_test, joins_again_when_the_engine_is_back) {
  start_engine("first");
  join("n1");
  ASSERT_TRUE(told.await({"joined first"}));
  stop_engine();
  ASSERT_TRUE(told.await({"joined first", "lost"}));
  pair.new_engine();
  start_engine("second");
  EXPECT_TRUE(told.await({"joined first", "lost", "joined second"}));
}

TEST_F(joiner_test, waits_for_an_engine_that_is_not_there_yet) {
  start_engine("early");
  stop_engine();
  join("n1");
  pair.new_engine();
  start_engine("late");
  EXPECT_TRUE(told.await({"joined late"}));
}

} // namespace
} // namespace depositd::node
