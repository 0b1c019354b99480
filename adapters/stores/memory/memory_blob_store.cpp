#include "adapters/stores/memory/memory_blob_store.hpp"

#include <mutex>
#include <unordered_map>

#include "adapters/stores/files/sha256.hpp"

namespace depositd {

namespace {

class memory_blob_store final : public blob_store {
public:
  caf::expected<std::string> put(std::string_view bytes) override {
    auto name = sha256_hex(bytes);
    const std::lock_guard guard{mutex_};
    blobs_.try_emplace(name, bytes);
    return name;
  }

  caf::expected<std::string> get(const std::string& sha256) override {
    const std::lock_guard guard{mutex_};
    const auto found = blobs_.find(sha256);
    if (found == blobs_.end())
      return caf::make_error(ec::not_found, "no blob " + sha256);
    return found->second;
  }

  caf::error backup(const std::filesystem::path&) override {
    return caf::make_error(ec::store_failed,
                           std::string{"blobs in memory have no files"});
  }

private:
  std::mutex mutex_; // guards what follows
  std::unordered_map<std::string, std::string> blobs_;
};

} // namespace

std::unique_ptr<blob_store> make_memory_blobs() {
  return std::make_unique<memory_blob_store>();
}

} // namespace depositd
