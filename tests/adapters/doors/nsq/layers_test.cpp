// Compression and TLS between two ends without sockets.

#include "adapters/doors/kit/tls_layer.hpp"
#include "adapters/doors/kit/wire.hpp"
#include "adapters/doors/nsq/layer.hpp"
#include "tests/support/certificates.hpp"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace depositd::testing {

namespace {

using namespace nsq;
using kit::tls_context;
using kit::tls_layer;
using kit::wire;

constexpr std::size_t plenty = std::size_t{1} << 30;

struct named_layer {
  const char* name;
  std::function<std::unique_ptr<layer>()> make;
};

class packing_layers : public ::testing::TestWithParam<named_layer> {};

std::string noise(std::size_t size) {
  std::minstd_rand chance{7};
  std::string out(size, '\0');
  for (auto& c : out)
    c = static_cast<char>(chance());
  return out;
}

TEST_P(packing_layers, give_back_what_was_packed_wherever_it_is_cut) {
  const std::string text = "hello " + std::string(300, 'x') + noise(400);
  const auto sender = GetParam().make();
  std::string packed;
  ASSERT_FALSE(sender->pack(text, packed));
  ASSERT_FALSE(sender->pack("more", packed));
  for (std::size_t cut = 0; cut <= packed.size(); ++cut) {
    const auto receiver = GetParam().make();
    std::string out;
    for (std::string_view part : {std::string_view{packed}.substr(0, cut),
                                  std::string_view{packed}.substr(cut)}) {
      ASSERT_FALSE(receiver->unpack(part, out, plenty)) << cut;
      ASSERT_TRUE(part.empty());
    }
    ASSERT_EQ(out, text + "more") << cut;
  }
}

TEST_P(packing_layers, take_much_and_what_cannot_be_packed) {
  const auto text = noise(300'000);
  const auto sender = GetParam().make();
  const auto receiver = GetParam().make();
  std::string packed;
  std::string out;
  ASSERT_FALSE(sender->pack(text, packed));
  std::string_view left{packed};
  ASSERT_FALSE(receiver->unpack(left, out, plenty));
  EXPECT_EQ(out, text);
}

// A bomb unpacks only as far as somebody takes what is in it.
TEST_P(packing_layers, unpack_no_more_than_is_wanted) {
  const auto sender = GetParam().make();
  const auto receiver = GetParam().make();
  const std::string zeros(50'000'000, '\0');
  std::string packed;
  ASSERT_FALSE(sender->pack(zeros, packed));
  std::string_view left{packed};
  std::size_t total = 0;
  for (int i = 0; total < zeros.size() && i < 100'000; ++i) {
    std::string out;
    ASSERT_FALSE(receiver->unpack(left, out, 64 * 1024));
    ASSERT_LE(out.size(), 2U * 64 * 1024);
    total += out.size();
  }
  EXPECT_EQ(total, zeros.size());
}

TEST_P(packing_layers, refuse_garbage) {
  const auto receiver = GetParam().make();
  const auto bytes = noise(1'000);
  std::string_view left{bytes};
  std::string out;
  EXPECT_TRUE(receiver->unpack(left, out, plenty));
}

INSTANTIATE_TEST_SUITE_P(
  all, packing_layers,
  ::testing::Values(named_layer{"snappy", make_snappy_layer},
                    named_layer{"deflate",
                                [] { return make_deflate_layer(6); }}),
  [](const auto& x) { return std::string{x.param.name}; });

TEST(snappy_layer, begins_with_the_stream_s_name_and_checks_sums) {
  const auto sender = make_snappy_layer();
  std::string packed;
  ASSERT_FALSE(sender->pack("hello", packed));
  EXPECT_EQ(packed.substr(0, 10), std::string("\xff\x06\x00\x00sNaPpY", 10));
  packed.back() ^= 1;
  std::string_view left{packed};
  std::string out;
  EXPECT_TRUE(make_snappy_layer()->unpack(left, out, plenty));
}

TEST(snappy_layer, refuses_chunks_that_are_too_long) {
  const std::string head{"\xff\x06\x00\x00sNaPpY\x01\xff\xff\xff", 14};
  std::string_view left{head};
  std::string out;
  const auto wrong = make_snappy_layer()->unpack(left, out, plenty);
  EXPECT_EQ(wrong, ec::too_large);
}

TEST(snappy_layer, passes_over_what_it_need_not_know) {
  const auto sender = make_snappy_layer();
  std::string packed;
  ASSERT_FALSE(sender->pack("a", packed));
  packed.insert(10, std::string{"\xfe\x03\x00\x00pad", 7});
  std::string_view left{packed};
  std::string out;
  ASSERT_FALSE(make_snappy_layer()->unpack(left, out, plenty));
  EXPECT_EQ(out, "a");
}

/// A client's end in memory.
class tls_client {
public:
  tls_client() : context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_verify(context_, SSL_VERIFY_NONE, nullptr);
    session_ = SSL_new(context_);
    SSL_set_bio(session_, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(session_);
  }

  ~tls_client() {
    SSL_free(session_);
    SSL_CTX_free(context_);
  }

  tls_client(const tls_client&) = delete;
  tls_client& operator=(const tls_client&) = delete;

  void take(const std::string& bytes) {
    if (!bytes.empty())
      BIO_write(SSL_get_rbio(session_), bytes.data(),
                static_cast<int>(bytes.size()));
  }

  std::string say() {
    std::string out(100'000, '\0');
    const int size = BIO_read(SSL_get_wbio(session_), out.data(),
                              static_cast<int>(out.size()));
    out.resize(static_cast<std::size_t>(std::max(size, 0)));
    return out;
  }

  void shake() {
    SSL_do_handshake(session_);
  }

  void write(const std::string& text) {
    SSL_write(session_, text.data(), static_cast<int>(text.size()));
  }

  /// Says that nothing more comes.
  void say_goodbye() {
    SSL_shutdown(session_);
  }

  std::string read() {
    std::string out(100'000, '\0');
    const int size =
      SSL_read(session_, out.data(), static_cast<int>(out.size()));
    out.resize(static_cast<std::size_t>(std::max(size, 0)));
    return out;
  }

private:
  SSL_CTX* context_;
  SSL* session_ = nullptr;
};

TEST(tls_layer, shakes_hands_and_carries_bytes) {
  const certificates files;
  ASSERT_TRUE(files.good);
  const auto mine = files.of("engine");
  const auto context =
    tls_context::of({mine.certificate, mine.key}, std::string{});
  ASSERT_TRUE(context);
  tls_layer server{*context};
  tls_client client;
  std::string to_client;
  std::string plain;
  for (int i = 0; i < 10 && !server.established(); ++i) {
    client.shake();
    const auto bytes = client.say();
    std::string_view left{bytes};
    ASSERT_FALSE(server.unpack(left, plain, plenty));
    server.drain(to_client);
    client.take(std::exchange(to_client, {}));
  }
  ASSERT_TRUE(server.established());
  EXPECT_EQ(server.version().substr(0, 3), "TLS");
  EXPECT_FALSE(server.cipher().empty());
  client.write("question");
  const auto bytes = client.say();
  std::string_view left{bytes};
  ASSERT_FALSE(server.unpack(left, plain, plenty));
  EXPECT_EQ(plain, "question");
  ASSERT_FALSE(server.pack("answer", to_client));
  client.take(to_client);
  EXPECT_EQ(client.read(), "answer");
}

TEST(tls_layer, refuses_what_is_no_handshake) {
  const certificates files;
  const auto mine = files.of("engine");
  const auto context =
    tls_context::of({mine.certificate, mine.key}, std::string{});
  ASSERT_TRUE(context);
  tls_layer server{*context};
  std::string_view left{"GET / HTTP/1.1\r\n\r\n"};
  std::string plain;
  EXPECT_TRUE(server.unpack(left, plain, plenty));
}

TEST(tls_layer, without_a_session_does_nothing_and_says_so) {
  tls_layer x{nullptr};
  EXPECT_FALSE(x.established());
  EXPECT_EQ(x.version() + x.cipher() + x.common_name(), "");
  std::string out;
  x.drain(out);
  EXPECT_EQ(x.pack("a", out), ec::overloaded);
  std::string_view from{"a"};
  EXPECT_EQ(x.unpack(from, out, plenty), ec::overloaded);
  EXPECT_EQ(out, "");
}

/// To make them takes seconds.
const certificates& shared_files() {
  static const certificates all;
  return all;
}

TEST(tls_layer, tells_nothing_of_a_handshake_that_has_not_been) {
  const auto mine = shared_files().of("engine");
  const auto context =
    tls_context::of({mine.certificate, mine.key}, std::string{});
  ASSERT_TRUE(context);
  tls_layer x{*context};
  EXPECT_FALSE(x.established());
  EXPECT_EQ(x.version() + x.cipher() + x.common_name(), "");
  std::string out;
  EXPECT_TRUE(x.pack("a", out));
}

/// The server's end of a connection, and a client of it that speaks TLS.
class wire_and_client : public ::testing::Test {
protected:
  wire_and_client() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
      throw std::runtime_error{"no sockets"};
    server = std::make_unique<wire>(ends[0]);
    other_end = ends[1];
  }

  ~wire_and_client() override {
    close(other_end);
  }

  void shake_hands() {
    const auto mine = shared_files().of("engine");
    const auto context =
      tls_context::of({mine.certificate, mine.key}, std::string{});
    ASSERT_TRUE(context);
    server->add_tls(*context);
    for (int i = 0; i < 10 && !server->tls()->established(); ++i) {
      client.shake();
      bring(client.say());
      ASSERT_TRUE(server->write());
      std::string got(100'000, '\0');
      const auto size = recv(other_end, got.data(), got.size(), MSG_DONTWAIT);
      if (size > 0)
        client.take(got.substr(0, static_cast<std::size_t>(size)));
    }
    ASSERT_TRUE(server->tls()->established());
  }

  /// To the server, at once.
  void bring(const std::string& bytes) {
    ASSERT_EQ(send(other_end, bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
    ASSERT_TRUE(bytes.empty() || server->receive());
    EXPECT_TRUE(server->tls() == nullptr || server->tls()->established()
                || server->input().empty());
  }

  tls_client client;
  std::unique_ptr<wire> server;
  int other_end = -1;
};

TEST_F(wire_and_client, what_came_before_goodbye_is_served) {
  shake_hands();
  server->add(make_snappy_layer());
  const std::string said = "FIN 0123456789abcdef\nFIN 0123456789abcdee\n";
  std::string packed;
  ASSERT_FALSE(make_snappy_layer()->pack(said, packed));
  client.write(packed);
  client.say_goodbye();
  bring(client.say());
  EXPECT_EQ(server->input(), said);
  server->consumed(said.size());
  EXPECT_TRUE(server->input().empty());
  EXPECT_TRUE(server->over());
  EXPECT_FALSE(server->failure()) << render(server->failure());
}

TEST_F(wire_and_client, what_came_before_garbage_is_served) {
  shake_hands();
  server->add(make_deflate_layer(6));
  std::string packed;
  ASSERT_FALSE(make_deflate_layer(6)->pack("NOP\n", packed));
  client.write(packed);
  bring(client.say() + std::string(50, 'x'));
  EXPECT_EQ(server->input(), "NOP\n");
  server->consumed(4);
  EXPECT_TRUE(server->input().empty());
  EXPECT_TRUE(server->over());
  EXPECT_EQ(server->failure(), ec::malformed);
}

TEST(wire, sends_frames_and_what_goes_with_them_in_its_order) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends),
    0);
  wire from{ends[0]};
  wire to{ends[1]};
  const auto frames = noise(700'000);
  const auto more = noise(900'000);
  from.frames() = frames;
  std::string_view left{more};
  std::string came;
  while (came.size() < frames.size() + more.size()) {
    if (from.unsent() > 0) {
      ASSERT_TRUE(from.write());
    } else if (from.waiting() > 0 || !left.empty()) {
      const auto taken = from.flush_with(left);
      ASSERT_TRUE(taken);
      left.remove_prefix(*taken);
    }
    ASSERT_TRUE(to.receive());
    came += to.input();
    to.consumed(to.input().size());
  }
  EXPECT_TRUE(came == frames + more);
}

TEST(tls_layer, names_the_file_that_cannot_be_used) {
  const certificates files;
  const auto mine = files.of("engine");
  EXPECT_FALSE(*tls_context::of({}, {}));
  EXPECT_FALSE(tls_context::of({mine.certificate, ""}, {}));
  const auto mixed = tls_context::of(
    {mine.certificate, files.of("operator").key}, std::string{});
  ASSERT_FALSE(mixed);
  EXPECT_NE(render(mixed.error()).find("operator.key"), std::string::npos);
}

TEST(tls_layer, asks_nobody_for_the_password_of_a_key) {
  certificates made;
  made.lock_key_of("engine");
  ASSERT_TRUE(made.good);
  const auto mine = made.of("engine");
  const auto found = tls_context::of({mine.certificate, mine.key}, {});
  ASSERT_FALSE(found);
  EXPECT_NE(render(found.error()).find(mine.key + ": it is kept under a "
                                                  "password"),
            std::string::npos)
    << render(found.error());
}

} // namespace

} // namespace depositd::testing
