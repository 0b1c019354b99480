#pragma once

// A system whose calls are interrupted by signals. Of one source of a program
// only: its functions stand before the system's.

#include <cerrno>

#include <algorithm>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

namespace depositd::testing {

/// As long as it lives, every other call of the thread that made it is
/// interrupted, and reads and writes move no more than two bytes. Who calls on
/// and on gets nothing but interruptions that are failures (`EIO`).
class interrupted_calls {
public:
  static constexpr int count_max = 1'000;

  interrupted_calls() {
    here = this;
  }

  ~interrupted_calls() {
    here = nullptr;
  }

  interrupted_calls(const interrupted_calls&) = delete;
  interrupted_calls& operator=(const interrupted_calls&) = delete;

  int count() const {
    return count_;
  }

  /// What this call says: 0 if it is not interrupted.
  static int one() {
    return here != nullptr ? here->next() : 0;
  }

  static std::size_t moved(std::size_t wanted) {
    return here != nullptr ? std::min<std::size_t>(wanted, 2) : wanted;
  }

private:
  int next() {
    if (count_ == count_max)
      return EIO;
    last_ = !last_;
    count_ += last_ ? 1 : 0;
    return last_ ? EINTR : 0;
  }

  static inline thread_local interrupted_calls* here = nullptr;

  bool last_ = false;
  int count_ = 0;
};

template <class F>
F* usual(F*, const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

inline bool interrupted() {
  const auto code = interrupted_calls::one();
  if (code != 0)
    errno = code;
  return code != 0;
}

} // namespace depositd::testing

extern "C" {

ssize_t pread(int fd, void* into, size_t bytes, off_t offset) {
  using namespace depositd::testing;
  static const auto read = usual(&::pread, "pread");
  if (interrupted())
    return -1;
  return read(fd, into, interrupted_calls::moved(bytes), offset);
}

ssize_t pwritev(int fd, const iovec* parts, int count, off_t offset) {
  using namespace depositd::testing;
  static const auto write = usual(&::pwritev, "pwritev");
  if (interrupted())
    return -1;
  auto first = parts[0];
  first.iov_len = interrupted_calls::moved(first.iov_len);
  return first.iov_len < parts[0].iov_len ? write(fd, &first, 1, offset)
                                          : write(fd, parts, count, offset);
}

int fdatasync(int fd) {
  using namespace depositd::testing;
  static const auto sync = usual(&::fdatasync, "fdatasync");
  return interrupted() ? -1 : sync(fd);
}

int fsync(int fd) {
  using namespace depositd::testing;
  static const auto sync = usual(&::fsync, "fsync");
  return interrupted() ? -1 : sync(fd);
}

int syncfs(int fd) noexcept {
  using namespace depositd::testing;
  static const auto sync = usual(&::syncfs, "syncfs");
  return interrupted() ? -1 : sync(fd);
}

int posix_fallocate(int fd, off_t offset, off_t bytes) {
  using namespace depositd::testing;
  static const auto allocate = usual(&::posix_fallocate, "posix_fallocate");
  const auto code = interrupted_calls::one();
  return code != 0 ? code : allocate(fd, offset, bytes);
}

} // extern "C"
