#include "adapters/node/store_client.hpp"

#include <caf/binary_serializer.hpp>

#include <utility>

namespace depositd::node {

namespace {

caf::error no_files() {
  return caf::make_error(ec::invalid_argument,
                         "only the engine itself can copy its files");
}

caf::error too_large(const char* what) {
  return caf::make_error(
    ec::too_large, std::string{what} + ": more than 48 MiB in one message");
}

/// How many bytes the value takes in a message.
template <class T>
std::size_t bytes_of(T x) {
  std::vector<char> out;
  caf::binary_serializer sink{nullptr, out};
  // Writing to memory cannot fail.
  static_cast<void>(sink(x));
  return out.size();
}

/// The only member of the answer.
template <class T, class Answer>
caf::expected<T> value_of(caf::expected<Answer> x, T Answer::*member) {
  if (!x)
    return std::move(x.error());
  return std::move((*x).*member);
}

class blobs final : public blob_store {
public:
  explicit blobs(std::shared_ptr<store_line> engine)
    : engine_(std::move(engine)) {
    // nop
  }

  caf::expected<std::string> put(std::string_view bytes) override {
    if (bytes.size() > store_message_bytes_max)
      return too_large("blob");
    return value_of(engine_->ask<blob_put>(put_blob{std::string{bytes}}),
                    &blob_put::sha256);
  }

  caf::expected<std::string> get(const std::string& sha256) override {
    std::string out;
    while (true) {
      auto piece = engine_->ask<blob_piece>(read_blob{sha256, out.size()});
      if (!piece)
        return std::move(piece.error());
      out += piece->bytes;
      if (out.size() >= piece->bytes_total)
        return out;
      if (piece->bytes.empty())
        return caf::make_error(ec::store_failed,
                               "blob " + sha256 + " came without its end");
    }
  }

  caf::error backup(const std::filesystem::path&) override {
    return no_files();
  }

private:
  std::shared_ptr<store_line> engine_;
};

class registry final : public doi_registry {
public:
  explicit registry(std::shared_ptr<store_line> engine)
    : engine_(std::move(engine)) {
    // nop
  }

  caf::expected<std::vector<doi_result>>
  record(const doi_registration& registration) override {
    if (bytes_of(registration) > store_message_bytes_max)
      return too_large("registration");
    return value_of(engine_->ask<dois_recorded>(record_dois{registration}),
                    &dois_recorded::results);
  }

  caf::expected<std::vector<doi_record>>
  find(const doi_query& query, std::uint32_t count_max) override {
    return value_of(engine_->ask<dois_found>(find_dois{query, count_max}),
                    &dois_found::records);
  }

  caf::expected<item_id> submission_max(item_id last) override {
    return value_of(engine_->ask<submission_found>(find_submission{last}),
                    &submission_found::id);
  }

  caf::error backup(const std::filesystem::path&) override {
    return no_files();
  }

private:
  std::shared_ptr<store_line> engine_;
};

} // namespace

std::unique_ptr<blob_store> remote_blobs(std::shared_ptr<store_line> engine) {
  return std::make_unique<blobs>(std::move(engine));
}

std::unique_ptr<doi_registry>
remote_registry(std::shared_ptr<store_line> engine) {
  return std::make_unique<registry>(std::move(engine));
}

} // namespace depositd::node
