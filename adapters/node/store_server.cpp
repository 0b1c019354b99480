#include "adapters/node/store_server.hpp"

#include "adapters/node/store_wire.hpp"
#include "messages/cluster.hpp"

#include <caf/send.hpp>

#include <exception>
#include <unordered_set>
#include <utility>

namespace depositd::node {

namespace {

template <class T>
caf::expected<std::string> answer(caf::expected<T> x) {
  if (!x)
    return std::move(x.error());
  return to_bytes(std::move(*x));
}

/// Pieces of one blob come from one worker, which has read it once.
std::size_t worker_of(const effect_call& x, std::size_t count) {
  const auto head = x.arguments.substr(0, 64);
  return std::hash<std::string>{}(head) % count;
}

/// A worker outlives what a call throws, such as memory that is not there.
caf::expected<std::string> perform_safely(effects_desk& desk,
                                          const effect_call& x) {
  try {
    return desk.perform(x.what, x.arguments);
  } catch (const std::exception& problem) {
    return caf::make_error(ec::store_failed,
                           x.what.substr(0, 64) + ": " + problem.what());
  }
}

} // namespace

effects_desk::effects_desk(std::shared_ptr<blob_store> blobs,
                           std::shared_ptr<doi_registry> registry)
  : blobs_(std::move(blobs)), registry_(std::move(registry)) {
  // nop
}

caf::expected<std::string> effects_desk::perform(const std::string& what,
                                                 const std::string& arguments) {
  if (arguments.size() > effect_bytes_max)
    return caf::make_error(ec::too_large, what + ": more than 48 MiB");
  if (what == effect::get_blob)
    return piece_of_blob(arguments);
  if (what == effect::put_blob) {
    const auto bytes = from_bytes<std::string>(arguments);
    return bytes ? answer(blobs_->put(*bytes)) : bytes.error();
  }
  if (what == effect::list_blobs)
    return list_blobs(arguments);
  if (what == effect::remove_blobs)
    return remove_blobs(arguments);
  if (what == effect::record_dois)
    return record_dois(arguments);
  if (what == effect::find_dois)
    return find_dois(arguments);
  if (what == effect::submission_max) {
    const auto last = from_bytes<item_id>(arguments);
    return last ? answer(registry_->submission_max(*last)) : last.error();
  }
  return caf::make_error(ec::not_found, "this engine has no call \""
                                          + what.substr(0, 64) + "\"");
}

caf::expected<std::string>
effects_desk::piece_of_blob(const std::string& arguments) {
  const auto wanted = from_bytes<blob_piece_wanted>(arguments);
  if (!wanted)
    return wanted.error();
  if (wanted->offset == 0 || wanted->sha256 != blob_name_) {
    auto bytes = blobs_->get(wanted->sha256);
    if (!bytes)
      return std::move(bytes.error());
    blob_name_ = wanted->sha256;
    blob_bytes_ = std::move(*bytes);
  }
  if (wanted->offset > blob_bytes_.size())
    return caf::make_error(ec::invalid_argument,
                           "the blob has fewer bytes than that");
  blob_piece out;
  out.bytes_total = blob_bytes_.size();
  out.bytes = blob_bytes_.substr(wanted->offset, blob_piece_bytes);
  if (wanted->offset + out.bytes.size() == blob_bytes_.size()) {
    blob_name_.clear();
    blob_bytes_ = {};
  }
  return to_bytes(std::move(out));
}

caf::expected<std::string>
effects_desk::list_blobs(const std::string& arguments) {
  const auto wanted = from_bytes<blobs_wanted>(arguments);
  if (!wanted)
    return wanted.error();
  std::vector<std::string> out;
  const auto looked = blobs_->collect(
    wanted->age_min_s, [&](const std::string& name) {
      if (out.size() < blobs_listed_max)
        out.push_back(name);
      return true;
    });
  if (!looked)
    return looked.error();
  return to_bytes(std::move(out));
}

caf::expected<std::string>
effects_desk::remove_blobs(const std::string& arguments) {
  const auto wanted = from_bytes<blobs_wanted>(arguments);
  if (!wanted)
    return wanted.error();
  const std::unordered_set<std::string> doomed{wanted->names.begin(),
                                               wanted->names.end()};
  return answer(blobs_->collect(
    wanted->age_min_s,
    [&](const std::string& name) { return doomed.count(name) == 0; }));
}

caf::expected<std::string>
effects_desk::record_dois(const std::string& arguments) {
  const auto wanted = from_bytes<doi_registration>(arguments);
  if (!wanted)
    return wanted.error();
  return answer(registry_->record(*wanted));
}

caf::expected<std::string>
effects_desk::find_dois(const std::string& arguments) {
  const auto wanted = from_bytes<dois_wanted>(arguments);
  if (!wanted)
    return wanted.error();
  if (wanted->count_max > dois_found_max)
    return caf::make_error(ec::too_large, "more than 10000 DOIs in one answer");
  return answer(registry_->find(wanted->query, wanted->count_max));
}

effects_actor::behavior_type
effects_worker(effects_actor::pointer, std::shared_ptr<effects_desk> desk) {
  return {
    [desk](const effect_call& x) -> caf::result<effect_result> {
      auto bytes = perform_safely(*desk, x);
      if (!bytes)
        return std::move(bytes.error());
      return effect_result{std::move(*bytes)};
    },
  };
}

effects_state::~effects_state() {
  for (const auto& worker : workers)
    caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
}

effects_actor::behavior_type
effects(effects_actor::stateful_pointer<effects_state> self,
        effects_options options) {
  for (std::size_t i = 0; i < options.workers; ++i)
    self->state.workers.push_back(options.spawn_worker());
  return {
    [self](effect_call& x) -> caf::result<effect_result> {
      const auto& workers = self->state.workers;
      const auto& worker = workers[worker_of(x, workers.size())];
      return self->delegate(worker, std::move(x));
    },
  };
}

} // namespace depositd::node
