#include "adapters/stores/postgres/postgres_blobs.hpp"

#include "adapters/stores/files/sha256.hpp"
#include "adapters/stores/postgres/channel.hpp"
#include "adapters/stores/postgres/effect_statements.hpp"
#include "adapters/stores/postgres/migrations.hpp"

#include <atomic>

namespace depositd {

namespace {

using namespace postgres;

/// Door workers and handlers put and get at the same time.
constexpr std::size_t channels_max = 4;

class postgres_blobs final : public blob_store {
public:
  explicit postgres_blobs(const postgres_options& options) {
    for (std::size_t i = 0; i < channels_max; ++i)
      channels_.push_back(std::make_unique<channel>(
        connection_options{.url = options.url, .name = "blobs"},
        options.patience_ms));
  }

  caf::error open() {
    return next().once([](connection& to) { return migrate(to); });
  }

  caf::expected<std::string> put(std::string_view bytes) override;

  caf::expected<std::string> get(const std::string& sha256) override;

  caf::error backup(const std::filesystem::path&) override {
    return caf::make_error(ec::store_failed,
                           "blobs are in PostgreSQL: back them up with its "
                           "own tools");
  }

private:
  channel& next() {
    return *channels_[next_.fetch_add(1) % channels_.size()];
  }

  std::vector<std::unique_ptr<channel>> channels_;
  std::atomic<std::size_t> next_ = 0;
};

caf::expected<std::string> postgres_blobs::put(std::string_view bytes) {
  auto name = sha256_hex(bytes);
  auto failed = next().repeatable([&](connection& to) -> caf::error {
    const auto kept = to.run(statements::keep_blob, parameters{name});
    if (!kept || kept->changed() == 1)
      return kept ? caf::error{} : kept.error();
    return to.execute(statements::put_blob,
                      parameters{}.text(name).bytes(bytes));
  });
  if (failed)
    return failed;
  return name;
}

caf::expected<std::string> postgres_blobs::get(const std::string& sha256) {
  if (!is_sha256_hex(sha256))
    return caf::make_error(ec::not_found,
                           std::string{"a blob is named by its SHA-256"});
  using bytes = caf::expected<std::string>;
  auto out = next().repeatable([&](connection& from) -> bytes {
    const auto rows = from.run(statements::blob, parameters{sha256});
    if (!rows)
      return rows.error();
    if (rows->rows() == 0)
      return caf::make_error(ec::not_found, "no blob " + sha256);
    return std::string{rows->raw(0, 0)};
  });
  if (out && sha256_hex(*out) != sha256)
    return caf::make_error(ec::store_damaged,
                           "postgres: blob " + sha256
                             + " does not match its name");
  return out;
}

} // namespace

caf::expected<std::unique_ptr<blob_store>>
open_postgres_blobs(const postgres_options& options) {
  auto out = std::make_unique<postgres_blobs>(options);
  if (auto error = out->open())
    return error;
  return std::unique_ptr<blob_store>{std::move(out)};
}

} // namespace depositd
