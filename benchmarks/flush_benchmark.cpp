// What it costs to make one group durable, by the ways that Linux has for it.
//
//   depositd_flush_benchmark [FOLDER]
//
// Each way overwrites whole pages of a file that is allocated and written, as
// the journal's recycled segments are. The ways take turns, group by group, so
// that they all meet the same disk. `us` is from the start of the write until
// it is durable, `cpu` is what the calling thread took of a processor; the
// kernel's own threads, which io_uring may use, are not in it.

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t file_bytes = 64 * 1024 * 1024;
constexpr int groups_of_each = 400;

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(1);
}

/// One submission queue, one completion queue, nothing else of io_uring.
class ring {
public:
  ring() {
    io_uring_params how{};
    fd_ = static_cast<int>(syscall(SYS_io_uring_setup, 8, &how));
    if (fd_ < 0)
      return;
    const auto to = how.sq_off.array + how.sq_entries * sizeof(unsigned);
    const auto from = how.cq_off.cqes + how.cq_entries * sizeof(io_uring_cqe);
    submissions_ = map(to, IORING_OFF_SQ_RING);
    completions_ = map(from, IORING_OFF_CQ_RING);
    entries_ = reinterpret_cast<io_uring_sqe*>(
      map(how.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES));
    how_ = how;
  }

  bool is_there() const {
    return fd_ >= 0;
  }

  /// Writes; with `flush` an fdatasync is linked behind it. One system call.
  void write(int file, const iovec& what, std::size_t at, int flags,
             bool flush) {
    add(IORING_OP_WRITEV, file, flush ? IOSQE_IO_LINK : 0, [&](auto& x) {
      x.addr = reinterpret_cast<std::uint64_t>(&what);
      x.len = 1;
      x.off = at;
      x.rw_flags = flags;
    });
    if (flush)
      add(IORING_OP_FSYNC, file, 0, [](auto& x) {
        x.fsync_flags = IORING_FSYNC_DATASYNC;
      });
    const unsigned count = flush ? 2 : 1;
    if (syscall(SYS_io_uring_enter, fd_, count, count, IORING_ENTER_GETEVENTS,
                nullptr, 0)
        < 0)
      give_up("io_uring_enter");
    take(count);
  }

private:
  char* map(std::size_t bytes, std::uint64_t what) {
    auto* out = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_POPULATE, fd_,
                     static_cast<off_t>(what));
    if (out == MAP_FAILED)
      give_up("io_uring: mmap");
    return static_cast<char*>(out);
  }

  static unsigned& number(char* in, unsigned at) {
    return *reinterpret_cast<unsigned*>(in + at);
  }

  template <class F>
  void add(unsigned operation, int file, unsigned flags, F fill) {
    const auto& at = how_.sq_off;
    auto& tail = number(submissions_, at.tail);
    const unsigned slot = tail & number(submissions_, at.ring_mask);
    auto& entry = entries_[slot];
    entry = io_uring_sqe{};
    entry.opcode = static_cast<std::uint8_t>(operation);
    entry.fd = file;
    entry.flags = static_cast<std::uint8_t>(flags);
    fill(entry);
    number(submissions_,
           at.array + slot * static_cast<unsigned>(sizeof(unsigned))) = slot;
    std::atomic_ref{tail}.store(tail + 1, std::memory_order_release);
  }

  void take(unsigned count) {
    const auto& at = how_.cq_off;
    auto& head = number(completions_, at.head);
    const auto* all =
      reinterpret_cast<io_uring_cqe*>(completions_ + at.cqes);
    for (unsigned i = 0; i < count; ++i) {
      const auto& x = all[(head + i) & number(completions_, at.ring_mask)];
      if (x.res < 0) {
        errno = -x.res;
        give_up("io_uring");
      }
    }
    std::atomic_ref{head}.store(head + count, std::memory_order_release);
  }

  int fd_ = -1;
  io_uring_params how_{};
  char* submissions_ = nullptr;
  char* completions_ = nullptr;
  io_uring_sqe* entries_ = nullptr;
};

enum class flush { fdatasync, dsync, linked, ring_dsync };

struct way {
  const char* name;
  bool direct;
  flush how;
};

constexpr std::array ways{
  way{"pwritev, fdatasync", false, flush::fdatasync},
  way{"pwritev2 RWF_DSYNC", false, flush::dsync},
  way{"O_DIRECT, fdatasync", true, flush::fdatasync},
  way{"O_DIRECT RWF_DSYNC", true, flush::dsync},
  way{"io_uring write + fdatasync", false, flush::linked},
  way{"io_uring RWF_DSYNC", false, flush::ring_dsync},
  way{"io_uring O_DIRECT, RWF_DSYNC", true, flush::ring_dsync}};

double seconds_of(clockid_t clock) {
  timespec x{};
  clock_gettime(clock, &x);
  return static_cast<double>(x.tv_sec) + static_cast<double>(x.tv_nsec) / 1e9;
}

int open_written(const std::string& path, bool direct) {
  const int plain = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (plain < 0 || posix_fallocate(plain, 0, file_bytes) != 0)
    give_up(path.c_str());
  const std::string zeros(1024 * 1024, '\0');
  for (std::size_t at = 0; at < file_bytes; at += zeros.size())
    if (pwrite(plain, zeros.data(), zeros.size(), static_cast<off_t>(at)) < 0)
      give_up(path.c_str());
  if (fsync(plain) != 0)
    give_up("fsync");
  if (!direct)
    return plain;
  close(plain);
  const int out = open(path.c_str(), O_RDWR | O_CLOEXEC | O_DIRECT);
  if (out < 0)
    give_up("O_DIRECT");
  return out;
}

void make_durable(ring& by, const way& how, int file, const iovec& what,
                  std::size_t at) {
  const auto offset = static_cast<off_t>(at);
  const auto size = static_cast<ssize_t>(what.iov_len);
  switch (how.how) {
    case flush::fdatasync:
      if (pwritev(file, &what, 1, offset) != size || fdatasync(file) != 0)
        give_up(how.name);
      break;
    case flush::dsync:
      if (pwritev2(file, &what, 1, offset, RWF_DSYNC) != size)
        give_up(how.name);
      break;
    case flush::linked:
      by.write(file, what, at, 0, true);
      break;
    case flush::ring_dsync:
      by.write(file, what, at, RWF_DSYNC, false);
      break;
  }
}

struct times {
  std::vector<double> us;
  double cpu_us = 0;

  double at(double part) {
    std::sort(us.begin(), us.end());
    return us[static_cast<std::size_t>(part
                                       * static_cast<double>(us.size() - 1))];
  }
};

void measure(const std::array<int, ways.size()>& files, ring& by,
             const iovec& what) {
  std::array<times, ways.size()> all;
  std::size_t at = 0;
  for (int i = 0; i < groups_of_each; ++i) {
    for (std::size_t k = 0; k < ways.size(); ++k) {
      if (!by.is_there() && ways[k].how >= flush::linked)
        continue;
      const auto cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
      const auto since = seconds_of(CLOCK_MONOTONIC);
      make_durable(by, ways[k], files[k], what, at);
      all[k].us.push_back((seconds_of(CLOCK_MONOTONIC) - since) * 1e6);
      all[k].cpu_us += (seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu) * 1e6;
    }
    at = (at + what.iov_len) % (file_bytes - what.iov_len);
  }
  for (std::size_t k = 0; k < ways.size(); ++k)
    if (!all[k].us.empty())
      std::printf("%8zu  %-30s %8.0f %8.0f %8.1f\n", what.iov_len,
                  ways[k].name, all[k].at(0.5), all[k].at(0.99),
                  all[k].cpu_us / groups_of_each);
}

} // namespace

int main(int count, char** arguments) {
  const std::string folder = count > 1 ? arguments[1] : "/tmp";
  std::array<int, ways.size()> files{};
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    paths.push_back(folder + "/depositd-flush-benchmark-"
                    + std::to_string(getpid()) + "-" + std::to_string(i));
    files[i] = open_written(paths.back(), ways[i].direct);
  }
  for (const auto& path : paths)
    unlink(path.c_str());
  ring by;
  auto* pages = static_cast<char*>(std::aligned_alloc(page, 256 * 1024));
  std::memset(pages, 'x', 256 * 1024);
  std::printf("%8s  %-30s %8s %8s %8s\n", "bytes", "way", "us p50", "us p99",
              "us cpu");
  for (const std::size_t bytes : {4096, 16'384, 65'536, 262'144})
    measure(files, by, {pages, bytes});
  std::free(pages);
}
