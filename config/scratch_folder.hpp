#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <stdlib.h>

namespace depositd {

/// Where what is kept for a moment lies: as TMPDIR says, also if that is not
/// there. Whoever makes something in it learns of that.
inline std::filesystem::path temporary_place() {
  std::error_code absent;
  auto out = std::filesystem::temp_directory_path(absent);
  if (!absent)
    return out;
  const char* named = std::getenv("TMPDIR");
  return named != nullptr ? named : P_tmpdir;
}

/// A folder for copies, made in another one; what is in it goes with it.
class scratch_folder {
public:
  explicit scratch_folder(const std::filesystem::path& base) {
    auto name = (base / "depositd-check-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr)
      path_ = name;
  }

  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  ~scratch_folder() {
    std::error_code ignored;
    if (!path_.empty())
      std::filesystem::remove_all(path_, ignored);
  }

  /// Empty if there is none.
  const std::filesystem::path& path() const {
    return path_;
  }

private:
  std::filesystem::path path_;
};

} // namespace depositd
