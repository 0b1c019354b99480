#include "config/ready_notice.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace depositd {
namespace {

/// Stands for the service manager; its name is in no folder.
class ready_notice : public ::testing::Test {
protected:
  void SetUp() override {
    name_ = "@depositd-notice-" + std::to_string(::getpid());
    socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    ASSERT_GE(socket_, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path + 1, name_.data() + 1, name_.size() - 1);
    const auto size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
    ASSERT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&at), size), 0);
  }

  void TearDown() override {
    ::unsetenv("NOTIFY_SOCKET");
    ::close(socket_);
  }

  /// What has come, or nothing.
  std::string heard() {
    std::array<char, 512> room{};
    const auto size = ::recv(socket_, room.data(), room.size(), 0);
    return size < 0 ? "" : std::string(room.data(), size);
  }

  std::string name_;
  int socket_ = -1;
};

TEST_F(ready_notice, tells_the_manager_of_start_and_end) {
  ::setenv("NOTIFY_SOCKET", name_.c_str(), 1);
  tell_ready("ready http=127.0.0.1:8080");
  EXPECT_EQ(heard(), "READY=1\nSTATUS=ready http=127.0.0.1:8080");
  tell_stopping();
  EXPECT_EQ(heard(), "STOPPING=1");
}

TEST_F(ready_notice, a_status_sets_nothing_else) {
  ::setenv("NOTIFY_SOCKET", name_.c_str(), 1);
  tell_ready("a\nMAINPID=1");
  EXPECT_EQ(heard(), "READY=1\nSTATUS=a MAINPID=1");
}

TEST_F(ready_notice, nobody_is_told_where_nobody_listens) {
  ::unsetenv("NOTIFY_SOCKET");
  tell_ready("ready");
  EXPECT_EQ(heard(), "");
  EXPECT_FALSE(send_notice("/no/such/socket", "READY=1"));
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(ready_notice, names_that_are_no_sockets_are_refused) {
  const auto long_name = "/" + std::string(sizeof sockaddr_un{}.sun_path, 'x');
  for (const auto& name :
       {std::string{}, std::string{"/"}, std::string{"relative"}, long_name}) {
    EXPECT_FALSE(send_notice(name, "READY=1")) << name;
    EXPECT_EQ(errno, EINVAL) << name;
  }
}

} // namespace
} // namespace depositd
