#include "adapters/stores/s3/s3_object.hpp"

#include "adapters/digests/digester.hpp"
#include "adapters/stores/objects/version_files.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace depositd::s3 {

namespace {

using namespace ocfl;
using ocfl::inventory; // not the port

constexpr std::size_t entries_max = 1'000'000;
constexpr std::size_t sidecar_bytes_max = 1'024;

/// Its SHA-512.
caf::expected<std::string> digest_of(client& bucket, const std::string& key) {
  digester sum{digest_algorithm::sha512};
  if (auto failure = bucket.read(key, [&](std::string_view bytes) {
        sum.add(bytes);
        return caf::error{};
      }))
    return failure;
  return sum.finish().value;
}

} // namespace

s3_object::s3_object(client& bucket, known_inventories& known, std::string id)
  : bucket_(bucket), known_(known), id_(std::move(id)),
    folder_(object_folder(id_)) {
  // nop
}

/// The object's digest of its inventory may be of another version, if a crash
/// came between the two. The version's own was there before either.
caf::expected<s3_object::told_inventory> s3_object::find() const {
  const auto text = bucket_.get(key(inventory_name), inventory_bytes_max);
  if (!text)
    return text.error();
  auto sidecar = bucket_.get(key(sidecar_name), sidecar_bytes_max);
  if (!sidecar && sidecar.error() != ec::not_found)
    return std::move(sidecar.error());
  const auto folder = bucket_.title(folder_);
  if (sidecar)
    if (auto out = read_checked(id_, folder, *text, *sidecar))
      return told_inventory{std::move(*out), text->size()};
  const auto claimed = read_inventory(*text);
  if (!claimed)
    return damaged(folder, render(claimed.error()));
  const auto place = version_name(claimed->head()) + "/" + sidecar_name;
  sidecar = bucket_.get(key(place), sidecar_bytes_max);
  if (!sidecar && sidecar.error() == ec::not_found)
    return damaged(folder, "has no digest of its inventory");
  if (!sidecar)
    return std::move(sidecar.error());
  auto out = read_checked(id_, folder, *text, *sidecar);
  if (!out)
    return std::move(out.error());
  return told_inventory{std::move(*out), text->size()};
}

caf::expected<inventory> s3_object::load() const {
  auto out = find();
  if (!out)
    return std::move(out.error());
  return std::move(out->inventory);
}

caf::expected<inventory_ptr> s3_object::known() const {
  auto sidecar = bucket_.get(key(sidecar_name), sidecar_bytes_max);
  if (!sidecar && sidecar.error() != ec::not_found)
    return std::move(sidecar.error());
  return known_.find_or_read(
    {id_, bucket_.title(folder_),
     sidecar ? std::optional{std::move(*sidecar)} : std::nullopt,
     [this] { return bucket_.get(key(inventory_name), inventory_bytes_max); },
     [this] { return load(); }});
}

caf::expected<std::uint32_t>
s3_object::version_with(const stored_file& file) const {
  const auto found = known();
  if (!found)
    return found.error();
  return (*found)->version_with(file);
}

caf::expected<inventory> s3_object::load_strictly() const {
  const auto text = bucket_.get(key(inventory_name), inventory_bytes_max);
  if (!text)
    return text.error();
  const auto sidecar = bucket_.get(key(sidecar_name), sidecar_bytes_max);
  if (!sidecar && sidecar.error() == ec::not_found)
    return damaged(bucket_.title(folder_), "has no digest of its inventory");
  if (!sidecar)
    return sidecar.error();
  return read_checked(id_, bucket_.title(folder_), *text, *sidecar);
}

/// Whatever is there that no version has: of one that never became true, or of
/// an object that was removed in part.
caf::error s3_object::remove_leftovers(const told_inventory& told) const {
  const auto& known = told.inventory;
  std::set<std::string> kept{key(object_declaration), key(inventory_name),
                             key(sidecar_name)};
  for (std::uint32_t number = 1; number <= known.head(); ++number)
    for (const auto* name : {inventory_name, sidecar_name})
      kept.insert(key(version_name(number) + "/" + name));
  for (const auto& [digest, places] : known.manifest)
    for (const auto& place : places)
      kept.insert(key(place));
  const auto found = bucket_.list(key(""), entries_max);
  if (!found)
    return found.error();
  // Read from a server that is behind, a version would be taken for leftovers.
  for (const auto& entry : *found)
    if (entry.key == key(inventory_name) && entry.bytes != told.bytes)
      return caf::make_error(ec::store_failed,
                             title(inventory_name)
                               + " is listed with other bytes than were read");
  for (const auto& entry : *found)
    if (!kept.contains(entry.key))
      if (auto failure = bucket_.remove(entry.key))
        return failure;
  return {};
}

caf::expected<std::vector<s3_object::unsent_file>>
s3_object::plan(const new_version& x, inventory& into) const {
  std::vector<unsent_file> out;
  auto made = begin_version(x);
  for (const auto& file : x.files) {
    const auto read = read_all(system_disk(), file.source);
    if (!read)
      return read.error();
    if (auto place = add_file(into, made, file.path, read->sha512))
      out.push_back({file.source, std::move(*place), read->sha512});
  }
  finish_version(made);
  into.versions.push_back(std::move(made));
  return out;
}

caf::error s3_object::send(const unsent_file& x) const {
  digester sum{digest_algorithm::sha512};
  if (auto failure =
        bucket_.put_file(key(x.place), x.source,
                         [&](std::string_view bytes) { sum.add(bytes); }))
    return failure;
  return sum.finish().value == x.sha512
           ? caf::error{}
           : caf::make_error(ec::store_failed,
                             x.source.string()
                               + " changed while it was stored");
}

caf::error s3_object::put_inventory(const std::string& text,
                                    const std::string& at,
                                    bool sidecar_first) const {
  const auto sidecar = write_sidecar(text);
  const auto put_sidecar = [&] {
    return bucket_.put(key(at + sidecar_name), sidecar);
  };
  if (sidecar_first)
    if (auto failure = put_sidecar())
      return failure;
  if (auto failure = bucket_.put(key(at + inventory_name), text))
    return failure;
  return sidecar_first ? caf::error{} : put_sidecar();
}

/// What was put is there; a crash may have come before its last file.
caf::expected<put_result>
s3_object::complete(const inventory& known) const {
  if (!load_strictly())
    if (auto failure = put_inventory(write_inventory(known), "", true))
      return failure;
  return put_result{known.head(), false};
}

caf::expected<put_result> s3_object::put(const new_version& x) {
  if (auto failure = check_version(x))
    return failure;
  auto found = find();
  if (!found && found.error() != ec::not_found)
    return std::move(found.error());
  const auto told = found ? std::move(*found) : told_inventory{{.id = id_}};
  const auto& known = told.inventory;
  auto next = known;
  const auto unsent = plan(x, next);
  if (!unsent)
    return unsent.error();
  if (!known.versions.empty()
      && known.versions.back().state == next.versions.back().state)
    return complete(known);
  if (auto failure = remove_leftovers(told))
    return failure;
  if (known.versions.empty())
    if (auto failure = bucket_.put(key(object_declaration), object_declared))
      return failure;
  for (const auto& file : *unsent)
    if (auto failure = send(file))
      return failure;
  const auto text = write_inventory(next);
  if (auto failure =
        put_inventory(text, version_name(next.head()) + "/", false))
    return failure;
  // The commit.
  if (auto failure = put_inventory(text, "", true))
    return failure;
  return put_result{next.head(), true};
}

caf::expected<object_version> s3_object::show(std::uint32_t version) const {
  const auto found = of_object(id_, load());
  if (!found)
    return found.error();
  const auto all = bucket_.list(key(""), entries_max);
  if (!all)
    return all.error();
  std::map<std::string, std::uint64_t> sizes;
  for (const auto& entry : *all)
    sizes.emplace(entry.key, entry.bytes);
  return show_version(
    *found, version,
    [&](const std::string& place) -> caf::expected<std::uint64_t> {
      const auto size = sizes.find(key(place));
      if (size == sizes.end())
        return damaged(title(place), "is not there");
      return size->second;
    });
}

caf::error s3_object::get(std::uint32_t version, const std::string& path,
                          const std::filesystem::path& to) const {
  const auto found = known();
  if (!found)
    return found.error();
  const auto file = (*found)->find_file(version, path);
  if (!file)
    return file.error();
  digester sum{digest_algorithm::sha512};
  auto failure = bucket_.get_file(
    key(file->place), to, [&](std::string_view bytes) { sum.add(bytes); });
  if (failure == ec::not_found)
    return damaged(title(file->place), "is not there");
  if (failure)
    return failure;
  if (sum.finish().value == file->sha512)
    return {};
  std::error_code ignored;
  std::filesystem::remove(to, ignored);
  return damaged(title(file->place), "does not match its digest");
}

caf::error
s3_object::read(std::uint32_t version, const std::string& path,
                const std::function<caf::error(std::string_view)>& sink) const {
  const auto found = known();
  if (!found)
    return found.error();
  const auto file = (*found)->find_file(version, path);
  if (!file)
    return file.error();
  auto failure = bucket_.read(key(file->place), sink);
  return failure == ec::not_found ? damaged(title(file->place), "is not there")
                                  : failure;
}

/// Inventories may be as far away as what they speak of, so they come first.
caf::expected<recall> s3_object::bring_back(const std::string& path,
                                            std::uint32_t days) const {
  auto out = recall::at_hand;
  const auto bring = [&](const std::string& whole) -> caf::error {
    const auto how = bucket_.recall_key(whole, days);
    if (!how)
      return how.error();
    // The least that can be said of any of them.
    out = std::max(out, *how);
    return {};
  };
  if (path.empty()) {
    std::size_t count = 0;
    auto failure = bucket_.each(folder_ + "/", [&](const listed& x) {
      ++count;
      return bring(x.key);
    });
    if (failure)
      return failure;
    if (count == 0)
      return no_object(id_);
    return out;
  }
  for (const auto* name : {inventory_name, sidecar_name})
    if (auto failure = bring(key(name)))
      return failure == ec::not_found ? no_object(id_) : failure;
  if (out != recall::at_hand)
    return out;
  const auto found = load();
  if (!found)
    return found.error();
  const auto places = places_of(*found, path);
  if (places.empty())
    return caf::make_error(ec::not_found,
                           id_ + " has no file \"" + path + "\"");
  for (const auto& place : places)
    if (auto failure = bring(key(place)))
      return failure;
  return out;
}

caf::error s3_object::verify(std::uint32_t version) const {
  const auto found = of_object(id_, load_strictly());
  if (!found)
    return found.error();
  const auto contents = contents_of(*found, version);
  if (!contents)
    return contents.error();
  for (const auto& [place, digest] : *contents) {
    const auto sha512 = digest_of(bucket_, key(place));
    if (!sha512 && sha512.error() != ec::not_found)
      return sha512.error();
    if (!sha512)
      return damaged(title(place), "is not there");
    if (*sha512 != digest)
      return damaged(title(place), "does not match its digest");
  }
  return {};
}

caf::expected<std::uint64_t>
s3_object::mend(const std::vector<new_file>& files) const {
  const auto found = of_object(id_, load());
  if (!found)
    return found.error();
  return mend_files(
    *found, files,
    [this](const std::string& place) { return digest_of(bucket_, key(place)); },
    [this](const std::filesystem::path& source, const kept_file& what) {
      return send({source, what.place, what.sha512});
    });
}

caf::error s3_object::remove() {
  // First out of sight.
  if (auto failure = bucket_.remove(key(inventory_name)))
    return failure;
  const auto found = bucket_.list(key(""), entries_max);
  if (!found)
    return found.error();
  for (const auto& entry : *found)
    if (auto failure = bucket_.remove(entry.key))
      return failure;
  // It may have listed less than there is, or have given something back.
  const auto left = bucket_.first(key(""), 1);
  if (!left)
    return left.error();
  return left->empty() ? caf::error{}
                       : caf::make_error(ec::store_failed,
                                         bucket_.title(left->front().key)
                                           + " is there after its removal");
}

} // namespace depositd::s3
