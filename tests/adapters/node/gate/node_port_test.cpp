#include "tests/adapters/node/gate/port_fixture.hpp"

#include <atomic>
#include <list>

namespace depositd::gate {
namespace {

node_port_options quick(std::chrono::milliseconds handshake = 60s) {
  node_port_options out;
  out.limits.handshake = handshake;
  out.limits.unfinished_per_address_max = 4;
  out.limits.connections_per_address_max = 3;
  return out;
}

class gate_port : public ::testing::Test {
protected:
  gate_port() {
    open(quick());
  }

  void open(node_port_options options) {
    server.emplace(std::move(options));
    const auto admin = server->system.spawn(
      echo, static_cast<const known_peers*>(server->port.get()));
    admin_ = admin;
    const auto at = server->port->publish(admin, {"127.0.0.1", 0});
    ASSERT_TRUE(at) << render(at.error());
    port = *at;
  }

  ~gate_port() override {
    end();
  }

  void end() {
    caf::anon_send_exit(admin_, caf::exit_reason::kill);
    admin_ = nullptr;
    server.reset();
  }

  /// It still works for those who know how to behave.
  void expect_service() {
    party other;
    const auto found = find(other, port);
    ASSERT_TRUE(found) << render(found.error());
    EXPECT_EQ(ask(other, *found, "hello"),
              "hello " + std::to_string(geteuid()));
  }

  std::optional<party> server;
  admin_actor admin_;
  std::uint16_t port = 0;
};

TEST_F(gate_port, knows_the_account_of_who_asks) {
  expect_service();
}

TEST_F(gate_port, tells_who_speaks_another_protocol_what_it_is) {
  party other{{}, "depositd.of tomorrow"};
  const auto found = find(other, port);
  ASSERT_FALSE(found);
  const auto why = render(found.error());
  EXPECT_NE(why.find("it speaks " + std::string{node_protocol}
                     + ", this program depositd.of?tomorrow"),
            std::string::npos)
    << why;
  expect_service();
}

TEST_F(gate_port, forgets_who_has_gone) {
  caf::node_id node;
  {
    party other;
    node = other.system.node();
    const auto found = find(other, port);
    ASSERT_TRUE(found);
    ask(other, *found, "hello");
    EXPECT_TRUE(server->port->peer_of(node));
  }
  EXPECT_TRUE(soon([&] { return !server->port->peer_of(node); }));
}

TEST_F(gate_port, closes_who_says_nothing_or_half_a_word) {
  end();
  open(quick(500ms));
  const raw_client silent{port};
  const raw_client slow{port};
  words speech{server->system};
  auto half = speech.hello(some_node(1));
  half.resize(20);
  EXPECT_TRUE(slow.say(half));
  EXPECT_TRUE(silent.is_closed_within(20s));
  EXPECT_TRUE(slow.is_closed_within(20s));
  EXPECT_GE(server->port->counts().closed.load(), 2U);
  expect_service();
}

TEST_F(gate_port, closes_at_once_who_speaks_nonsense) {
  words speech{server->system};
  using kind = words::kind;
  const std::vector<std::vector<char>> nonsense{
    std::vector<char>(4096, 'x'),
    speech.head_only(kind::client_handshake, 1u << 20),
    speech.head_only(kind::client_handshake, 0),
    speech.head_only(kind::direct_message, 100),
    speech.head_only(kind::heartbeat, 0),
    speech.hello(caf::node_id{}),
    speech.make({kind::server_handshake, 0, 0, caf::io::basp::version, 0, 0},
                some_node(1))};
  for (const auto& bytes : nonsense) {
    end();
    open(quick());
    const raw_client client{port};
    client.say(bytes);
    EXPECT_TRUE(client.is_closed_within(20s));
  }
}

TEST_F(gate_port, keeps_no_more_unfinished_of_an_address_than_it_may) {
  end();
  open(quick());
  std::list<raw_client> many;
  for (int i = 0; i < 5; ++i)
    many.emplace_back(port);
  EXPECT_TRUE(many.front().is_closed_within(20s));
  EXPECT_EQ(server->port->counts().closed.load(), 1U);
  expect_service();
}

TEST_F(gate_port, takes_no_more_finished_of_an_address_than_it_may) {
  words speech{server->system};
  std::list<raw_client> many;
  for (std::uint32_t i = 1; i <= 3; ++i)
    ASSERT_TRUE(
      many.emplace_back(port, "127.0.0.9").say(speech.hello(some_node(i))));
  ASSERT_TRUE(
    soon([&] { return server->port->counts().finished.load() == 3; }));
  const raw_client fourth{port, "127.0.0.9"};
  fourth.say(speech.hello(some_node(4)));
  EXPECT_TRUE(fourth.is_closed_within(20s));
  EXPECT_TRUE(soon([&] { return !server->port->peer_of(some_node(4)); }));
}

TEST_F(gate_port, lets_nobody_be_the_node_itself) {
  end();
  open(quick(500ms));
  words speech{server->system};
  const raw_client liar{port};
  ASSERT_TRUE(liar.say(speech.hello(server->system.node())));
  ASSERT_TRUE(liar.say(speech.message(
    admin_.id(), caf::make_message(admin_request{"status", ""}))));
  EXPECT_TRUE(liar.is_closed_within(20s)); // it is heard by nobody until then
  EXPECT_EQ(server->port->peer_of(server->system.node()), std::nullopt);
  EXPECT_EQ(server->port->counts().finished.load(), 0U);
}

TEST_F(gate_port, lets_nobody_change_its_node) {
  words speech{server->system};
  const raw_client liar{port};
  ASSERT_TRUE(liar.say(speech.hello(some_node(1))));
  ASSERT_TRUE(soon([&] { return server->port->peer_of(some_node(1)); }));
  liar.say(speech.hello(some_node(2)));
  EXPECT_TRUE(liar.is_closed_within(20s));
  EXPECT_EQ(server->port->peer_of(some_node(2)), std::nullopt);
}

TEST_F(gate_port, lets_nobody_end_an_actor_of_ours) {
  words speech{server->system};
  const raw_client killer{port};
  ASSERT_TRUE(killer.say(speech.hello(some_node(1))));
  const auto whom = caf::actor_cast<caf::actor_addr>(admin_);
  const caf::error kill{caf::exit_reason::kill};
  const std::vector<caf::message> deadly{
    caf::make_message(caf::exit_msg{whom, kill}),
    caf::make_message(caf::down_msg{whom, kill}), caf::make_message(kill),
    caf::make_message(caf::link_atom_v,
                      caf::actor_cast<caf::strong_actor_ptr>(admin_))};
  for (const auto& x : deadly)
    ASSERT_TRUE(killer.say(speech.message(admin_.id(), x)));
  ASSERT_TRUE(soon(
    [&] { return server->port->counts().skipped.load() == deadly.size(); }));
  expect_service();
}

TEST_F(gate_port, closes_who_announces_too_much) {
  words speech{server->system};
  const raw_client client{port};
  ASSERT_TRUE(client.say(speech.hello(some_node(1))));
  client.say(speech.head_only(words::kind::direct_message, (64u << 20) + 1));
  EXPECT_TRUE(client.is_closed_within(20s));
}

/// Nobody but the published actor may be addressed, and nobody forwards.
node_port_options strict() {
  auto out = quick();
  out.admit.may_address = [](const peer&, caf::actor_id) { return false; };
  out.admit.may_forward = [](const peer&) { return false; };
  return out;
}

TEST_F(gate_port, keeps_strangers_from_all_actors_but_the_published_one) {
  end();
  open(strict());
  party other;
  const auto found = find(other, port);
  ASSERT_TRUE(found) << render(found.error());
  EXPECT_EQ(ask(other, *found, "hi"), "hi " + std::to_string(geteuid()));
  words speech{server->system};
  const raw_client client{port};
  ASSERT_TRUE(client.say(speech.hello(some_node(1))));
  ASSERT_TRUE(client.say(speech.message(
    admin_.id() + 1, caf::make_message(admin_request{"status", ""}))));
  EXPECT_TRUE(soon([&] { return server->port->counts().skipped.load() == 1; }));
}

TEST_F(gate_port, lets_only_those_speak_for_others_who_may) {
  end();
  open(strict());
  words speech{server->system};
  const raw_client client{port};
  ASSERT_TRUE(client.say(speech.hello(some_node(1))));
  client.say(speech.make({words::kind::routed_message, 0, 0, 0, 1, admin_.id()},
                         some_node(2), server->system.node(),
                         std::vector<caf::strong_actor_ptr>{},
                         caf::make_message(admin_request{"status", ""})));
  EXPECT_TRUE(client.is_closed_within(20s));
  EXPECT_EQ(server->port->peer_of(some_node(2)), std::nullopt);
}

TEST_F(gate_port, ends_who_has_lost_the_right_to_be_there) {
  end();
  std::atomic<bool> allowed{true};
  std::atomic<bool> trusted{false};
  auto options = quick();
  options.admit.may_forward = [&](const peer&) {
    const bool out = allowed;
    trusted = trusted || out;
    return out;
  };
  open(options);
  words speech{server->system};
  const raw_client worker{port};
  ASSERT_TRUE(worker.say(speech.hello(some_node(1))));
  ASSERT_TRUE(worker.say(speech.message(
    admin_.id(), caf::make_message(admin_request{"status", ""}))));
  ASSERT_TRUE(soon([&] { return trusted.load(); }));
  allowed = false;
  EXPECT_TRUE(worker.is_closed_within(20s));
  end(); // it asks what is gone with this test
}

TEST_F(gate_port, passes_messages_of_many_pieces) {
  party other;
  const auto found = find(other, port);
  ASSERT_TRUE(found);
  const std::string large(20u << 20, 'x');
  EXPECT_EQ(ask(other, *found, large), large + " " + std::to_string(geteuid()));
}

TEST_F(gate_port, says_why_it_cannot_connect) {
  party other;
  const raw_client none{port}; // some port that nobody listens at
  const auto found = find(other, 1);
  ASSERT_FALSE(found);
  EXPECT_NE(render(found.error()).find("refused"), std::string::npos)
    << render(found.error());
}

} // namespace
} // namespace depositd::gate
