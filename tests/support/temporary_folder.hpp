#pragma once

// A folder of its own for a test, gone with it.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace depositd {

class temporary_folder {
public:
  temporary_folder() {
    auto name
      = (std::filesystem::temp_directory_path() / "depositd-XXXXXX").string();
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

  const std::filesystem::path& path() const {
    return path_;
  }

private:
  std::filesystem::path path_;
};

} // namespace depositd
