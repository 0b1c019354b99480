// The socket that listens, when the system has nothing for a connection.

#include "adapters/node/gate/doorman.hpp"
#include "tests/adapters/node/gate/port_fixture.hpp"

#include <sys/eventfd.h>

#include <future>

namespace depositd::gate {
namespace {

class gate_doorman : public ::testing::Test {
protected:
  using loop_type = caf::io::network::default_multiplexer;

  gate_doorman() {
    // Always ready, and nobody can ever be accepted there: ENOTSOCK.
    const int ready = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    in_the_loop([&] {
      door = caf::make_counted<doorman>(loop(), ready, core);
      door->launch();
    });
  }

  ~gate_doorman() override {
    in_the_loop([this] {
      door->remove_from_loop();
      core->look(std::chrono::steady_clock::now());
    });
    // The loop lets go of it after what it was told.
    in_the_loop([this] { door = nullptr; });
  }

  loop_type& loop() {
    return static_cast<loop_type&>(own.system.middleman().backend());
  }

  /// Returns when it is done; so the loop has looked at its sockets.
  void in_the_loop(std::function<void()> what) {
    std::promise<void> done;
    loop().post([&] {
      what();
      done.set_value();
    });
    done.get_future().wait();
  }

  void let_it_look(int times) {
    for (int i = 0; i < times; ++i)
      in_the_loop([] {});
  }

  void await_pauses(std::uint64_t count) {
    while (core->counts.pauses < count)
      let_it_look(1);
  }

  party own;
  std::shared_ptr<port_core> core = std::make_shared<port_core>(
    own.system, kit::arrival_limits{}, admission{}, nullptr);
  caf::intrusive_ptr<doorman> door;
};

TEST_F(gate_doorman, pauses_when_nobody_can_be_accepted) {
  await_pauses(1);
  let_it_look(100);
  EXPECT_EQ(core->counts.pauses, 1u) << "the loop is not told for ever";
  in_the_loop([&] { core->look(std::chrono::steady_clock::now()); });
  await_pauses(2);
  let_it_look(100);
  EXPECT_EQ(core->counts.pauses, 2u);
}

} // namespace
} // namespace depositd::gate
