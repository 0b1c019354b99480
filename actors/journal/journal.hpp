#pragma once

#include "actors/journal/writer.hpp"
#include "messages/actor_with.hpp"
#include "messages/projection.hpp"

#include <chrono>
#include <vector>

namespace depositd::journal {

/// To itself, by way of the scheduler: the group has formed.
struct flush_group {};

/// A small group is written where the actors run: what must be waited for is
/// then the disk alone. Larger ones, and those of a disk that is slow, are
/// written while others do something else: whoever sends or receives a hundred
/// items at a time keeps the processors busy as it is.
struct near_limits {
  std::uint32_t events_max = 64;
  std::size_t bytes_max = 256 * 1024;
  std::chrono::microseconds flush_max{5'000};
  std::uint32_t rest = 16; ///< groups that go elsewhere after a slow one
};

/// Of a group, or of what may become one.
struct group_size {
  std::size_t bytes = 0;
  std::uint32_t events = 0;

  void add(const append& x) {
    bytes += x.bytes.size();
    events += x.events;
  }

  void remove(const group_size& x) {
    bytes -= x.bytes;
    events -= x.events;
  }
};

struct journal_options {
  journal_writer_self writer;
  journal_writer_self near; ///< on the scheduler; may be null
  near_limits near_takes;
  /// What has so much of either goes to an idle writer at once: what comes
  /// meanwhile is decided while the disk is at work. Less waits for those who
  /// have something to do now, as flushes would be for few.
  group_size enough{512 * 1024, 640};
  caf::strong_actor_ptr shard_watcher;           ///< a shard; told of failures
  std::size_t group_bytes_max = 4 * 1024 * 1024; ///< then the next one begins
};

using journal_self
  = journal_actor::extend<caf::reacts_to<flush_group>,
                          caf::reacts_to<group_written>,
                          caf::reacts_to<appends_refused>,
                          caf::reacts_to<meet_shard>>;

struct journal_state {
  using interface = journal_self;

  journal_options options;

  /// Of the shard; what comes with another number is refused.
  std::uint32_t generation = 0;

  /// After a failed append everything is refused until the shard starts over.
  bool broken = false;

  /// The group that is forming.
  std::vector<append> members;

  /// Bundles of which some parts have come and some have not.
  std::uint32_t bundles_open = 0;

  /// Some of the members go together, so that the group cannot be cut.
  bool bundled = false;

  /// Go with the next group that has events.
  std::vector<watermark> watermarks;

  /// Of them.
  group_size forming;

  /// The writer has a group.
  bool writing = false;

  /// A `flush_group` is on its way.
  bool lap = false;

  /// Who got the last message, and how many it has not answered yet.
  bool near = false;
  std::uint32_t unanswered = 0;

  /// Since when the group is written.
  caf::actor_clock::time_point since;

  /// Groups that the near writer does not get, because it was slow.
  std::uint32_t near_rests = 0;

  static inline const char* name = "journal";
};

/// Forms groups: whatever arrived while the last group was written is the next
/// one, so group commit forms by itself.
journal_self::behavior_type journal(actor_with<journal_state>* self,
                                    journal_options options);

} // namespace depositd::journal

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::journal::flush_group)
