#pragma once

// Inventories that were read lately: whoever reads an object file by file reads
// its inventory once, not once for each file.

#include "adapters/stores/objects/object_rules.hpp"

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace depositd::ocfl {

/// An inventory whose last version is found by path. Never changes.
class indexed_inventory {
public:
  explicit indexed_inventory(inventory x);
  indexed_inventory(const indexed_inventory&) = delete;
  indexed_inventory& operator=(const indexed_inventory&) = delete;

  const inventory& all() const {
    return all_;
  }

  /// As `ocfl::find_file`.
  caf::expected<kept_file> find_file(std::uint32_t number,
                                     const std::string& path) const;

  /// As `ocfl::version_with`.
  caf::expected<std::uint32_t> version_with(const stored_file& file) const;

private:
  const inventory all_;
  /// SHA-512 of each path of the last version; both are in `all_`.
  std::unordered_map<std::string_view, const std::string*> last_;
};

using inventory_ptr = std::shared_ptr<const indexed_inventory>;

/// They are known by the digest that stands beside an inventory, so what is
/// stored anew, or by another process, is never taken for what was there
/// before. May be used from several threads.
class known_inventories {
public:
  /// Of the texts of all that are kept, about: one that is larger is read each
  /// time. In memory they take some times as much.
  static constexpr std::size_t bytes_max = 64u * 1024 * 1024;

  static constexpr std::size_t count_max = 64;

  /// Null: it is not known.
  inventory_ptr find(const std::string& id, std::string_view sidecar);

  /// What to read from. It is kept if `sidecar` is its own, which whoever reads
  /// both has to see to; `bytes` is the length of its text.
  inventory_ptr keep(const std::string& id, std::string_view sidecar,
                     inventory x, std::size_t bytes);

  /// Where an object's inventory is read from.
  struct reading {
    std::string id;
    std::string where; ///< for people
    /// What stands beside the inventory; nothing if there is no such thing.
    std::optional<std::string> sidecar;
    std::function<caf::expected<std::string>()> text;
    std::function<caf::expected<inventory>()> load; ///< after a crash, too
  };

  /// The one that is known; else it is read, and kept if it is whole.
  /// `ec::not_found`: there is no such object.
  caf::expected<inventory_ptr> find_or_read(const reading& x);

private:
  struct entry {
    std::string key;
    std::size_t bytes = 0;
    inventory_ptr known;
  };

  std::mutex mutex_;
  std::list<entry> entries_; ///< used last first
  std::size_t bytes_ = 0;
};

} // namespace depositd::ocfl
