#include "adapters/node/store_server.hpp"

#include "adapters/node/message_size.hpp"

#include <algorithm>

namespace depositd::node {

namespace {

/// Large blobs that are read at one time; beyond it some are read twice.
constexpr std::size_t begun_max = 4;

/// The store's value as the answer's only member.
template <class Answer, class T>
caf::result<Answer> answer(caf::expected<T> x) {
  if (!x)
    return std::move(x.error());
  return Answer{std::move(*x)};
}

caf::error too_large(const char* text) {
  return caf::make_error(ec::too_large, std::string{text});
}

caf::result<done> is_done(caf::error failure) {
  if (failure)
    return failure;
  return done{};
}

caf::error not_served() {
  return caf::make_error(ec::draining,
                         std::string{"this engine serves no stages"});
}

/// An answer that no message can carry is an error.
template <class Answer, class T>
caf::result<Answer> bounded(caf::expected<T> x) {
  if (x && bytes_of(*x) > store_message_bytes_max)
    return too_large("the answer takes more than 48 MiB in one message");
  return answer<Answer>(std::move(x));
}

caf::result<objects_found> find(const served_stores& stores,
                                const find_objects& x) {
  if (!stores.inventory)
    return not_served();
  if (x.what.count_max > objects_found_max)
    return too_large("more than 1000 objects in one answer");
  return bounded<objects_found>(stores.inventory->find(x.what));
}

caf::result<local_id_found> find(const served_stores& stores,
                                 const find_local_id& x) {
  if (!stores.inventory)
    return not_served();
  auto found = stores.inventory->of_local_id(x.owner, x.local_id);
  if (!found)
    return std::move(found.error());
  return local_id_found{found->has_value(), found->value_or(std::string{})};
}

caf::result<object_locked> lock(const served_stores& stores,
                                const lock_object& x) {
  if (!stores.inventory)
    return not_served();
  const auto now = stores.now ? stores.now() : x.now;
  auto what = x.what;
  what.until_us =
    now + std::clamp<micros>(what.until_us - x.now, 0, object_lock_us);
  return answer<object_locked>(x.only_asks ? stores.inventory->holds(what, now)
                                           : stores.inventory->lock(what, now));
}

} // namespace

blob_pieces::blob_pieces(std::shared_ptr<blob_store> blobs)
  : blobs_(std::move(blobs)) {
  // nop
}

caf::expected<blob_piece> blob_pieces::read(const read_blob& x) {
  const auto found = find(x.sha256);
  if (!found)
    return found.error();
  const auto& bytes = **found;
  if (x.offset > bytes.size())
    return caf::make_error(ec::invalid_argument,
                           "the blob has fewer bytes than that");
  blob_piece out{bytes.size(), bytes.substr(x.offset, blob_piece_bytes)};
  const auto is_last = x.offset + out.bytes.size() == bytes.size();
  keep(x.sha256, is_last ? nullptr : *found);
  return out;
}

caf::expected<blob_pieces::blob> blob_pieces::find(const std::string& sha256) {
  {
    const std::lock_guard lock{guard_};
    for (const auto& [name, bytes] : begun_)
      if (name == sha256)
        return bytes;
  }
  auto bytes = blobs_->get(sha256);
  if (!bytes)
    return std::move(bytes.error());
  return std::make_shared<const std::string>(std::move(*bytes));
}

void blob_pieces::keep(const std::string& sha256, const blob& bytes) {
  const std::lock_guard lock{guard_};
  begun_.remove_if([&](const auto& x) { return x.first == sha256; });
  if (!bytes)
    return;
  begun_.emplace_back(sha256, bytes);
  if (begun_.size() > begun_max)
    begun_.pop_front();
}

store_server_actor::behavior_type store_server(store_server_actor::pointer,
                                               served_stores stores) {
  return {
    [=](const put_blob& x) -> caf::result<blob_put> {
      if (x.bytes.size() > store_message_bytes_max)
        return too_large("more than 48 MiB in one message");
      return answer<blob_put>(stores.blobs->put(x.bytes));
    },
    [=](const read_blob& x) -> caf::result<blob_piece> {
      return stores.pieces->read(x);
    },
    [=](const record_dois& x) {
      return answer<dois_recorded>(stores.registry->record(x.what));
    },
    [=](const find_dois& x) -> caf::result<dois_found> {
      if (x.count_max > dois_found_max)
        return too_large("more than 10000 DOIs in one answer");
      return answer<dois_found>(stores.registry->find(x.query, x.count_max));
    },
    [=](const find_submission& x) {
      return answer<submission_found>(stores.registry->submission_max(x.last));
    },
    [=](const find_objects& x) { return find(stores, x); },
    [=](const find_object_files& x) -> caf::result<object_files_found> {
      if (!stores.inventory)
        return not_served();
      return bounded<object_files_found>(
        stores.inventory->files(x.identifier, x.version));
    },
    [=](const find_local_id& x) { return find(stores, x); },
    [=](const bind_object& x) -> caf::result<done> {
      if (!stores.inventory)
        return not_served();
      return is_done(
        stores.inventory->bind_local_id(x.owner, x.local_id, x.identifier));
    },
    [=](const record_object& x) -> caf::result<done> {
      if (!stores.inventory)
        return not_served();
      return is_done(stores.inventory->record(x.what));
    },
    [=](const lock_object& x) { return lock(stores, x); },
    [=](const unlock_objects& x) -> caf::result<done> {
      if (!stores.inventory)
        return not_served();
      return is_done(stores.inventory->unlock_all(x.holder, x.token));
    },
    [=](const measure_collections& x) -> caf::result<collections_measured> {
      if (!stores.inventory)
        return not_served();
      return bounded<collections_measured>(
        stores.inventory->use_of_collections(x.since_us));
    },
    [=](const measure_recorded& x) -> caf::result<recorded_measured> {
      if (!stores.inventory)
        return not_served();
      return bounded<recorded_measured>(stores.inventory->recorded_in(x.what));
    },
    [=](const record_premis& x) -> caf::result<done> {
      if (!stores.inventory)
        return not_served();
      return is_done(stores.inventory->record_events(x.events));
    },
    [=](const find_premis& x) -> caf::result<premis_found> {
      if (!stores.inventory)
        return not_served();
      if (x.what.count_max > events_found_max)
        return too_large("more than 10000 events in one answer");
      return bounded<premis_found>(stores.inventory->events(x.what));
    },
    [=](const mint_identifier& x) -> caf::result<identifier_minted> {
      if (!stores.minter)
        return not_served();
      return answer<identifier_minted>(stores.minter->mint(x.what));
    },
  };
}

} // namespace depositd::node
