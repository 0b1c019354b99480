#pragma once

// Deposits that nobody wrote for this project; read where they are, if they
// are there.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace depositd::testing {

/// Told by CTest; empty if nobody told.
inline std::filesystem::path real_deposits_folder() {
  const auto* shared = std::getenv("DEPOSITD_SHARED_DATA");
  return std::filesystem::path{shared ? shared : ""} / "crossref";
}

/// Name and bytes of each, by name; empty if there are none here.
inline std::vector<std::pair<std::string, std::string>> real_deposits() {
  std::vector<std::pair<std::string, std::string>> out;
  std::error_code absent;
  for (const auto& entry :
       std::filesystem::directory_iterator{real_deposits_folder(), absent}) {
    if (entry.path().extension() != ".xml")
      continue;
    std::ifstream file{entry.path(), std::ios::binary};
    out.emplace_back(entry.path().filename().string(),
                     std::string{std::istreambuf_iterator<char>{file}, {}});
  }
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace depositd::testing
