#include "adapters/node/store_client.hpp"

#include "adapters/node/message_size.hpp"

#include <algorithm>
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

  /// The engine's journal has it done before it takes an outcome.
  caf::error flush() override {
    return {};
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

class catalogue final : public inventory {
public:
  explicit catalogue(std::shared_ptr<store_line> engine)
    : engine_(std::move(engine)) {
    // nop
  }

  caf::error record(const inventory_entry& x) override {
    if (bytes_of(x) > store_message_bytes_max)
      return too_large("record of an object");
    return tell(record_object{x});
  }

  caf::expected<std::vector<inventory_object>>
  find(const inventory_search& x) override {
    auto what = x;
    what.count_max = std::min(what.count_max, objects_found_max);
    return value_of(engine_->ask<objects_found>(find_objects{std::move(what)}),
                    &objects_found::objects);
  }

  caf::expected<std::vector<stored_file>>
  files(const std::string& identifier, std::uint32_t version) override {
    return value_of(
      engine_->ask<object_files_found>(find_object_files{identifier, version}),
      &object_files_found::files);
  }

  caf::expected<std::optional<std::string>>
  of_local_id(const std::string& owner, const std::string& local_id) override {
    auto found = engine_->ask<local_id_found>(find_local_id{owner, local_id});
    if (!found)
      return std::move(found.error());
    if (!found->found)
      return std::optional<std::string>{};
    return std::optional{std::move(found->identifier)};
  }

  caf::error bind_local_id(const std::string& owner,
                           const std::string& local_id,
                           const std::string& identifier) override {
    return tell(bind_object{owner, local_id, identifier});
  }

  caf::expected<std::vector<collection_use>>
  use_of_collections(micros since_us) override {
    return value_of(
      engine_->ask<collections_measured>(measure_collections{since_us}),
      &collections_measured::uses);
  }

  caf::expected<std::vector<recorded_use>>
  recorded_in(const recorded_query& what) override {
    return value_of(engine_->ask<recorded_measured>(measure_recorded{what}),
                    &recorded_measured::uses);
  }

  caf::error record_events(const std::vector<premis_event>& x) override {
    if (bytes_of(x) > store_message_bytes_max)
      return too_large("events");
    return tell(record_premis{x});
  }

  caf::expected<std::vector<premis_event>>
  events(const premis_query& x) override {
    auto what = x;
    what.count_max = std::min(what.count_max, events_found_max);
    return value_of(engine_->ask<premis_found>(find_premis{std::move(what)}),
                    &premis_found::events);
  }

  caf::expected<bool> lock(const object_lock& x, micros now) override {
    return value_of(engine_->ask<object_locked>(lock_object{x, now, false}),
                    &object_locked::yes);
  }

  caf::expected<bool> holds(const object_lock& x, micros now) override {
    return value_of(engine_->ask<object_locked>(lock_object{x, now, true}),
                    &object_locked::yes);
  }

  caf::error unlock_all(const std::string& holder,
                        std::uint64_t token) override {
    return tell(unlock_objects{holder, token});
  }

private:
  template <class Command>
  caf::error tell(Command what) {
    auto said = engine_->ask<done>(std::move(what));
    return said ? caf::error{} : std::move(said.error());
  }

  std::shared_ptr<store_line> engine_;
};

class engines_minter final : public minter {
public:
  explicit engines_minter(std::shared_ptr<store_line> engine)
    : engine_(std::move(engine)) {
    // nop
  }

  caf::expected<std::string> mint(const mint_request& x) override {
    return value_of(engine_->ask<identifier_minted>(mint_identifier{x}),
                    &identifier_minted::identifier);
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

std::unique_ptr<inventory>
remote_inventory(std::shared_ptr<store_line> engine) {
  return std::make_unique<catalogue>(std::move(engine));
}

std::unique_ptr<minter> remote_minter(std::shared_ptr<store_line> engine) {
  return std::make_unique<engines_minter>(std::move(engine));
}

} // namespace depositd::node
