#pragma once

// What tests do to database files behind the adapter's back.

#include "messages/values/errors.hpp"
#include "tests/support/temporary_folder.hpp"

#include <sqlite3.h>

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace depositd {

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

inline void write_bytes(const std::filesystem::path& path,
                        const std::string& bytes) {
  std::ofstream out{path, std::ios::binary | std::ios::trunc};
  out << bytes;
}

inline std::filesystem::path log_of(std::filesystem::path path) {
  path += "-wal";
  return path;
}

/// Changes a database that nobody has open.
inline void run_sql(const std::filesystem::path& path, const char* sql) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr), SQLITE_OK)
    << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

/// While it lives, no file may grow beyond `bytes`: a full disk.
class full_disk {
public:
  explicit full_disk(std::uint64_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit_);
    auto lower = limit_;
    lower.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &lower);
  }

  full_disk(const full_disk&) = delete;
  full_disk& operator=(const full_disk&) = delete;

  ~full_disk() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, handler_);
  }

private:
  rlimit limit_{};
  void (*handler_)(int) = nullptr;
};

/// While it lives, this process cannot flush the file, which it has open, and
/// cannot write it either.
class unflushable {
public:
  explicit unflushable(const std::filesystem::path& file) {
    for (const auto& x : std::filesystem::directory_iterator{"/proc/self/fd"}) {
      std::error_code gone;
      if (std::filesystem::read_symlink(x, gone) == file)
        fd_ = std::stoi(x.path().filename().string());
    }
    EXPECT_GE(fd_, 0) << file << " is not open";
    kept_ = dup(fd_);
    const auto nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    EXPECT_EQ(dup2(nothing, fd_), fd_);
    close(nothing);
  }

  unflushable(const unflushable&) = delete;
  unflushable& operator=(const unflushable&) = delete;

  ~unflushable() {
    dup2(kept_, fd_);
    close(kept_);
  }

private:
  int fd_ = -1;
  int kept_ = -1;
};

/// The error says what kind it is and names the file.
inline void expect_refused(const caf::error& error, ec code,
                           const std::filesystem::path& path) {
  EXPECT_EQ(error, code) << render(error);
  EXPECT_NE(render(error).find(path.filename().string()), std::string::npos)
    << render(error);
}

} // namespace depositd
