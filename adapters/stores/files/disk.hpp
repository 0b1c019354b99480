#pragma once

// The calls that can fail because of the disk, behind one object, so that a
// test can fill the disk or break it.

#include <cstddef>
#include <cstdint>
#include <span>

#include <sys/uio.h>

namespace depositd {

/// Every function may be called from any thread and retries interrupted calls.
class disk {
public:
  virtual ~disk() = default;

  /// Writes all parts, one after the other, at the offset, and may change the
  /// parts on the way. Returns 0 or an `errno`; then any part may be written.
  virtual int write(int fd, std::span<iovec> parts, std::uint64_t offset);

  /// Makes the file's bytes (and its size) survive a power cut.
  virtual int sync(int fd);

  /// The same for the names in an open folder.
  virtual int sync_names(int fd);

  /// Both, for all that is on the file system of an open folder. Also a failure
  /// since that was opened is told: open it before what is to be kept.
  virtual int sync_all(int fd);

  /// Takes space for the first `bytes` bytes; the new ones read as zeros.
  virtual int allocate(int fd, std::uint64_t bytes);

  /// Bytes that are free where the file is; the most there is if that is
  /// unknown.
  virtual std::uint64_t room(int fd);
};

/// The machine's own.
disk& system_disk();

} // namespace depositd
