#include "adapters/stores/s3/s3_objects.hpp"

#include "adapters/stores/objects/storage_root.hpp"
#include "adapters/stores/s3/s3_object.hpp"

#include <algorithm>
#include <string_view>

namespace depositd {

namespace {

using namespace s3;

constexpr std::size_t root_bytes_max = 64 * 1024;

/// More keys than a root without objects can have.
constexpr std::size_t looked_at = 16;

class s3_objects final : public storage_target {
public:
  explicit s3_objects(client_options options) : bucket_(std::move(options)) {
    // nop
  }

  caf::error open() {
    if (auto failure = bucket_.check())
      return failure;
    const auto found = bucket_.get(ocfl::root_declaration.path, root_bytes_max);
    if (!found && found.error() != ec::not_found)
      return found.error();
    return found ? check_root(*found) : make_root();
  }

  caf::expected<put_result> put(const new_version& x) override {
    const auto bytes_max = path_bytes_max();
    for (const auto& file : x.files)
      if (file.path.size() > bytes_max)
        return caf::make_error(ec::invalid_argument,
                               "the path \"" + file.path.substr(0, 200)
                                 + "...\" has more than "
                                 + std::to_string(bytes_max)
                                 + " bytes, which is too long for a bucket");
    return of(x.object).put(x);
  }

  /// A key has the object's folder and the version's in it.
  std::size_t path_bytes_max() const override {
    static const auto others =
      ocfl::object_folder({}).size()
      + std::string_view{"/v4294967295/content/"}.size();
    const auto left = bucket_.key_bytes_left();
    return left - std::min(left, others);
  }

  caf::expected<object_version> show(const std::string& object,
                                     std::uint32_t version) override {
    return of(object).show(version);
  }

  caf::expected<std::uint32_t> version_with(const std::string& object,
                                            const stored_file& file) override {
    return of(object).version_with(file);
  }

  caf::error get(const std::string& object, std::uint32_t version,
                 const std::string& path,
                 const std::filesystem::path& to) override {
    return of(object).get(version, path, to);
  }

  caf::error
  read(const std::string& object, std::uint32_t version,
       const std::string& path,
       const std::function<caf::error(std::string_view)>& sink) override {
    return of(object).read(version, path, sink);
  }

  caf::expected<recall> bring_back(const std::string& object,
                                   const std::string& path,
                                   std::uint32_t days) override {
    return of(object).bring_back(path, days);
  }

  caf::error verify(const std::string& object, std::uint32_t version) override {
    return of(object).verify(version);
  }

  caf::expected<std::uint64_t>
  mend(const std::string& object, const std::vector<new_file>& files) override {
    return of(object).mend(files);
  }

  caf::error remove(const std::string& object) override {
    return of(object).remove();
  }

private:
  s3_object of(const std::string& object) {
    return {bucket_, known_, object};
  }

  caf::error other_root(const char* reason) const {
    return caf::make_error(ec::store_damaged, bucket_.title("") + " " + reason);
  }

  caf::error check_root(const std::string& declared) {
    const auto options = bucket_.get(ocfl::root_options.path, root_bytes_max);
    if (!options && options.error() != ec::not_found)
      return options.error();
    return options && *options == ocfl::root_options.text
               && declared == ocfl::root_declaration.text
             ? caf::error{}
             : other_root("is a storage root of another kind");
  }

  caf::error make_root() {
    const auto found = bucket_.first("", looked_at);
    if (!found)
      return found.error();
    const bool fresh =
      std::all_of(found->begin(), found->end(), [](const listed& x) {
        return std::any_of(ocfl::root_files.begin(), ocfl::root_files.end(),
                           [&](auto& file) { return x.key == file.path; });
      });
    // Another engine may have made it meanwhile, and put something there.
    if (!fresh) {
      const auto again =
        bucket_.get(ocfl::root_declaration.path, root_bytes_max);
      return again ? check_root(*again)
                   : other_root("is no OCFL 1.1 storage root and not empty");
    }
    for (const auto& file : ocfl::root_files)
      if (auto failure = bucket_.put(file.path, file.text))
        return failure;
    return {};
  }

  client bucket_;
  ocfl::known_inventories known_;
};

} // namespace

caf::expected<std::unique_ptr<storage_target>>
open_s3_objects(client_options options) {
  auto out = std::make_unique<s3_objects>(std::move(options));
  if (auto failure = out->open())
    return failure;
  return out;
}

} // namespace depositd
