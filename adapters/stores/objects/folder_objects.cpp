#include "adapters/stores/objects/folder_objects.hpp"

#include "adapters/stores/files/file.hpp"
#include "adapters/stores/objects/folder_object.hpp"
#include "adapters/stores/objects/storage_root.hpp"

#include <utility>

namespace depositd {

namespace {

namespace fs = std::filesystem;

class folder_objects final : public storage_target {
public:
  folder_objects(disk& io, fs::path root, std::shared_ptr<ocfl::copy_gate> gate)
    : io_(io), root_(std::move(root)), gate_(std::move(gate)) {
    // nop
  }

  caf::expected<put_result> put(const new_version& x) override {
    return in(x.object, [&](auto to) -> caf::expected<put_result> {
      if (auto failure =
            gate_->begin_version(x.object, [&] { return head_of(x.object); }))
        return failure;
      return to.put(x);
    });
  }

  caf::expected<object_version> show(const std::string& object,
                                     std::uint32_t version) override {
    return in(object, [&](auto x) { return x.show(version); });
  }

  caf::expected<std::uint32_t> version_with(const std::string& object,
                                            const stored_file& file) override {
    return in(object, [&](auto x) { return x.version_with(file); });
  }

  caf::error get(const std::string& object, std::uint32_t version,
                 const std::string& path, const fs::path& to) override {
    return in(object, [&](auto x) { return x.get(version, path, to); });
  }

  caf::error
  read(const std::string& object, std::uint32_t version,
       const std::string& path,
       const std::function<caf::error(std::string_view)>& sink) override {
    return in(object, [&](auto x) { return x.read(version, path, sink); });
  }

  caf::error verify(const std::string& object, std::uint32_t version) override {
    return in(object, [&](auto x) { return x.verify(version); });
  }

  caf::expected<std::uint64_t>
  mend(const std::string& object, const std::vector<new_file>& files) override {
    return in(object, [&](auto x) { return x.mend(files); });
  }

  caf::error remove(const std::string& object) override {
    const ocfl::copy_gate::removal turn{*gate_};
    return in(object, [](auto x) { return x.remove(); });
  }

private:
  /// Where a disk is not mounted any more nothing seems to be stored: what is
  /// removed there would count as gone, and be back with the disk.
  caf::error look_for_root() const {
    const auto mark = root_ / ocfl::root_declaration.path;
    std::error_code code;
    if (fs::exists(mark, code))
      return {};
    return code ? file_failed("look at", mark, code.value())
                : caf::make_error(ec::store_failed,
                                  mark.string()
                                    + " is not there: is its disk?");
  }

  template <class Act>
  auto in(const std::string& object, const Act& act)
    -> decltype(act(std::declval<ocfl::folder_object>())) {
    if (auto failure = look_for_root())
      return failure;
    return act(of(object));
  }

  caf::expected<std::uint32_t> head_of(const std::string& object) {
    const auto found = of(object).show(0);
    if (!found && found.error() == ec::not_found)
      return std::uint32_t{0};
    if (!found)
      return found.error();
    return found->number;
  }

  ocfl::folder_object of(const std::string& object) {
    return {io_, known_, root_, object};
  }

  disk& io_;
  ocfl::known_inventories known_;
  const fs::path root_;
  const std::shared_ptr<ocfl::copy_gate> gate_;
};

/// Whether the folder has been a root: the note may be of another one.
caf::expected<bool> has_been_root(const folder_objects_options& x) {
  if (x.note.empty())
    return false;
  const auto noted = read_file(x.note);
  if (!noted && noted.error() == ec::not_found)
    return false;
  if (!noted)
    return noted.error();
  return *noted == x.folder.string() + "\n";
}

caf::error note_root(disk& io, const folder_objects_options& x) {
  if (auto failure = make_folders(io, x.note.parent_path()))
    return failure;
  return replace_file(io, x.note, x.folder.string() + "\n");
}

caf::error prepare(disk& io, const folder_objects_options& x) {
  const auto known = has_been_root(x);
  if (!known)
    return known.error();
  std::error_code code;
  const bool is_root = fs::exists(x.folder / ocfl::root_declaration.path, code);
  if (!x.begins && !is_root)
    return caf::make_error(
      ec::store_failed,
      x.folder.string()
        + " is no storage root: is its disk mounted? Engines begin one, nodes "
          "do not");
  if (*known && !is_root)
    return caf::make_error(
      ec::store_failed,
      x.folder.string()
        + " has been a storage root and is none now: is its disk mounted? "
          "Where its objects are lost for good, remove "
        + x.note.string());
  if (auto failure = ocfl::prepare_root(io, x.folder))
    return failure;
  if (x.begins)
    ocfl::remove_given_up(x.folder);
  return *known || x.note.empty() ? caf::error{} : note_root(io, x);
}

} // namespace

caf::expected<std::unique_ptr<storage_target>>
open_folder_objects(const folder_objects_options& options) {
  auto& io = options.io == nullptr ? system_disk() : *options.io;
  if (auto failure = prepare(io, options))
    return failure;
  return std::make_unique<folder_objects>(
    io, options.folder,
    options.gate ? options.gate : std::make_shared<ocfl::copy_gate>());
}

} // namespace depositd
