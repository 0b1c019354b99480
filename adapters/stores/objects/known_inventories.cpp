#include "adapters/stores/objects/known_inventories.hpp"

#include <utility>

namespace depositd::ocfl {

namespace {

constexpr std::size_t sha512_digits = 128;

std::string key_of(const std::string& id, std::string_view sidecar) {
  return std::string{sidecar.substr(0, sha512_digits)} + " " + id;
}

} // namespace

indexed_inventory::indexed_inventory(inventory x) : all_(std::move(x)) {
  if (all_.versions.empty())
    return;
  for (const auto& [sha512, paths] : all_.versions.back().state)
    for (const auto& path : paths)
      last_.emplace(path, &sha512);
}

caf::expected<kept_file>
indexed_inventory::find_file(std::uint32_t number,
                             const std::string& path) const {
  if (number == 0 || number == all_.head())
    if (const auto at = last_.find(path); at != last_.end())
      return kept_file{all_.manifest.at(*at->second).front(), *at->second};
  return ocfl::find_file(all_, number, path);
}

caf::expected<std::uint32_t>
indexed_inventory::version_with(const stored_file& file) const {
  const auto at = last_.find(file.path);
  if (at != last_.end() && *at->second == file.sha512)
    return all_.head();
  return ocfl::version_with(all_, file);
}

inventory_ptr known_inventories::find(const std::string& id,
                                      std::string_view sidecar) {
  const auto key = key_of(id, sidecar);
  const std::lock_guard guard{mutex_};
  for (auto at = entries_.begin(); at != entries_.end(); ++at)
    if (at->key == key) {
      entries_.splice(entries_.begin(), entries_, at);
      return entries_.front().known;
    }
  return nullptr;
}

inventory_ptr known_inventories::keep(const std::string& id,
                                      std::string_view sidecar, inventory x,
                                      std::size_t bytes) {
  auto out = std::make_shared<const indexed_inventory>(std::move(x));
  if (sidecar.size() < sha512_digits || bytes > bytes_max)
    return out;
  const std::lock_guard guard{mutex_};
  entries_.push_front({key_of(id, sidecar), bytes, out});
  bytes_ += bytes;
  // Small ones count as well: looking through them takes time.
  while (bytes_ > bytes_max || entries_.size() > count_max) {
    bytes_ -= entries_.back().bytes;
    entries_.pop_back();
  }
  return out;
}

caf::expected<inventory_ptr> known_inventories::find_or_read(const reading& x) {
  if (x.sidecar) {
    if (auto found = find(x.id, *x.sidecar))
      return found;
    if (const auto text = x.text())
      if (auto whole = read_checked(x.id, x.where, *text, *x.sidecar))
        return keep(x.id, *x.sidecar, std::move(*whole), text->size());
  }
  auto found = x.load();
  if (!found && found.error() == ec::not_found)
    return no_object(x.id);
  if (!found)
    return std::move(found.error());
  return keep(x.id, {}, std::move(*found), 0);
}

} // namespace depositd::ocfl
