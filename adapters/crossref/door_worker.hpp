#pragma once

#include "adapters/crossref/door_messages.hpp"
#include "messages/ports/blob_store.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <memory>
#include <string>
#include <unordered_map>

namespace depositd::crossref {

/// Logins that were right, so that a client that sends its password with every
/// request does not pay for Argon2id each time. Keys are keyed hashes: the
/// passwords cannot be read from memory.
class login_cache {
public:
  login_cache();

  bool knows(const std::string& hash, const std::string& password) const;
  void remember(const std::string& hash, const std::string& password);

private:
  static constexpr std::size_t entries_max = 10'000;

  std::string digest(const std::string& hash,
                     const std::string& password) const;

  std::string key_;
  std::unordered_map<std::string, bool> known_;
};

struct door_worker_state {
  std::shared_ptr<blob_store> blobs;
  login_cache logins;

  static inline const char* name = "crossref_door_worker";
};

/// Passwords and blobs: blocks, must be detached.
door_worker_actor::behavior_type
door_worker(door_worker_actor::stateful_pointer<door_worker_state> self,
            std::shared_ptr<blob_store> blobs);

} // namespace depositd::crossref
