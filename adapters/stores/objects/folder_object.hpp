#pragma once

// One object of a storage root, and the commit of a version.

#include "adapters/stores/objects/known_inventories.hpp"
#include "adapters/stores/objects/object_rules.hpp"
#include "adapters/stores/objects/version_files.hpp"

#include <filesystem>
#include <set>

namespace depositd::ocfl {

/// A version is put together in the root's folder for such work, under a name
/// that follows from the object, and then renamed. For a new object that is
/// all; of one that exists, the inventory is replaced last, and until then
/// readers see the version before.
class folder_object {
public:
  /// `known` outlives this.
  folder_object(disk& io, known_inventories& known,
                const std::filesystem::path& root, std::string id);

  caf::expected<put_result> put(const new_version& x);
  caf::expected<object_version> show(std::uint32_t version) const;
  caf::expected<std::uint32_t> version_with(const stored_file& file) const;
  /// Without a flush: whoever needs the copy after a power cut sees to that.
  caf::error get(std::uint32_t version, const std::string& path,
                 const std::filesystem::path& to) const;
  caf::error
  read(std::uint32_t version, const std::string& path,
       const std::function<caf::error(std::string_view)>& sink) const;
  caf::error verify(std::uint32_t version) const;
  caf::expected<std::uint64_t> mend(const std::vector<new_file>& files);
  caf::error remove();

private:
  template <class Result>
  Result without_rest(Result out) const;
  caf::expected<put_result> put_checked(const new_version& x);
  caf::expected<inventory> load() const;
  /// The same for those who only read; `ec::not_found` names the object.
  caf::expected<inventory_ptr> known() const;
  caf::expected<inventory> load_from(const std::filesystem::path& folder) const;
  caf::expected<version> copy_files(const new_version& x, inventory& into,
                                    const std::filesystem::path& content);
  caf::error write_folder(const inventory& x,
                          const std::filesystem::path& folder) const;
  caf::error commit_first(const inventory& x);
  caf::error commit_next(const inventory& x);
  caf::error put_again(const std::filesystem::path& source,
                       const kept_file& what);
  /// Makes what stands in these folders of the object durable.
  caf::error sync_folders(const std::set<std::filesystem::path>& all) const;

  disk& io_;
  known_inventories& known_;
  const std::string id_;
  const std::filesystem::path folder_;
  const std::filesystem::path work_; ///< what is unfinished of this object
};

} // namespace depositd::ocfl
