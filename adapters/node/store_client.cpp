#include "adapters/node/store_client.hpp"

#include "adapters/node/store_wire.hpp"

#include <utility>

namespace depositd::node {

namespace {

caf::error no_files() {
  return caf::make_error(ec::invalid_argument,
                         "only the engine itself can copy its files");
}

/// The result of a call as a value.
template <class T>
caf::expected<T> ask(const effect_caller& call, const char* what,
                     std::string arguments) {
  if (arguments.size() > effect_bytes_max)
    return caf::make_error(ec::too_large, std::string{what}
                                            + ": more than 48 MiB in one call");
  auto bytes = call(what, std::move(arguments));
  if (!bytes)
    return std::move(bytes.error());
  return from_bytes<T>(*bytes);
}

class blobs final : public blob_store {
public:
  explicit blobs(effect_caller call) : call_(std::move(call)) {
    // nop
  }

  caf::expected<std::string> put(std::string_view bytes) override {
    return ask<std::string>(call_, effect::put_blob,
                            to_bytes(std::string{bytes}));
  }

  caf::expected<std::string> get(const std::string& sha256) override {
    std::string out;
    while (true) {
      auto piece = ask<blob_piece>(
        call_, effect::get_blob,
        to_bytes(blob_piece_wanted{sha256, out.size()}));
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

  caf::expected<std::uint64_t>
  collect(std::int64_t age_min_s,
          const std::function<bool(const std::string&)>& in_use) override {
    auto found = ask<std::vector<std::string>>(
      call_, effect::list_blobs, to_bytes(blobs_wanted{age_min_s, {}}));
    if (!found)
      return std::move(found.error());
    blobs_wanted doomed{age_min_s, {}};
    for (auto& name : *found)
      if (!in_use(name))
        doomed.names.push_back(std::move(name));
    if (doomed.names.empty())
      return std::uint64_t{0};
    return ask<std::uint64_t>(call_, effect::remove_blobs,
                              to_bytes(std::move(doomed)));
  }

  caf::error backup(const std::filesystem::path&) override {
    return no_files();
  }

private:
  effect_caller call_;
};

class registry final : public doi_registry {
public:
  explicit registry(effect_caller call) : call_(std::move(call)) {
    // nop
  }

  caf::expected<std::vector<doi_result>>
  record(const doi_registration& registration) override {
    return ask<std::vector<doi_result>>(call_, effect::record_dois,
                                        to_bytes(registration));
  }

  caf::expected<std::vector<doi_record>>
  find(const doi_query& query, std::uint32_t count_max) override {
    return ask<std::vector<doi_record>>(
      call_, effect::find_dois, to_bytes(dois_wanted{query, count_max}));
  }

  caf::expected<item_id> submission_max(item_id last) override {
    return ask<item_id>(call_, effect::submission_max, to_bytes(last));
  }

  caf::error backup(const std::filesystem::path&) override {
    return no_files();
  }

private:
  effect_caller call_;
};

} // namespace

std::unique_ptr<blob_store> remote_blobs(effect_caller call) {
  return std::make_unique<blobs>(std::move(call));
}

std::unique_ptr<doi_registry> remote_registry(effect_caller call) {
  return std::make_unique<registry>(std::move(call));
}

} // namespace depositd::node
