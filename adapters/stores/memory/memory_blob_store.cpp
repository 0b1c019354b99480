#include "adapters/stores/memory/memory_blob_store.hpp"

#include <chrono>
#include <mutex>
#include <unordered_map>

#include "adapters/stores/files/sha256.hpp"

namespace depositd {

namespace {

using steady = std::chrono::steady_clock;

class memory_blob_store final : public blob_store {
public:
  caf::expected<std::string> put(std::string_view bytes) override {
    auto name = sha256_hex(bytes);
    const std::lock_guard guard{mutex_};
    auto& blob = blobs_[name];
    blob.bytes = bytes;
    blob.put_at = steady::now();
    return name;
  }

  caf::expected<std::string> get(const std::string& sha256) override {
    const std::lock_guard guard{mutex_};
    const auto found = blobs_.find(sha256);
    if (found == blobs_.end())
      return caf::make_error(ec::not_found, "no blob " + sha256);
    return found->second.bytes;
  }

  caf::expected<std::uint64_t>
  collect(std::int64_t age_min_s,
          const std::function<bool(const std::string&)>& in_use) override {
    const std::lock_guard guard{mutex_};
    const auto newest = steady::now() - std::chrono::seconds{age_min_s};
    return std::erase_if(blobs_, [&](const auto& x) {
      return x.second.put_at <= newest && !in_use(x.first);
    });
  }

  caf::error backup(const std::filesystem::path&) override {
    return caf::make_error(ec::store_failed,
                           std::string{"blobs in memory have no files"});
  }

private:
  struct blob {
    std::string bytes;
    steady::time_point put_at;
  };

  std::mutex mutex_; // guards what follows
  std::unordered_map<std::string, blob> blobs_;
};

} // namespace

std::unique_ptr<blob_store> make_memory_blobs() {
  return std::make_unique<memory_blob_store>();
}

} // namespace depositd
