#pragma once

#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/journal.hpp"
#include "messages/ports/doi_registry.hpp"
#include "messages/ports/journal_store.hpp"
#include "messages/values/counts.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <string>

namespace depositd::journal {

/// How much waits for the journal, for doors that must refuse in time. Written
/// by those who append and by the writer.
struct journal_backlog {
  std::atomic<std::uint64_t> bytes{0};
  /// By `append_count`; written by the writer alone.
  std::array<std::atomic<std::uint64_t>, append_counts> counters{};
  /// Whose `nearly_full` counts, too; may be null. Outlives the actors.
  const journal_store* store = nullptr;
};

/// From the journal: these appends rest on what is not true (any more).
struct refuse_appends {
  std::vector<append> members;
  caf::error why;
};

/// Whoever waits for them has been told.
struct appends_refused {};

using journal_writer_self = journal_writer_actor::extend<
  caf::replies_to<refuse_appends>::with<appends_refused>>;

struct journal_writer_options {
  journal_store* store = nullptr; ///< outlives the actor
  body_reader_actor bodies;       ///< for hand-outs without their body
  std::shared_ptr<journal_backlog> backlog;
  /// What outcomes in a group rest on: flushed before it. Outlives the actor;
  /// may be null.
  doi_registry* registry = nullptr;
};

struct journal_writer_state {
  using interface = journal_writer_self;

  journal_writer_options options;
  std::string bytes; ///< of the group; kept for its capacity

  static inline const char* name = "journal_writer";
};

/// Appends one group to the store, then sends out what hung on it. Only one at
/// a time has anything to do, so that the shares of an answer need no lock.
/// Blocks on the disk: must be detached, or get small groups only.
journal_writer_self::behavior_type
journal_writer(actor_with<journal_writer_state>* self,
               journal_writer_options options);

} // namespace depositd::journal

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::journal::refuse_appends)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::journal::appends_refused)
