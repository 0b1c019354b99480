#include "tests/adapters/node/gate/port_fixture.hpp"
#include "tests/support/certificates.hpp"

#include <filesystem>
#include <fstream>

namespace depositd::gate {
namespace {

namespace fs = std::filesystem;

class gate_tls : public ::testing::Test {
protected:
  void SetUp() override {
    if (!files.good)
      GTEST_SKIP() << "no openssl program to make certificates with";
    server.emplace(of("engine"));
    admin_ = server->system.spawn(
      echo, static_cast<const known_peers*>(server->port.get()));
    const auto at = server->port->publish(admin_, {"127.0.0.1", 0});
    ASSERT_TRUE(at);
    port = *at;
  }

  ~gate_tls() override {
    if (admin_)
      caf::anon_send_exit(admin_, caf::exit_reason::kill);
    admin_ = nullptr;
  }

  node_port_options of(const std::string& who, const std::string& ca = "ca") {
    const auto x = files.of(who, ca);
    node_port_options out;
    out.tls = {x.certificate, x.key, x.ca};
    out.limits.handshake = 5s;
    out.files_every = 1h;
    return out;
  }

  std::string asked_by(const std::string& who, const std::string& ca = "ca") {
    party other{of(who, ca)};
    const auto found = find(other, port);
    return found ? ask(other, *found, "hello") : "! " + render(found.error());
  }

  void put(const std::string& file, const std::string& text) {
    std::ofstream{files.file(file), std::ios::trunc} << text;
  }

  testing::certificates files;
  std::optional<party> server;
  admin_actor admin_;
  std::uint16_t port = 0;
};

TEST_F(gate_tls, knows_the_certificate_of_who_asks) {
  EXPECT_EQ(asked_by("operator"), "hello operator");
}

TEST_F(gate_tls, keeps_the_fingerprint) {
  party other{of("operator")};
  const auto found = find(other, port);
  ASSERT_TRUE(found) << render(found.error());
  // Until it has answered, it may not have heard who we are.
  ASSERT_EQ(ask(other, *found, "hello"), "hello operator");
  const auto who = server->port->peer_of(other.system.node());
  ASSERT_TRUE(who);
  EXPECT_EQ(who->kind, peer_kind::certificate);
  EXPECT_EQ(who->fingerprint.size(), 64U);
  EXPECT_EQ(who->address, "127.0.0.1");
}

TEST_F(gate_tls, says_that_it_is_tls_that_fails) {
  for (const auto& said :
       {asked_by("stranger"), asked_by("stranger", "other_ca")})
    EXPECT_EQ(said.substr(0, 7), "! TLS: ") << said;
  EXPECT_EQ(asked_by("operator"), "hello operator");
}

TEST_F(gate_tls, survives_files_that_are_away_and_accepts_meanwhile) {
  for (const auto* file : {"engine.pem", "engine.key", "ca.pem"})
    fs::rename(files.file(file), files.file(file) + std::string{".away"});
  const raw_client silent{port};
  server->port->reload();
  EXPECT_TRUE(silent.is_closed_within(20s));
  fs::rename(files.file("ca.pem.away"), files.file("ca.pem"));
  EXPECT_EQ(asked_by("operator"), "hello operator");
}

TEST_F(gate_tls, takes_a_renewed_pair_but_no_half_of_one) {
  const auto fingerprint = [&] {
    party other{of("operator")};
    EXPECT_TRUE(find(other, port));
    const auto who = other.port->peer_of(server->system.node());
    return who ? who->fingerprint : "";
  };
  const auto before = fingerprint();
  std::ifstream in{files.file("engine.key")};
  const std::string key{std::istreambuf_iterator<char>{in}, {}};
  files.renew("engine");
  std::ifstream in_new{files.file("engine.key")};
  const std::string new_key{std::istreambuf_iterator<char>{in_new}, {}};
  put("engine.key", key); // the new certificate with the old key
  server->port->reload();
  EXPECT_EQ(fingerprint(), before);
  put("engine.key", new_key.substr(0, 100));
  server->port->reload();
  EXPECT_EQ(fingerprint(), before);
  put("engine.key", new_key);
  server->port->reload();
  EXPECT_NE(fingerprint(), before);
}

TEST_F(gate_tls, tells_its_own_certificate_as_others_see_it) {
  std::vector<certificate_facts> told;
  auto options = of("engine");
  options.taken = [&](const certificate_facts& x) { told.push_back(x); };
  party telling{std::move(options)};
  const auto admin = telling.system.spawn(
    echo, static_cast<const known_peers*>(telling.port.get()));
  const auto at = telling.port->publish(admin, {"127.0.0.1", 0});
  ASSERT_TRUE(at);
  const auto seen = [&] {
    party other{of("operator")};
    EXPECT_TRUE(find(other, *at));
    const auto who = other.port->peer_of(telling.system.node());
    return who ? who->fingerprint : "";
  };
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].name, "engine");
  EXPECT_EQ(told[0].fingerprint, seen());
  files.renew("engine");
  telling.port->reload();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_NE(told[1].fingerprint, told[0].fingerprint);
  EXPECT_EQ(told[1].fingerprint, seen());
  put("engine.pem", "none");
  telling.port->reload();
  EXPECT_EQ(told.size(), 2U);
  caf::anon_send_exit(admin, caf::exit_reason::kill);
}

TEST_F(gate_tls, sees_by_itself_that_files_have_changed) {
  auto options = of("engine");
  options.files_every = 10ms;
  party watching{std::move(options)};
  const auto admin = watching.system.spawn(
    echo, static_cast<const known_peers*>(watching.port.get()));
  const auto at = watching.port->publish(admin, {"127.0.0.1", 0});
  ASSERT_TRUE(at);
  const auto fingerprint = [&] {
    party other{of("operator")};
    EXPECT_TRUE(find(other, *at));
    const auto who = other.port->peer_of(watching.system.node());
    return who ? who->fingerprint : "";
  };
  const auto before = fingerprint();
  files.renew("engine");
  EXPECT_TRUE(soon([&] { return fingerprint() != before; }));
  caf::anon_send_exit(admin, caf::exit_reason::kill);
}

TEST_F(gate_tls, closes_who_never_finishes_the_handshake) {
  const raw_client silent{port};
  const raw_client garbage{port};
  garbage.say(std::vector<char>(2'000, 'x'));
  EXPECT_TRUE(garbage.is_closed_within(4s));
  EXPECT_TRUE(silent.is_closed_within(20s));
}

TEST_F(gate_tls, passes_messages_of_many_pieces) {
  party other{of("operator")};
  const auto found = find(other, port);
  ASSERT_TRUE(found) << render(found.error());
  const std::string large(20u << 20, 'x');
  EXPECT_EQ(ask(other, *found, large), large + " operator");
}

TEST(gate_files, are_refused_by_name) {
  testing::certificates files;
  if (!files.good)
    GTEST_SKIP() << "no openssl program to make certificates with";
  const auto good = files.of("engine");
  const auto wrong = [&](const std::string& certificate, const std::string& key,
                         const std::string& ca) {
    const auto x = load_tls({certificate, key, ca});
    return x ? "" : render(x.error());
  };
  EXPECT_EQ(wrong(good.certificate, good.key, good.ca), "");
  const auto none = files.file("none.pem");
  EXPECT_EQ(wrong(none, good.key, good.ca), none + ": cannot be read");
  const auto other = files.file("operator.key");
  EXPECT_EQ(wrong(good.certificate, other, good.ca),
            other + ": is not the key of " + good.certificate);
  EXPECT_EQ(wrong(good.key, good.key, good.ca),
            good.key + ": holds no certificate in PEM form");
  EXPECT_EQ(wrong(good.certificate, good.certificate, good.ca),
            good.certificate
              + ": holds no private key in PEM form without a password");
  std::ifstream in{good.ca};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  const auto torn = files.file("torn.pem");
  std::ofstream{torn} << text << text.substr(0, text.size() / 2);
  EXPECT_EQ(wrong(good.certificate, good.key, torn),
            torn + ": is not complete");
}

} // namespace
} // namespace depositd::gate
