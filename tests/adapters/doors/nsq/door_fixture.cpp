#include "tests/adapters/doors/nsq/door_fixture.hpp"

#include "adapters/doors/kit/drain.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <stdexcept>

namespace depositd::testing {

nsq_door::nsq_door() = default;

nsq_door::~nsq_door() {
  door.reset();
  if (shard)
    caf::anon_send_exit(shard, caf::exit_reason::kill);
  shard = shard_topics_actor{};
}

void nsq_door::start(const std::function<void(nsq::door_options&)>& change) {
  shard = system.spawn(fake_topics, world, control_snapshot{control});
  nsq::door_options options;
  options.shard = shard;
  options.listen = {"127.0.0.1", 0};
  options.loops = kit::loops_of(system);
  if (change)
    change(options);
  auto opened = nsq::door::open(system, std::move(options));
  if (!opened)
    throw std::runtime_error{render(opened.error())};
  door = std::move(*opened);
}

door_client nsq_door::client() {
  if (!door)
    start();
  return door_client{door->port()};
}

door_client nsq_door::consumer(int ready, const std::string& identity) {
  auto out = client();
  if (!identity.empty())
    out.identify(identity);
  EXPECT_EQ(out.consume("t", "c", ready), "OK");
  return out;
}

void nsq_door::publish_to_t(const std::vector<std::string>& bodies) {
  auto x = client();
  for (const auto& body : bodies) {
    x.say("PUB t", body);
    EXPECT_EQ(x.answer(), "OK");
  }
}

void nsq_door::order(const order_topic& what) {
  caf::scoped_actor self{system};
  self->request(shard, std::chrono::seconds{20}, what)
    .receive([](const done&) {},
             [](const caf::error& why) { FAIL() << render(why); });
}

bool nsq_door::soon(const std::function<bool()>& what) {
  return kit::wait_while([&] { return !what(); },
                         std::chrono::steady_clock::now()
                           + door_client::patience);
}

} // namespace depositd::testing
