#pragma once

// Disks that fail, for tests of what keeps files.

#include "adapters/stores/files/disk.hpp"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace depositd {

enum class disk_call { write, sync, sync_names, sync_all, allocate };

/// The machine's disk, but a call for which `fault` returns an `errno` fails
/// with it; a write that fails has written half of its bytes.
class faulty_disk : public disk {
public:
  using fault_function = std::function<int(disk_call)>;

  void set_fault(fault_function fault) {
    const std::lock_guard guard{mutex_};
    fault_ = std::move(fault);
  }

  int write(int fd, std::span<iovec> parts, std::uint64_t offset) override {
    const auto code = fault(disk_call::write);
    if (code == 0)
      return disk::write(fd, parts, offset);
    parts.front().iov_len /= 2;
    (void)disk::write(fd, parts.first(1), offset);
    return code;
  }

  int sync(int fd) override {
    const auto code = fault(disk_call::sync);
    return code != 0 ? code : disk::sync(fd);
  }

  int sync_names(int fd) override {
    const auto code = fault(disk_call::sync_names);
    return code != 0 ? code : disk::sync_names(fd);
  }

  int sync_all(int fd) override {
    const auto code = fault(disk_call::sync_all);
    return code != 0 ? code : disk::sync_all(fd);
  }

  int allocate(int fd, std::uint64_t bytes) override {
    const auto code = fault(disk_call::allocate);
    return code != 0 ? code : disk::allocate(fd, bytes);
  }

private:
  int fault(disk_call call) {
    const std::lock_guard guard{mutex_};
    return fault_ ? fault_(call) : 0;
  }

  std::mutex mutex_;
  fault_function fault_;
};

/// Fast, because it promises nothing: for tests that only read what is there.
class careless_disk : public disk {
public:
  int sync(int) override {
    return 0;
  }

  int sync_names(int) override {
    return 0;
  }

  int sync_all(int) override {
    return 0;
  }
};

/// Dies at a call that the test chooses and then loses, sector by sector, an
/// arbitrary part of what was written and not yet synced.
class dying_disk : public disk {
public:
  /// Dies at the `calls_max`th write or sync; before it takes effect.
  explicit dying_disk(std::uint64_t calls_max) : calls_left_(calls_max) {
    // nop
  }

  ~dying_disk() override {
    for (const auto& x : unsynced_)
      ::close(x.fd);
  }

  int write(int fd, std::span<iovec> parts, std::uint64_t offset) override {
    const std::lock_guard guard{mutex_};
    std::size_t size = 0;
    for (const auto& x : parts)
      size += x.iov_len;
    if (!dead_)
      remember(fd, offset, size);
    // The last write may or may not reach the disk, like any unsynced one.
    const auto was_dead = dead_;
    if (!use_call() && was_dead)
      return EIO;
    const auto code = disk::write(fd, parts, offset);
    return dead_ ? EIO : code;
  }

  int sync(int fd) override {
    const std::lock_guard guard{mutex_};
    if (!use_call())
      return EIO;
    const auto id = inode(fd);
    std::erase_if(unsynced_, [&](const lost& x) {
      if (x.inode == id)
        ::close(x.fd);
      return x.inode == id;
    });
    return 0;
  }

  int sync_names(int) override {
    const std::lock_guard guard{mutex_};
    return use_call() ? 0 : EIO;
  }

  int sync_all(int) override {
    const std::lock_guard guard{mutex_};
    if (!use_call())
      return EIO;
    for (const auto& x : unsynced_)
      ::close(x.fd);
    unsynced_.clear();
    return 0;
  }

  /// Only the program died: what was written is there, synced or not.
  void restart() {
    const std::lock_guard guard{mutex_};
    dead_ = false;
    calls_left_ = std::numeric_limits<std::uint64_t>::max();
  }

  bool dead() {
    const std::lock_guard guard{mutex_};
    return dead_;
  }

  /// What the next start finds.
  void lose_power(std::uint64_t seed) {
    const std::lock_guard guard{mutex_};
    std::minstd_rand random(static_cast<std::uint32_t>(seed + 1));
    for (auto x = unsynced_.rbegin(); x != unsynced_.rend(); ++x) {
      const auto keep_percent = random() % 101;
      for (std::size_t at = 0; at < x->before.size(); at += 512)
        if (random() % 100 >= keep_percent)
          (void)!::pwrite(x->fd, x->before.data() + at,
                          std::min<std::size_t>(512, x->before.size() - at),
                          static_cast<off_t>(x->offset + at));
    }
  }

private:
  /// What a write that may be lost replaced.
  struct lost {
    int fd = -1;
    ino_t inode = 0;
    std::uint64_t offset = 0;
    std::string before;
  };

  static ino_t inode(int fd) {
    struct stat facts {};
    (void)::fstat(fd, &facts);
    return facts.st_ino;
  }

  void remember(int fd, std::uint64_t offset, std::size_t size) {
    // The store may have opened it for writing only.
    const auto name = "/proc/self/fd/" + std::to_string(fd);
    lost x{.fd = ::open(name.c_str(), O_RDWR | O_CLOEXEC),
           .inode = inode(fd),
           .offset = offset,
           .before = std::string(size, '\0')};
    const auto count =
      ::pread(x.fd, x.before.data(), size, static_cast<off_t>(offset));
    x.before.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    unsynced_.push_back(std::move(x));
  }

  bool use_call() {
    if (calls_left_ <= 1)
      dead_ = true;
    else
      --calls_left_;
    return !dead_;
  }

  std::mutex mutex_;
  std::uint64_t calls_left_;
  bool dead_ = false;
  std::vector<lost> unsynced_; // in the order of the writes
};

} // namespace depositd
