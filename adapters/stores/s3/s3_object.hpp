#pragma once

// One object below a prefix of a bucket, and the commit of a version.

#include "adapters/stores/objects/known_inventories.hpp"
#include "adapters/stores/s3/client.hpp"

namespace depositd::s3 {

/// Nothing can be renamed here, and what is put under one key is there at once
/// or not at all. So a version's content comes first, then its inventory, and
/// the object's inventory last: that one makes it true. What a version that
/// never became true has left is removed by the next one.
class s3_object {
public:
  /// `known` outlives this.
  s3_object(client& bucket, ocfl::known_inventories& known, std::string id);

  caf::expected<put_result> put(const new_version& x);
  caf::expected<object_version> show(std::uint32_t version) const;
  caf::expected<std::uint32_t> version_with(const stored_file& file) const;
  caf::error get(std::uint32_t version, const std::string& path,
                 const std::filesystem::path& to) const;
  caf::error
  read(std::uint32_t version, const std::string& path,
       const std::function<caf::error(std::string_view)>& sink) const;
  caf::expected<recall> bring_back(const std::string& path,
                                   std::uint32_t days) const;
  caf::error verify(std::uint32_t version) const;
  caf::expected<std::uint64_t> mend(const std::vector<new_file>& files) const;
  caf::error remove();

private:
  /// A file whose bytes the object does not have yet.
  struct unsent_file {
    std::filesystem::path source;
    std::string place; ///< below the object
    std::string sha512;
  };

  /// What is true, and in how many bytes the bucket says it.
  struct told_inventory {
    ocfl::inventory inventory;
    std::uint64_t bytes = 0;
  };

  /// `ec::not_found`.
  caf::expected<told_inventory> find() const;

  /// The same without its size.
  caf::expected<ocfl::inventory> load() const;

  /// The same for those who only read.
  caf::expected<ocfl::inventory_ptr> known() const;

  /// The same if all files are as another program wants them.
  caf::expected<ocfl::inventory> load_strictly() const;

  /// Reads all sources, and adds the version to the inventory.
  caf::expected<std::vector<unsent_file>> plan(const new_version& x,
                                               ocfl::inventory& into) const;
  caf::error send(const unsent_file& x) const;
  caf::expected<put_result> complete(const ocfl::inventory& known) const;
  caf::error remove_leftovers(const told_inventory& known) const;
  caf::error put_inventory(const std::string& text, const std::string& at,
                           bool sidecar_first) const;

  std::string key(const std::string& path) const {
    return folder_ + "/" + path;
  }

  std::string title(const std::string& path) const {
    return bucket_.title(key(path));
  }

  client& bucket_;
  ocfl::known_inventories& known_;
  const std::string id_;
  const std::string folder_;
};

} // namespace depositd::s3
