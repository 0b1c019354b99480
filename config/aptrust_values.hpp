#pragma once

// APTrust's part of the settings.

#include "config/place_settings.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace depositd {

enum class receiving_kind : std::uint8_t { folder, s3 };

/// Where an institution puts its bags.
struct receiving_settings {
  receiving_kind kind = receiving_kind::folder;
  std::string path; ///< folder
  s3_settings s3;
  std::string user;               ///< the institution; empty: the name
  std::string collection;         ///< empty: the name
  std::uint32_t interval_s = 180; ///< between two looks

  friend bool operator==(const receiving_settings&,
                         const receiving_settings&) = default;
};

struct aptrust_settings {
  std::map<std::string, receiving_settings> receiving; ///< by name
  /// How long bags that are not valid stay there; 0: for good.
  std::uint32_t invalid_retention_days = 14;
  std::string profiles;  ///< folder of more BagIt profiles than are shipped
  std::string profile;   ///< of bags that name none; empty: they need none
  std::string siegfried; ///< program; empty: PRONOM's ids are not looked for

  friend bool operator==(const aptrust_settings&,
                         const aptrust_settings&) = default;
};

} // namespace depositd
