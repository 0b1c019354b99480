#pragma once

// One object of a storage root, and the commit of a version.

#include "adapters/stores/objects/inventory.hpp"
#include "adapters/stores/objects/version_files.hpp"

#include <filesystem>

namespace depositd::ocfl {

/// A version is put together in the root's folder for such work, under a name
/// that follows from the object, and then renamed. For a new object that is
/// all; of one that exists, the inventory is replaced last, and until then
/// readers see the version before.
class folder_object {
public:
  folder_object(disk& io, const std::filesystem::path& root, std::string id);

  caf::expected<put_result> put(const new_version& x);
  caf::expected<object_version> show(std::uint32_t version) const;
  caf::error get(std::uint32_t version, const std::string& path,
                 const std::filesystem::path& to) const;
  caf::error
  read(std::uint32_t version, const std::string& path,
       const std::function<caf::error(std::string_view)>& sink) const;
  caf::error verify() const;
  caf::error remove();

private:
  caf::expected<inventory> load() const;
  caf::expected<inventory> load_from(const std::filesystem::path& folder) const;
  caf::expected<version> copy_files(const new_version& x, inventory& into,
                                    const std::filesystem::path& content);
  caf::error write_folder(const inventory& x,
                          const std::filesystem::path& folder) const;
  caf::error commit_first(const inventory& x);
  caf::error commit_next(const inventory& x);

  disk& io_;
  const std::string id_;
  const std::filesystem::path folder_;
  const std::filesystem::path work_; ///< what is unfinished of this object
};

} // namespace depositd::ocfl
