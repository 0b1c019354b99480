#include "adapters/stores/objects/folder_objects.hpp"

#include "adapters/stores/objects/folder_object.hpp"
#include "adapters/stores/objects/storage_root.hpp"

namespace depositd {

namespace {

namespace fs = std::filesystem;

class folder_objects final : public storage_target {
public:
  folder_objects(disk& io, fs::path root) : io_(io), root_(std::move(root)) {
    // nop
  }

  caf::expected<put_result> put(const new_version& x) override {
    return of(x.object).put(x);
  }

  caf::expected<object_version> show(const std::string& object,
                                     std::uint32_t version) override {
    return of(object).show(version);
  }

  caf::error get(const std::string& object, std::uint32_t version,
                 const std::string& path, const fs::path& to) override {
    return of(object).get(version, path, to);
  }

  caf::error
  read(const std::string& object, std::uint32_t version,
       const std::string& path,
       const std::function<caf::error(std::string_view)>& sink) override {
    return of(object).read(version, path, sink);
  }

  caf::error verify(const std::string& object) override {
    return of(object).verify();
  }

  caf::error remove(const std::string& object) override {
    return of(object).remove();
  }

private:
  ocfl::folder_object of(const std::string& object) const {
    return {io_, root_, object};
  }

  disk& io_;
  const fs::path root_;
};

} // namespace

caf::expected<std::unique_ptr<storage_target>>
open_folder_objects(const folder_objects_options& options) {
  auto& io = options.io == nullptr ? system_disk() : *options.io;
  if (auto failure = ocfl::prepare_root(io, options.folder))
    return failure;
  return std::make_unique<folder_objects>(io, options.folder);
}

} // namespace depositd
