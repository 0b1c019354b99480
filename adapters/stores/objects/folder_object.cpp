#include "adapters/stores/objects/folder_object.hpp"

#include "adapters/stores/files/sha256.hpp"
#include "adapters/stores/objects/storage_root.hpp"
#include "messages/values/payload_paths.hpp"
#include "messages/values/time_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>

namespace depositd::ocfl {

namespace {

namespace fs = std::filesystem;

constexpr const char* inventory_name = "inventory.json";
constexpr const char* sidecar_name = "inventory.json.sha512";
constexpr std::size_t id_bytes_max = 2'048;

caf::error refused(const std::string& text) {
  return caf::make_error(ec::invalid_argument, text);
}

caf::error damaged(const fs::path& path, const std::string& reason) {
  return caf::make_error(ec::store_damaged, path.string() + " " + reason);
}

caf::error check_names(const new_version& x) {
  std::set<std::string> seen;
  std::set<std::string> folders;
  if (x.files.empty())
    return refused("a version has at least one file");
  for (const auto& file : x.files) {
    if (const auto fault = payload_path_fault(file.path); !fault.empty())
      return refused("the path \"" + file.path + "\" " + fault);
    if (!seen.insert(file.path).second)
      return refused("the path \"" + file.path + "\" is there twice");
    for (auto at = file.path.find('/'); at != file.path.npos;
         at = file.path.find('/', at + 1))
      folders.insert(file.path.substr(0, at));
  }
  for (const auto& path : seen)
    if (folders.contains(path))
      return refused("the path \"" + path + "\" is a file and a folder");
  return {};
}

caf::error remove_folder(const fs::path& folder) {
  std::error_code code;
  fs::remove_all(folder, code);
  return code ? file_failed("remove", folder, code.value()) : caf::error{};
}

caf::error rename_folder(disk& io, const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0)
    return file_failed("rename to", to, errno);
  return sync_folder(io, to.parent_path());
}

/// Folders without files, which an object must not have.
caf::error remove_empty(const fs::path& folder) {
  std::error_code code;
  std::vector<fs::path> inner;
  for (fs::directory_iterator at{folder, code}, end; !code && at != end;
       at.increment(code))
    if (at->is_directory())
      inner.push_back(at->path());
  for (const auto& each : inner)
    if (auto failure = remove_empty(each))
      return failure;
  if (!code && fs::is_empty(folder, code) && !code)
    fs::remove(folder, code);
  return code ? file_failed("list", folder, code.value()) : caf::error{};
}

/// Makes all names in a tree durable, the inner ones first.
caf::error sync_tree(disk& io, const fs::path& folder) {
  std::error_code code;
  for (fs::directory_iterator at{folder, code}, end; !code && at != end;
       at.increment(code))
    if (at->is_directory())
      if (auto failure = sync_tree(io, at->path()))
        return failure;
  return code ? file_failed("list", folder, code.value())
              : sync_folder(io, folder);
}

} // namespace

folder_object::folder_object(disk& io, const fs::path& root, std::string id)
  : io_(io), id_(std::move(id)), folder_(root / object_folder(id_)),
    work_(work_folder(root) / sha256_hex(id_)) {
  // nop
}

caf::expected<inventory>
folder_object::load_from(const fs::path& folder) const {
  auto text = read_file(folder / inventory_name);
  if (!text)
    return std::move(text.error());
  const auto sidecar = read_file(folder / sidecar_name);
  if (!sidecar)
    return damaged(folder, "has no digest of its inventory");
  if (sidecar->substr(0, 128) != sha512_hex(*text))
    return damaged(folder / inventory_name, "does not match its digest");
  auto out = read_inventory(*text);
  if (!out)
    return damaged(folder, render(out.error()));
  if (out->id != id_)
    return damaged(folder, "is of another object");
  return out;
}

/// A crash may have come between inventory and digest, or between the version
/// and both: what the last whole version says is true.
caf::expected<inventory> folder_object::load() const {
  auto out = load_from(folder_);
  if (out || out.error() == ec::not_found)
    return out;
  for (std::uint32_t number = 1;; ++number)
    if (!fs::exists(folder_ / version_name(number + 1))) {
      auto last = load_from(folder_ / version_name(number));
      return last && last->head() == number ? std::move(last) : std::move(out);
    }
}

caf::expected<version> folder_object::copy_files(const new_version& x,
                                                 inventory& into,
                                                 const fs::path& content) {
  version out;
  out.created = format_utc(std::max<micros>(x.created_us, 1));
  out.message = x.message;
  out.user = x.user;
  const auto prefix = version_name(into.head() + 1) + "/content/";
  for (const auto& file : x.files) {
    const auto to = content / file.path;
    std::error_code code;
    fs::create_directories(to.parent_path(), code);
    if (code)
      return file_failed("create", to.parent_path(), code.value());
    auto copied = read_all(io_, file.source, to);
    if (!copied)
      return std::move(copied.error());
    out.state[copied->sha512].push_back(file.path);
    // The same bytes are kept once in an object.
    auto& places = into.manifest[copied->sha512];
    if (places.empty())
      places.push_back(prefix + file.path);
    else if (fs::remove(to, code); code)
      return file_failed("remove", to, code.value());
  }
  for (auto& [digest, paths] : out.state)
    std::sort(paths.begin(), paths.end());
  return out;
}

caf::error folder_object::write_folder(const inventory& x,
                                       const fs::path& folder) const {
  const auto text = write_inventory(x);
  if (auto failure = replace_file(io_, folder / inventory_name, text))
    return failure;
  return replace_file(io_, folder / sidecar_name,
                      sha512_hex(text) + " " + inventory_name + "\n");
}

caf::expected<put_result> folder_object::put(const new_version& x) {
  if (id_.empty() || id_.size() > id_bytes_max)
    return refused("an identifier has 1 to 2048 bytes");
  if (auto failure = check_names(x))
    return failure;
  auto found = load();
  if (!found && found.error() != ec::not_found)
    return std::move(found.error());
  auto now = found ? std::move(*found) : inventory{.id = id_};
  if (auto failure = remove_folder(work_))
    return failure;
  const auto name = version_name(now.head() + 1);
  const auto content = work_ / name / "content";
  if (auto failure = make_folders(io_, content))
    return failure;
  auto next = now;
  auto made = copy_files(x, next, content);
  if (!made)
    return std::move(made.error());
  if (!now.versions.empty() && now.versions.back().state == made->state) {
    // What was put is there; a crash may have kept its inventory from the top.
    if (!load_from(folder_))
      if (auto failure = write_folder(now, folder_))
        return failure;
    if (auto failure = remove_folder(work_))
      return failure;
    return put_result{now.head(), false};
  }
  next.versions.push_back(std::move(*made));
  if (auto failure = remove_empty(content))
    return failure;
  if (auto failure = write_folder(next, work_ / name))
    return failure;
  if (auto failure =
        now.versions.empty() ? commit_first(next) : commit_next(next))
    return failure;
  return put_result{next.head(), true};
}

caf::error folder_object::commit_first(const inventory& x) {
  if (auto failure =
        replace_file(io_, work_ / "0=ocfl_object_1.1", "ocfl_object_1.1\n"))
    return failure;
  if (auto failure = write_folder(x, work_))
    return failure;
  if (auto failure = sync_tree(io_, work_))
    return failure;
  if (auto failure = make_folders(io_, folder_.parent_path()))
    return failure;
  return rename_folder(io_, work_, folder_);
}

caf::error folder_object::commit_next(const inventory& x) {
  const auto name = version_name(x.head());
  if (auto failure = sync_tree(io_, work_))
    return failure;
  // One that a crash left behind is in no inventory, or `load` had found it.
  if (auto failure = remove_folder(folder_ / name))
    return failure;
  if (auto failure = rename_folder(io_, work_ / name, folder_ / name))
    return failure;
  if (auto failure = write_folder(x, folder_))
    return failure;
  return remove_folder(work_);
}

caf::expected<object_version> folder_object::show(std::uint32_t version) const {
  auto found = load();
  if (!found && found.error() == ec::not_found)
    return caf::make_error(ec::not_found, "there is no object " + id_);
  if (!found)
    return std::move(found.error());
  const auto number = version == 0 ? found->head() : version;
  if (number > found->head())
    return caf::make_error(ec::not_found,
                           id_ + " has no version " + std::to_string(number));
  const auto& from = found->versions[number - 1];
  const auto created = parse_utc(from.created);
  object_version out{
    number, created ? *created : never, from.message, from.user, {}};
  for (const auto& [digest, paths] : from.state) {
    std::error_code code;
    const auto place = folder_ / found->manifest.at(digest).front();
    const auto bytes = fs::file_size(place, code);
    if (code)
      return damaged(place, "is not there");
    for (const auto& path : paths)
      out.files.push_back({path, bytes, digest});
  }
  std::sort(out.files.begin(), out.files.end(),
            [](const auto& x, const auto& y) { return x.path < y.path; });
  return out;
}

caf::error folder_object::get(std::uint32_t version, const std::string& path,
                              const fs::path& to) const {
  auto shown = show(version);
  if (!shown)
    return std::move(shown.error());
  const auto file = std::find_if(shown->files.begin(), shown->files.end(),
                                 [&](const auto& x) { return x.path == path; });
  if (file == shown->files.end())
    return caf::make_error(ec::not_found,
                           id_ + " has no file \"" + path + "\"");
  const auto found = load();
  if (!found)
    return found.error();
  const auto place = folder_ / found->manifest.at(file->sha512).front();
  auto copied = read_all(io_, place, to);
  if (!copied)
    return std::move(copied.error());
  if (copied->sha512 == file->sha512)
    return {};
  std::error_code ignored;
  fs::remove(to, ignored);
  return damaged(place, "does not match its digest");
}

caf::error folder_object::verify() const {
  auto found = load_from(folder_);
  if (!found && found.error() == ec::not_found)
    return caf::make_error(ec::not_found, "there is no object " + id_);
  if (!found)
    return std::move(found.error());
  for (const auto& [digest, places] : found->manifest)
    for (const auto& place : places) {
      const auto path = folder_ / place;
      const auto read = read_all(io_, path);
      if (!read)
        return damaged(path, "cannot be read: " + render(read.error()));
      if (read->sha512 != digest)
        return damaged(path, "does not match its digest");
    }
  return {};
}

caf::error folder_object::remove() {
  if (!fs::exists(folder_))
    return {};
  if (auto failure = remove_folder(work_))
    return failure;
  // First out of sight, as a whole.
  if (auto failure = rename_folder(io_, folder_, work_))
    return failure;
  return remove_folder(work_);
}

} // namespace depositd::ocfl
