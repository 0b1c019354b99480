#include "adapters/stores/s3/s3_blobs.hpp"

#include "adapters/digests/digester.hpp"
#include "adapters/stores/files/file.hpp"
#include "adapters/stores/files/sha256.hpp"

#include <algorithm>

namespace depositd {

namespace {

/// Of a body; forms end far below.
constexpr std::size_t blob_bytes_max = std::size_t{4} << 30;

std::string key_of(const std::string& sha256) {
  return sha256.substr(0, 2) + "/" + sha256.substr(2, 2) + "/" + sha256;
}

class s3_blobs final : public blob_store {
public:
  explicit s3_blobs(s3::client_options options) : bucket_(std::move(options)) {
    // nop
  }

  caf::error open() {
    return bucket_.check();
  }

  caf::expected<std::string> put(std::string_view bytes) override {
    auto name = sha256_hex(bytes);
    const auto key = key_of(name);
    const auto there = is_there(key, bytes);
    if (!there)
      return there.error();
    if (*there)
      return name;
    if (auto failure = bucket_.put(key, bytes))
      return failure;
    return name;
  }

  caf::expected<std::string> get(const std::string& sha256) override {
    if (!is_sha256_hex(sha256))
      return caf::make_error(ec::not_found,
                             std::string{"a blob is named by its SHA-256"});
    auto out = bucket_.get(key_of(sha256), blob_bytes_max);
    if (!out && out.error() == ec::not_found)
      return caf::make_error(ec::not_found, "no blob " + sha256);
    if (out && sha256_hex(*out) != sha256)
      return caf::make_error(ec::store_damaged, bucket_.title(key_of(sha256))
                                                  + " does not match its name");
    return out;
  }

  /// As a folder of blobs has them.
  caf::error backup(const std::filesystem::path& folder) override {
    if (auto failure = make_folders(system_disk(), folder))
      return failure;
    return bucket_.each("", [&](const s3::listed& x) -> caf::error {
      const auto to = folder / x.key;
      const auto name = to.filename().string();
      if (!is_sha256_hex(name) || x.key != key_of(name))
        return {};
      return copy(x.key, to);
    });
  }

private:
  /// Whether the key has these bytes and no others: what has rotted is put
  /// again.
  caf::expected<bool> is_there(const std::string& key,
                               std::string_view bytes) {
    const auto size = bucket_.size_of(key);
    if (!size && size.error() != ec::not_found)
      return size.error();
    if (!size || *size != bytes.size())
      return false;
    auto rest = bytes;
    bool same = true;
    auto failure = bucket_.read(key, [&](std::string_view some) {
      same = same && rest.starts_with(some);
      rest.remove_prefix(std::min(rest.size(), some.size()));
      return caf::error{};
    });
    if (failure && failure != ec::not_found)
      return failure;
    return !failure && same && rest.empty();
  }

  caf::error copy(const std::string& key, const std::filesystem::path& to) {
    auto& io = system_disk();
    if (auto failure = make_folders(io, to.parent_path()))
      return failure;
    digester sum{digest_algorithm::sha256};
    auto failure = bucket_.get_file(
      key, to, [&](std::string_view bytes) { sum.add(bytes); });
    if (failure)
      return failure;
    if (sum.finish().value != to.filename().string())
      return caf::make_error(ec::store_damaged,
                             bucket_.title(key) + " does not match its name");
    return sync_folder(io, to.parent_path());
  }

  s3::client bucket_;
};

} // namespace

caf::expected<std::unique_ptr<blob_store>>
open_s3_blobs(s3::client_options options) {
  auto out = std::make_unique<s3_blobs>(std::move(options));
  if (auto failure = out->open())
    return failure;
  return out;
}

} // namespace depositd
