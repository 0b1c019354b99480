// TLS and compression over real sockets, all that clients may combine.

#include "tests/adapters/doors/nsq/door_fixture.hpp"
#include "tests/support/certificates.hpp"

#include <filesystem>

namespace depositd::testing {

namespace {

const certificates& files() {
  static const certificates all;
  return all;
}

void with_tls(nsq::door_options& x) {
  const auto mine = files().of("engine");
  x.tls = {mine.certificate, mine.key};
}

std::string wishes(const std::string& features) {
  return "\"feature_negotiation\":true," + features;
}

/// Publishes and consumes over what has been negotiated.
void exchange_messages(door_client& x) {
  const std::string large(200'000, 'x');
  x.say("PUB t", large);
  EXPECT_EQ(x.answer(), "OK");
  EXPECT_EQ(x.consume("t", "c", 1), "OK");
  const auto got = x.message();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body, large);
  x.say("FIN " + got->id);
  x.say("RDY 0"); // else the message may come before the answer
  x.say("PUB t", "small");
  EXPECT_EQ(x.answer(), "OK");
  x.say("RDY 1");
  const auto last = x.message();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->body, "small");
}

TEST_F(nsq_door, row_q35_before_tls_nothing_is_served_where_it_is_required) {
  start([](auto& x) {
    with_tls(x);
    x.tls_required = true;
  });
  auto x = client();
  x.say("PUB t", "x");
  EXPECT_EQ(x.error(), "E_INVALID cannot PUB in current state (TLS required)");
  EXPECT_TRUE(x.closed());
  auto y = client();
  EXPECT_NE(y.identify(wishes(R"("tls_v1":true)")).find(R"("tls_v1":true)"),
            std::string::npos);
  ASSERT_TRUE(y.begin_tls());
  EXPECT_EQ(y.answer(), "OK");
  exchange_messages(y);
  const auto facts = door->statistics("t", "c").at(0);
  EXPECT_TRUE(facts.tls);
  EXPECT_EQ(facts.tls_version.substr(0, 4), "TLS1");
}

TEST_F(nsq_door, row_q36_two_compressions_end_the_connection) {
  auto x = client();
  EXPECT_EQ(x.identify(wishes(R"("snappy":true,"deflate":true)")),
            "(other) E_IDENTIFY_FAILED cannot enable both deflate and snappy "
            "compression");
  EXPECT_TRUE(x.closed());
}

TEST_F(nsq_door, snappy_carries_messages) {
  auto x = client();
  x.identify(wishes(R"("snappy":true)"));
  x.add(nsq::make_snappy_layer());
  EXPECT_EQ(x.answer(), "OK");
  exchange_messages(x);
  EXPECT_TRUE(door->statistics("t", "c").at(0).snappy);
}

TEST_F(nsq_door, a_layer_comes_once) {
  auto x = client();
  x.identify(wishes(R"("snappy":true)"));
  x.add(nsq::make_snappy_layer());
  EXPECT_EQ(x.answer(), "OK");
  EXPECT_EQ(x.identify(wishes(R"("snappy":true)")),
            "(other) E_IDENTIFY_FAILED IDENTIFY failed it is on already");
  EXPECT_TRUE(x.closed());
}

TEST_F(nsq_door, deflate_carries_messages) {
  auto x = client();
  x.identify(wishes(R"("deflate":true)"));
  x.add(nsq::make_deflate_layer(6));
  EXPECT_EQ(x.answer(), "OK");
  exchange_messages(x);
}

TEST_F(nsq_door, tls_and_snappy_come_one_after_the_other) {
  start(with_tls);
  auto x = client();
  x.identify(wishes(R"("tls_v1":true,"snappy":true)"));
  ASSERT_TRUE(x.begin_tls());
  EXPECT_EQ(x.answer(), "OK");
  x.add(nsq::make_snappy_layer());
  EXPECT_EQ(x.answer(), "OK");
  exchange_messages(x);
}

TEST_F(nsq_door, clients_show_certificates_where_these_are_asked_for) {
  start([](auto& x) {
    with_tls(x);
    x.tls_ca = files().file("ca.pem");
  });
  auto x = client();
  x.identify(wishes(R"("tls_v1":true)"));
  // A client learns it with its first bytes, or before.
  if (x.begin_tls()) {
    EXPECT_EQ(x.answer(), "(closed)");
  }
}

TEST_F(nsq_door, garbage_in_place_of_a_handshake_ends_the_connection) {
  start(with_tls);
  auto x = client();
  x.identify(wishes(R"("tls_v1":true)"));
  x.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(x.closed());
  publish_to_t({"others go on"});
}

TEST_F(nsq_door, a_new_certificate_is_shown_when_it_was_read) {
  certificates own;
  const auto mine = own.of("engine");
  start([&](auto& x) { x.tls = {mine.certificate, mine.key}; });
  const auto shown = [&] {
    auto x = client();
    x.identify(wishes(R"("tls_v1":true)"));
    return x.begin_tls() && x.answer() == "OK" ? x.shown() : std::string{};
  };
  auto before = client();
  before.identify(wishes(R"("tls_v1":true)"));
  ASSERT_TRUE(before.begin_tls());
  EXPECT_EQ(before.answer(), "OK");
  const auto old = shown();
  EXPECT_FALSE(old.empty());
  own.renew("engine");
  EXPECT_EQ(shown(), old);
  const auto failed = door->reload();
  ASSERT_FALSE(failed) << render(failed);
  const auto renewed = shown();
  EXPECT_NE(renewed, old);
  EXPECT_FALSE(renewed.empty());
  exchange_messages(before);
  std::filesystem::copy_file(own.file("stranger.key"), mine.key,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(door->reload(), ec::bad_setting);
  EXPECT_EQ(shown(), renewed) << "a half of a pair is not taken";
}

TEST_F(nsq_door, features_that_are_switched_off_are_not_negotiated) {
  start([](auto& x) {
    x.limits.snappy = false;
    x.limits.deflate = false;
  });
  auto x = client();
  const auto said =
    x.identify(wishes(R"("tls_v1":true,"snappy":true,"deflate":true)"));
  for (const auto* part :
       {R"("tls_v1":false)", R"("snappy":false)", R"("deflate":false)"})
    EXPECT_NE(said.find(part), std::string::npos) << said;
  exchange_messages(x);
}

// What unpacks to very much is read as slowly as it is served.
TEST_F(nsq_door, a_decompression_bomb_takes_no_memory) {
  auto x = client();
  x.identify(wishes(R"("deflate":true)"));
  x.add(nsq::make_deflate_layer(9));
  EXPECT_EQ(x.answer(), "OK");
  // One line that never ends.
  x.send(std::string(64 << 20, 'x'));
  EXPECT_EQ(x.error(), "E_INVALID command line longer than 16384 bytes");
  EXPECT_TRUE(x.closed());
  publish_to_t({"others go on"});
}

} // namespace

} // namespace depositd::testing
