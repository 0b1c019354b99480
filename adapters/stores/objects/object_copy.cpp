#include "adapters/stores/objects/object_copy.hpp"

#include "adapters/stores/files/file.hpp"
#include "adapters/stores/objects/folder_object.hpp"
#include "adapters/stores/objects/storage_root.hpp"

#include <vector>

#include <fcntl.h>

namespace depositd::ocfl {

namespace {

namespace fs = std::filesystem;

/// Folders of three digits above each object's own.
constexpr int levels = 3;

class object_copier {
public:
  object_copier(disk& io, const fs::path& from, const fs::path& to,
                copy_gate& gate)
    : io_(io), from_(from), to_(to), gate_(gate) {
    // nop
  }

  /// Nobody has the copy before it is whole, so its files are flushed together.
  caf::error run() {
    if (auto failure = prepare_root(io_, to_))
      return failure;
    const auto all = open_file(to_, O_RDONLY | O_DIRECTORY);
    if (!all)
      return all.error();
    if (auto failure = copy_level(fs::path{}, levels))
      return failure;
    const auto code = io_.sync_all(all->value());
    return code == 0 ? caf::error{} : file_failed("sync", to_, code);
  }

private:
  caf::error each_folder(const fs::path& folder,
                         const std::function<caf::error(const fs::path&)>& f) {
    std::error_code code;
    std::vector<fs::path> inner;
    for (fs::directory_iterator at{folder, code}, end; !code && at != end;
         at.increment(code))
      if (at->is_directory())
        inner.push_back(at->path());
    if (code)
      return file_failed("list", folder, code.value());
    for (const auto& each : inner)
      if (auto failure = f(each))
        return failure;
    return {};
  }

  caf::error copy_level(const fs::path& below, int level) {
    return each_folder(from_ / below, [&](const fs::path& each) -> caf::error {
      const auto name = each.filename();
      // What is unfinished, and how the root is laid out.
      if (below.empty() && name == "extensions")
        return {};
      return level == 0 ? copy_object(below / name)
                        : copy_level(below / name, level - 1);
    });
  }

  caf::error copy_object(const fs::path& place) {
    const auto from = from_ / place;
    const auto text = read_file(from / inventory_name);
    const auto read =
      text ? read_inventory(*text) : caf::expected<inventory>{text.error()};
    if (!read)
      return copy_tree(from, to_ / place);
    const auto shown = folder_object{io_, known_, from_, read->id}.show(0);
    if (!shown)
      return copy_tree(from, to_ / place);
    const auto count = gate_.copied_of(read->id, shown->number);
    return count == 0 ? caf::error{} : copy_versions(place, count);
  }

  /// Versions never change; the last one has the inventory of all of them.
  caf::error copy_versions(const fs::path& place, std::uint32_t count) {
    const auto to = to_ / place;
    if (auto failure = make_folders(io_, to))
      return failure;
    for (std::uint32_t number = 1; number <= count; ++number) {
      const auto name = version_name(number);
      if (auto failure = copy_tree(from_ / place / name, to / name))
        return failure;
    }
    for (const auto* name : {inventory_name, sidecar_name})
      if (auto failure = copy_file(to / version_name(count) / name, to / name))
        return failure;
    if (auto failure =
          replace_file(io_, to / object_declaration, object_declared))
      return failure;
    return sync_folder(io_, to);
  }

  caf::error copy_tree(const fs::path& from, const fs::path& to) {
    if (auto failure = make_folders(io_, to))
      return failure;
    std::error_code code;
    for (fs::directory_iterator at{from, code}, end; !code && at != end;
         at.increment(code)) {
      const auto name = at->path().filename();
      auto failure = at->is_directory() ? copy_tree(at->path(), to / name)
                                        : copy_file(at->path(), to / name);
      if (failure)
        return failure;
    }
    return code ? file_failed("list", from, code.value())
                : sync_folder(io_, to);
  }

  caf::error copy_file(const fs::path& from, const fs::path& to) {
    if (gate_.stopped())
      return caf::make_error(ec::draining, std::string{"the engine ends"});
    const auto copied = read_all(io_, from, to, flushed::by_the_caller);
    return copied ? caf::error{} : copied.error();
  }

  disk& io_;
  const fs::path from_;
  const fs::path to_;
  copy_gate& gate_;
  known_inventories known_;
};

} // namespace

caf::error copy_objects(disk& io, const fs::path& from, const fs::path& to,
                        copy_gate& gate) {
  return object_copier{io, from, to, gate}.run();
}

} // namespace depositd::ocfl
