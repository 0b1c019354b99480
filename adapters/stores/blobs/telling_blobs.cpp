#include "adapters/stores/blobs/telling_blobs.hpp"

#include <spdlog/spdlog.h>

#include <atomic>
#include <string>
#include <utility>

namespace depositd {

namespace {

class telling_blobs final : public blob_store {
public:
  explicit telling_blobs(std::unique_ptr<blob_store> on) : on_(std::move(on)) {
    // nop
  }

  caf::expected<std::string> put(std::string_view bytes) override {
    auto out = on_->put(bytes);
    note(out ? caf::error{} : out.error());
    return out;
  }

  /// What is not there, or is damaged, concerns who asks for it.
  caf::expected<std::string> get(const std::string& sha256) override {
    auto out = on_->get(sha256);
    if (out || out.error() == ec::store_failed)
      note(out ? caf::error{} : out.error());
    return out;
  }

  caf::error backup(const std::filesystem::path& folder) override {
    return on_->backup(folder);
  }

private:
  void note(const caf::error& failed) {
    if (failing_.exchange(static_cast<bool>(failed))
        == static_cast<bool>(failed))
      return;
    if (failed)
      spdlog::warn("blobs_fail reason=\"{}\"", render(failed));
    else
      spdlog::info("blobs_work");
  }

  const std::unique_ptr<blob_store> on_;
  std::atomic<bool> failing_ = false;
};

} // namespace

std::unique_ptr<blob_store> make_telling_blobs(std::unique_ptr<blob_store> on) {
  return std::make_unique<telling_blobs>(std::move(on));
}

} // namespace depositd
