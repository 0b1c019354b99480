// What a socket takes of what is sent, where it takes little at a time.

#include "adapters/doors/kit/wire.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include <sys/socket.h>
#include <unistd.h>

namespace depositd::kit {

namespace {

class kit_wire : public ::testing::Test {
protected:
  kit_wire() {
    const int little = 8 * 1024;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0
        || setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &little, sizeof little)
             != 0)
      throw std::runtime_error("no sockets");
  }

  ~kit_wire() override {
    ::close(ends[1]);
  }

  /// Of which no part is like another.
  static std::string text(char begin, std::size_t size) {
    std::string out;
    for (std::size_t i = 0; out.size() < size; ++i)
      (out += begin) += std::to_string(i);
    out.resize(size);
    return out;
  }

  /// The other side reads so much.
  void read_some(std::size_t bytes) {
    std::array<char, 4096> some{};
    const auto count = ::recv(ends[1], some.data(),
                              std::min(bytes, some.size()), MSG_DONTWAIT);
    if (count > 0)
      got.append(some.data(), static_cast<std::size_t>(count));
  }

  /// The other side reads until nothing is left.
  void read_all() {
    for (auto before = got.size() + 1; before != got.size();) {
      before = got.size();
      read_some(4096);
    }
  }

  int ends[2] = {-1, -1};
  std::string got; ///< by the other side
};

TEST_F(kit_wire, sends_frames_once_and_in_order_to_who_reads_slowly) {
  wire x{ends[0]};
  std::string sent;
  for (std::size_t round = 0; round < 200; ++round) {
    const auto frame =
      text(static_cast<char>('a' + round % 26), 100 + round * 37);
    x.frames() += frame;
    sent += frame;
    ASSERT_TRUE(x.flush());
    read_some(1 + round * 31);
    ASSERT_TRUE(x.write());
  }
  EXPECT_GT(x.unsent(), 0u) << "or the socket took all of it at once";
  while (x.unsent() > 0) {
    read_some(1000);
    ASSERT_TRUE(x.write());
  }
  read_all();
  EXPECT_TRUE(got == sent) << "got " << got.size() << " of " << sent.size();
}

TEST_F(kit_wire, takes_of_more_what_goes_over_behind_the_frames) {
  for (const std::size_t frame_bytes : {0u, 10u, 2'000u, 100'000u}) {
    got.clear();
    wire x{::dup(ends[0])};
    const auto frame = text('f', frame_bytes);
    const auto more = text('m', 100'000);
    x.frames() += frame;
    std::string_view left{more};
    while (!left.empty()) {
      if (x.unsent() == 0) {
        const auto taken = x.flush_with(left);
        ASSERT_TRUE(taken);
        ASSERT_LE(*taken, left.size());
        left.remove_prefix(*taken);
        EXPECT_EQ(x.waiting(), 0u) << "they wait where the socket takes them";
      }
      read_some(1500);
      ASSERT_TRUE(x.write());
    }
    read_all();
    EXPECT_TRUE(got == frame + more)
      << frame_bytes << ": got " << got.size() << " of "
      << frame.size() + more.size();
  }
  ::close(ends[0]);
}

} // namespace

} // namespace depositd::kit
