#include "adapters/stores/objects/folder_object.hpp"

#include "adapters/stores/files/sha256.hpp"
#include "adapters/stores/objects/object_rules.hpp"
#include "adapters/stores/objects/storage_root.hpp"
#include "messages/values/test_points.hpp"

#include <cerrno>
#include <cstdio>
#include <set>

#include <fcntl.h>

namespace depositd::ocfl {

namespace {

namespace fs = std::filesystem;

/// From here on one flush of all that is on the file system, of others as well,
/// takes less time than one of each file.
constexpr std::size_t files_flushed_together = 200;

caf::error remove_folder(const fs::path& folder) {
  std::error_code code;
  fs::remove_all(folder, code);
  return code ? file_failed("remove", folder, code.value()) : caf::error{};
}

caf::error rename_durably(disk& io, const fs::path& from, const fs::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0)
    return file_failed("rename to", to, errno);
  crash_point("object_unnamed");
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

folder_object::folder_object(disk& io, known_inventories& known,
                             const fs::path& root, std::string id)
  : io_(io), known_(known), id_(std::move(id)),
    folder_(root / object_folder(id_)),
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
  return read_checked(id_, folder, *text, *sidecar);
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

caf::expected<inventory_ptr> folder_object::known() const {
  auto sidecar = read_file(folder_ / sidecar_name);
  return known_.find_or_read(
    {id_, folder_.string(),
     sidecar ? std::optional{std::move(*sidecar)} : std::nullopt,
     [this] { return read_file(folder_ / inventory_name); },
     [this] { return load(); }});
}

caf::expected<std::uint32_t>
folder_object::version_with(const stored_file& file) const {
  const auto found = known();
  if (!found)
    return found.error();
  return (*found)->version_with(file);
}

caf::expected<version> folder_object::copy_files(const new_version& x,
                                                 inventory& into,
                                                 const fs::path& content) {
  auto out = begin_version(x);
  const bool together = x.files.size() >= files_flushed_together;
  const auto all = open_file(content, O_RDONLY | O_DIRECTORY);
  if (!all)
    return all.error();
  for (const auto& file : x.files) {
    const auto to = content / file.path;
    std::error_code code;
    fs::create_directories(to.parent_path(), code);
    if (code)
      return file_failed("create", to.parent_path(), code.value());
    auto copied =
      read_all(io_, file.source, to,
               together ? flushed::by_the_caller : flushed::with_the_file);
    if (!copied)
      return std::move(copied.error());
    if (!add_file(into, out, file.path, copied->sha512)) {
      fs::remove(to, code);
      if (code)
        return file_failed("remove", to, code.value());
    }
  }
  crash_point("version_unflushed");
  if (together)
    if (const auto code = io_.sync_all(all->value()))
      return file_failed("sync", content, code);
  finish_version(out);
  return out;
}

caf::error folder_object::write_folder(const inventory& x,
                                       const fs::path& folder) const {
  const auto text = write_inventory(x);
  if (auto failure = replace_file(io_, folder / inventory_name, text))
    return failure;
  return replace_file(io_, folder / sidecar_name, write_sidecar(text));
}

/// Removes what a failure has left, if that goes: others need the disk.
template <class Result>
Result folder_object::without_rest(Result out) const {
  if (!out) {
    std::error_code ignored;
    fs::remove_all(work_, ignored);
  }
  return out;
}

caf::expected<put_result> folder_object::put(const new_version& x) {
  if (auto failure = check_version(x))
    return failure;
  return without_rest(put_checked(x));
}

caf::expected<put_result> folder_object::put_checked(const new_version& x) {
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
    // Whoever has put it may have failed, or died, before its names were
    // flushed.
    if (auto failure = sync_folder(io_, folder_))
      return failure;
    if (auto failure = sync_folder(io_, folder_.parent_path()))
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
        replace_file(io_, work_ / object_declaration, object_declared))
    return failure;
  if (auto failure = write_folder(x, work_))
    return failure;
  if (auto failure = sync_tree(io_, work_))
    return failure;
  if (auto failure = make_folders(io_, folder_.parent_path()))
    return failure;
  return rename_durably(io_, work_, folder_);
}

caf::error folder_object::commit_next(const inventory& x) {
  const auto name = version_name(x.head());
  if (auto failure = sync_tree(io_, work_))
    return failure;
  // One that a crash left behind is in no inventory, or `load` had found it.
  if (auto failure = remove_folder(folder_ / name))
    return failure;
  if (auto failure = rename_durably(io_, work_ / name, folder_ / name))
    return failure;
  if (auto failure = write_folder(x, folder_))
    return failure;
  return remove_folder(work_);
}

caf::expected<object_version> folder_object::show(std::uint32_t version) const {
  auto found = of_object(id_, load());
  if (!found)
    return std::move(found.error());
  return show_version(
    *found, version,
    [this](const std::string& place) -> caf::expected<std::uint64_t> {
      std::error_code code;
      const auto bytes = fs::file_size(folder_ / place, code);
      if (code == std::errc::no_such_file_or_directory
          || code == std::errc::not_a_directory)
        return damaged(folder_ / place, "is not there");
      if (code)
        return file_failed("look at", folder_ / place, code.value());
      return bytes;
    });
}

caf::error folder_object::get(std::uint32_t version, const std::string& path,
                              const fs::path& to) const {
  const auto found = known();
  if (!found)
    return found.error();
  const auto file = (*found)->find_file(version, path);
  if (!file)
    return file.error();
  const auto place = folder_ / file->place;
  auto copied = read_all(io_, place, to, flushed::by_the_caller);
  if (!copied)
    return std::move(copied.error());
  if (copied->sha512 == file->sha512)
    return {};
  std::error_code ignored;
  fs::remove(to, ignored);
  return damaged(place, "does not match its digest");
}

caf::error folder_object::read(
  std::uint32_t version, const std::string& path,
  const std::function<caf::error(std::string_view)>& sink) const {
  const auto found = known();
  if (!found)
    return found.error();
  const auto file = (*found)->find_file(version, path);
  if (!file)
    return file.error();
  const auto place = folder_ / file->place;
  std::error_code unknown;
  if (!fs::exists(place, unknown) && !unknown)
    return damaged(place, "is not there");
  return give_all(place, sink);
}

caf::error folder_object::verify(std::uint32_t version) const {
  auto found = of_object(id_, load_from(folder_));
  if (!found)
    return std::move(found.error());
  const auto contents = contents_of(*found, version);
  if (!contents)
    return contents.error();
  for (const auto& [place, digest] : *contents) {
    const auto path = folder_ / place;
    const auto read = read_all(io_, path);
    if (!read)
      return damaged(path, "cannot be read: " + render(read.error()));
    if (read->sha512 != digest)
      return damaged(path, "does not match its digest");
  }
  return {};
}

/// Beside the object first: whoever reads sees the old bytes or all of the new.
caf::error folder_object::put_again(const fs::path& source,
                                    const kept_file& what) {
  if (auto failure = remove_folder(work_))
    return failure;
  if (auto failure = make_folders(io_, work_))
    return failure;
  const auto whole = work_ / "whole";
  const auto copied = read_all(io_, source, whole);
  if (!copied)
    return copied.error();
  if (copied->sha512 != what.sha512)
    return caf::make_error(ec::store_failed,
                           source.string() + " changed while it was stored");
  const auto to = folder_ / what.place;
  if (auto failure = make_folders(io_, to.parent_path()))
    return failure;
  if (auto failure = rename_durably(io_, whole, to))
    return failure;
  return remove_folder(work_);
}

caf::error folder_object::sync_folders(const std::set<fs::path>& all) const {
  if (all.size() >= files_flushed_together) {
    const auto top = open_file(folder_, O_RDONLY | O_DIRECTORY);
    if (!top)
      return top.error();
    const auto code = io_.sync_all(top->value());
    return code ? file_failed("sync", folder_, code) : caf::error{};
  }
  for (const auto& folder : all)
    if (auto failure = sync_folder(io_, folder))
      return failure;
  return {};
}

caf::expected<std::uint64_t>
folder_object::mend(const std::vector<new_file>& files) {
  auto found = of_object(id_, load());
  if (!found)
    return std::move(found.error());
  std::set<fs::path> names;
  auto out = without_rest(mend_files(
    *found, files,
    [&](const std::string& place) -> caf::expected<std::string> {
      auto read = read_all(io_, folder_ / place);
      // A sector that cannot be read holds nothing either.
      if (!read)
        return no_place(place);
      names.insert((folder_ / place).parent_path());
      return std::move(read->sha512);
    },
    [this](const fs::path& source, const kept_file& what) {
      return put_again(source, what);
    }));
  if (!out)
    return out;
  // What is whole may have been put by one that failed before its flush.
  if (auto failure = sync_folders(names))
    return failure;
  return out;
}

/// First out of sight, as a whole. Whoever has put it there before may have
/// failed, or died, before that was flushed.
caf::error folder_object::remove() {
  std::error_code code;
  const bool seen = fs::exists(folder_, code);
  if (code)
    return file_failed("look at", folder_, code.value());
  if (seen) {
    if (auto failure = remove_folder(work_))
      return failure;
    if (std::rename(folder_.c_str(), work_.c_str()) != 0)
      return file_failed("rename to", work_, errno);
  }
  for (const auto& names : {work_.parent_path(), folder_.parent_path()}) {
    const bool is_there = fs::exists(names, code);
    if (code)
      return file_failed("look at", names, code.value());
    if (is_there)
      if (auto failure = sync_folder(io_, names))
        return failure;
  }
  return remove_folder(work_);
}

} // namespace depositd::ocfl
