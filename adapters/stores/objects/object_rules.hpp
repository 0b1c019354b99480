#pragma once

// What makes an OCFL object, wherever it is kept.

#include "adapters/stores/objects/inventory.hpp"

#include <functional>
#include <set>
#include <vector>

namespace depositd::ocfl {

inline constexpr const char* inventory_name = "inventory.json";
inline constexpr const char* sidecar_name = "inventory.json.sha512";
inline constexpr const char* object_declaration = "0=ocfl_object_1.1";
inline constexpr const char* object_declared = "ocfl_object_1.1\n";

/// `ec::invalid_argument` for an identifier or paths that cannot be kept.
caf::error check_version(const new_version& x);

/// The inventory if it is whole and of that object; `ec::store_damaged` begins
/// with `folder`, which is where it is.
caf::expected<inventory> read_checked(const std::string& id,
                                      const std::string& folder,
                                      std::string_view text,
                                      std::string_view sidecar);

/// What stands beside an inventory.
std::string write_sidecar(std::string_view inventory_text);

/// A version without its files.
version begin_version(const new_version& x);

/// Adds a file to the version that comes next. The place below the object where
/// its bytes must be put; none: the object has them already.
std::optional<std::string> add_file(inventory& into, version& next,
                                    const std::string& path,
                                    const std::string& sha512);

/// Puts paths in order, once all files are there.
void finish_version(version& x);

/// A version as it is asked for; 0: the last. `bytes_of` says how large a place
/// is. `ec::not_found`.
caf::expected<object_version> show_version(
  const inventory& x, std::uint32_t number,
  const std::function<caf::expected<std::uint64_t>(const std::string&)>&
    bytes_of);

struct kept_file {
  std::string place; ///< below the object
  std::string sha512;
};

/// Where a file of a version is. `ec::not_found`.
caf::expected<kept_file> find_file(const inventory& x, std::uint32_t number,
                                   const std::string& path);

/// Where all is that the path has ever stood for, each once.
std::set<std::string> places_of(const inventory& x, const std::string& path);

/// The last version that has the path with these bytes. `ec::store_damaged`.
caf::expected<std::uint32_t> version_with(const inventory& x,
                                          const stored_file& file);

/// What a version consists of, each content once; 0: every version.
/// `ec::not_found`.
caf::expected<std::vector<kept_file>> contents_of(const inventory& x,
                                                  std::uint32_t number);

/// Puts those of the files' bytes anew that the object has, and of which a
/// place keeps others or nothing. `digest_at` gives the SHA-512 of a place, or
/// `ec::not_found`. How many places were mended.
caf::expected<std::uint64_t> mend_files(
  const inventory& x, const std::vector<new_file>& files,
  const std::function<caf::expected<std::string>(const std::string&)>&
    digest_at,
  const std::function<caf::error(const std::filesystem::path& source,
                                 const kept_file&)>& put_again);

/// `ec::store_damaged` about a file or folder.
caf::error damaged(const std::string& where, const std::string& reason);

caf::error no_object(const std::string& id);

/// What was read of an object; where there is none, the error names it.
caf::expected<inventory> of_object(const std::string& id,
                                   caf::expected<inventory> found);

/// That nothing is where bytes should be.
caf::error no_place(const std::string& place);

} // namespace depositd::ocfl
