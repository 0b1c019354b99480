#pragma once

#include "messages/actors.hpp"
#include "messages/ports/journal_store.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace depositd {

/// To itself: the group is as large as the mailbox made it.
struct flush_group {};

/// How much waits for the journal, for doors that must refuse in time. Written
/// by those who append and by the journal.
struct journal_backlog {
  std::atomic<std::uint64_t> bytes{0};
};

struct journal_options {
  journal_store* store = nullptr;      ///< outlives the actor
  body_reader_actor bodies;            ///< for hand-outs without their body
  caf::strong_actor_ptr shard_watcher; ///< a shard_actor; told of failures
  std::shared_ptr<journal_backlog> backlog;
  std::size_t group_bytes_max = 4 * 1024 * 1024;
};

using journal_self = journal_actor::extend<caf::reacts_to<flush_group>,
                                           caf::reacts_to<meet_shard>>;

struct journal_state {
  journal_options options;

  /// Of the shard; what comes with another number is refused.
  std::uint32_t generation = 0;

  /// After a failed append everything is refused until the shard starts over.
  bool broken = false;

  /// The group that is forming: records, how many events, and where in it each
  /// append begins.
  std::string bytes;
  std::uint32_t events = 0;
  std::vector<append> members;
  std::vector<std::size_t> offsets;
  bool flush_pending = false;

  static inline const char* name = "journal";
};

/// Writes groups to the store: whatever arrived while the last group was
/// flushed is the next group, so group commit forms by itself. Blocks on the
/// disk: must be detached.
journal_self::behavior_type
journal(journal_self::stateful_pointer<journal_state> self,
        journal_options options);

} // namespace depositd

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::flush_group)
