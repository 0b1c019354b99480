#include "adapters/node/gate/accounts.hpp"
#include "tests/support/loopback_listener.hpp"

#include <gtest/gtest.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace depositd::gate {
namespace {

constexpr std::uint32_t nobody = 65'534;

/// Two ends of a connection over the loopback; the far one may be another
/// process's.
class gate_accounts : public ::testing::Test {
protected:
  void SetUp() override {
    at_ = testing::loopback_at(listening_.port());
  }

  void TearDown() override {
    for (const int fd : {near_, far_})
      if (fd >= 0)
        close(fd);
  }

  template <class T>
  static sockaddr* address(T& x) {
    return reinterpret_cast<sockaddr*>(&x);
  }

  int connect_here() const {
    const int out = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto at = at_;
    EXPECT_EQ(connect(out, address(at), sizeof at), 0);
    return out;
  }

  void meet() {
    far_ = connect_here();
    near_ = listening_.accept();
    ASSERT_GE(near_, 0);
  }

  std::optional<std::uint32_t> by_proc() const {
    sockaddr_storage own{}, other{};
    socklen_t size = sizeof own;
    getsockname(near_, address(own), &size);
    size = sizeof other;
    getpeername(near_, address(other), &size);
    return account_in_proc(own, other);
  }

  testing::loopback_listener listening_;
  int near_ = -1, far_ = -1;
  sockaddr_in at_{};
};

TEST_F(gate_accounts, knows_whose_the_other_end_is) {
  meet();
  EXPECT_EQ(account_behind(near_), geteuid());
  EXPECT_EQ(account_behind(far_), geteuid());
  EXPECT_EQ(by_proc(), geteuid());
}

TEST_F(gate_accounts, is_not_taken_in_by_one_that_has_closed) {
  meet();
  ASSERT_EQ(write(far_, "x", 1), 1);
  close(far_);
  far_ = -1;
  // The kernel shows such a socket as root's.
  EXPECT_EQ(account_behind(near_), std::nullopt);
  EXPECT_EQ(by_proc(), std::nullopt);
}

TEST_F(gate_accounts, is_not_taken_in_by_one_that_nobody_has_accepted) {
  far_ = connect_here();
  EXPECT_EQ(account_behind(far_), std::nullopt);
}

TEST_F(gate_accounts, tells_another_account_from_ours) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can be somebody else";
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto child = fork();
  if (child == 0) {
    close(ends[1]);
    char wait = 0;
    if (setuid(nobody) == 0 && connect_here() >= 0
        && read(ends[0], &wait, 1) >= 0)
      _exit(0);
    _exit(1);
  }
  close(ends[0]);
  near_ = listening_.accept();
  EXPECT_EQ(account_behind(near_), nobody);
  EXPECT_EQ(by_proc(), nobody);
  close(ends[1]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

} // namespace
} // namespace depositd::gate
