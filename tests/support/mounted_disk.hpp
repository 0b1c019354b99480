#pragma once

// A disk in memory that only this process sees, in a folder.

#include <fcntl.h>
#include <filesystem>
#include <string>

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

namespace depositd {

/// Mounted as long as it lives, unless it was unmounted before. False where
/// the machine does not let anybody mount; a process with one thread only.
class mounted_disk {
public:
  explicit mounted_disk(std::filesystem::path folder)
    : folder_(std::move(folder)) {
    static const bool is_apart = leave_mounts_of_others();
    is_mounted_ = is_apart
                  && ::mount("disk", folder_.c_str(), "tmpfs", 0, nullptr) == 0;
  }

  mounted_disk(const mounted_disk&) = delete;
  mounted_disk& operator=(const mounted_disk&) = delete;

  ~mounted_disk() {
    if (is_mounted_)
      unmount();
  }

  explicit operator bool() const {
    return is_mounted_;
  }

  /// What was there before is seen again.
  void unmount() const {
    ::umount2(folder_.c_str(), MNT_DETACH);
    is_mounted_ = false;
  }

private:
  static bool leave_mounts_of_others() {
    const auto user = std::to_string(::geteuid());
    const auto group = std::to_string(::getegid());
    if (::unshare(CLONE_NEWNS) != 0
        && (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0
            || !tell("setgroups", "deny")
            || !tell("uid_map", user + " " + user + " 1")
            || !tell("gid_map", group + " " + group + " 1")))
      return false;
    return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  }

  static bool tell(const std::string& what, const std::string& text) {
    const int file = ::open(("/proc/self/" + what).c_str(), O_WRONLY);
    if (file < 0)
      return false;
    const bool took = ::write(file, text.data(), text.size())
                      == static_cast<ssize_t>(text.size());
    ::close(file);
    return took;
  }

  const std::filesystem::path folder_;
  mutable bool is_mounted_ = false;
};

} // namespace depositd
