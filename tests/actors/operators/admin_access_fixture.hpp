#pragma once

// The admin actor, and connections over which operators come to it.

#include "actors/operators/command.hpp"

#include "tests/actors/operators/admin_fixture.hpp"
#include "tests/support/other_node.hpp"

namespace depositd::testing {

constexpr auto look = operator_role::look;
constexpr auto operate = operator_role::operate;
constexpr auto administer = operator_role::administer;

inline peer account(std::uint32_t uid) {
  peer out;
  out.kind = peer_kind::account;
  out.account = uid;
  out.address = "127.0.0.1";
  return out;
}

inline peer certificate(const std::string& name) {
  peer out;
  out.kind = peer_kind::certificate;
  out.name = name;
  out.fingerprint = std::string(64, 'c');
  out.address = "192.0.2.7";
  return out;
}

class admin_access_test : public admin_fixture {
protected:
  admin_access_test() {
    for (const auto& [name, role] :
         {std::pair{"anna", look}, std::pair{"ben", operate},
          std::pair{"carl", administer},
          std::pair{"rack", operator_role::node}})
      world_.control.operators[name] = {name, role, std::string{"#"} + name};
    world_.control.operators["ltd"] = {"ltd", administer, "#ltd", {"A", "B"}};
  }

  void TearDown() override {
    node.cut();
    other.cut();
    admin_fixture::TearDown();
  }

  /// Messages of the node come over this connection from now on.
  void connect(const other_node& which, const peer& who) {
    peers_->peers[which.id()] = who;
  }

  template <class T, class Message>
  caf::expected<T> ask_from(other_node& which, Message message) {
    which.seen(
      caf::actor_cast<processor_actor>(caf::strong_actor_ptr{self->ctrl()}));
    return ask<T>(which.seen(admin_), std::move(message));
  }

  caf::expected<std::string> send_from(other_node& which,
                                       const std::string& command,
                                       const json& arguments = json::object()) {
    auto out =
      ask_from<admin_reply>(which, admin_request{command, arguments.dump()});
    if (!out)
      return std::move(out.error());
    return std::move(out->document);
  }

  caf::expected<std::string> send_as(const peer& who,
                                     const std::string& command,
                                     const json& arguments = json::object()) {
    connect(node, who);
    return send_from(node, command, arguments);
  }

  /// The document; a refusal fails the test.
  json run_as(const peer& who, const std::string& command,
              const json& arguments = json::object()) {
    auto out = send_as(who, command, arguments);
    EXPECT_TRUE(out) << command << ": " << render(out.error());
    return out ? json::parse(*out) : json{};
  }

  caf::expected<signed_in> sign(other_node& which, const std::string& name,
                                const std::string& password) {
    return ask_from<signed_in>(which, sign_in{name, password});
  }

  bool logged(const std::string& text) const {
    return log_.str().find(text) != std::string::npos;
  }

  other_node node{sys, 1};
  other_node other{sys, 2};
};

} // namespace depositd::testing
