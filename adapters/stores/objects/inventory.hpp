#pragma once

// The inventory of an OCFL 1.1 object: what its versions consist of.

#include "messages/ports/storage_target.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::ocfl {

inline constexpr std::size_t inventory_bytes_max = 512u * 1024 * 1024;

/// Paths of each digest.
using path_map = std::map<std::string, std::vector<std::string>>;

struct version {
  std::string created; ///< ISO 8601 with a zone
  path_map state;      ///< logical paths
  std::string message;
  std::string user;
};

struct inventory {
  std::string id;
  path_map manifest; ///< paths below the object's folder
  std::vector<version> versions;

  std::uint32_t head() const {
    return static_cast<std::uint32_t>(versions.size());
  }
};

/// The document, in the same bytes for the same inventory.
std::string write_inventory(const inventory& x);

/// Reads what `write_inventory` or another program wrote with SHA-512 and
/// version names without zeros. `ec::store_damaged` says what is wrong.
caf::expected<inventory> read_inventory(std::string_view text);

/// "v3".
std::string version_name(std::uint32_t number);

/// Where an object is below the root, by the extension
/// 0004-hashed-n-tuple-storage-layout with its defaults: three folders of three
/// digits of the identifier's SHA-256, and all of it.
std::string object_folder(const std::string& id);

} // namespace depositd::ocfl
