#include "adapters/stores/files/disk.hpp"

#include <cerrno>
#include <limits>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace depositd {

namespace {

/// What is left of the parts after some bytes were written.
std::span<iovec> rest_of(std::span<iovec> parts, std::size_t written) {
  while (!parts.empty() && written >= parts.front().iov_len) {
    written -= parts.front().iov_len;
    parts = parts.subspan(1);
  }
  if (!parts.empty()) {
    auto& part = parts.front();
    part.iov_base = static_cast<char*>(part.iov_base) + written;
    part.iov_len -= written;
  }
  return parts;
}

} // namespace

int disk::write(int fd, std::span<iovec> parts, std::uint64_t offset) {
  parts = rest_of(parts, 0);
  while (!parts.empty()) {
    const auto written =
      ::pwritev(fd, parts.data(), static_cast<int>(parts.size()),
                static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return errno;
    if (written == 0)
      return EIO;
    offset += static_cast<std::uint64_t>(written);
    parts = rest_of(parts, static_cast<std::size_t>(written));
  }
  return 0;
}

int disk::sync(int fd) {
  while (::fdatasync(fd) != 0)
    if (errno != EINTR)
      return errno;
  return 0;
}

int disk::sync_names(int fd) {
  while (::fsync(fd) != 0)
    if (errno != EINTR)
      return errno;
  return 0;
}

int disk::sync_all(int fd) {
  while (::syncfs(fd) != 0)
    if (errno != EINTR)
      return errno;
  return 0;
}

int disk::allocate(int fd, std::uint64_t bytes) {
  for (;;) {
    const auto result = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
    if (result != EINTR)
      return result;
  }
}

std::uint64_t disk::room(int fd) {
  struct statvfs facts {};
  if (::fstatvfs(fd, &facts) != 0)
    return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(facts.f_bavail) * facts.f_frsize;
}

disk& system_disk() {
  static disk instance;
  return instance;
}

} // namespace depositd
