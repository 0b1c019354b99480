#pragma once

// A folder of its own for a test, gone with it.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include <unistd.h>

namespace depositd {

class temporary_folder {
public:
  temporary_folder()
    : temporary_folder(std::filesystem::temp_directory_path()) {
    // nop
  }

  explicit temporary_folder(const std::filesystem::path& base) {
    auto name = (base / "depositd-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("cannot make " + name);
    path_ = name;
  }

  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  /// Where files are in memory if the machine has such a place: for tests that
  /// make very many and do not care what a disk does.
  static std::filesystem::path fast_base() {
    const std::filesystem::path memory = "/dev/shm";
    return ::access(memory.c_str(), W_OK) == 0
             ? memory
             : std::filesystem::temp_directory_path();
  }

  const std::filesystem::path& path() const {
    return path_;
  }

private:
  std::filesystem::path path_;
};

} // namespace depositd
