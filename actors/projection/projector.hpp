#pragma once

#include "actors/projection/sent_contents.hpp"
#include "actors/rules/fold/shared_places.hpp"
#include "actors/rules/fold/slice_fold.hpp"
#include "actors/rules/fold/slice_size.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/ports/doi_registry.hpp"
#include "messages/ports/journal_store.hpp"
#include "messages/ports/projection_store.hpp"
#include "messages/projection.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/sharding.hpp"
#include "messages/values/trouble.hpp"

#include <caf/actor_clock.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace depositd::projection {

/// To itself: time for the next slice.
struct project_slice {};

struct projector_options {
  journal_store* journal = nullptr; ///< all stores outlive the actor
  projection_store* projection = nullptr;
  blob_store* blobs = nullptr;
  doi_registry* registry = nullptr;
  /// Where the stores have their files, and so no copy can be; empty: nowhere.
  std::filesystem::path data_folder;
  shard_number shard = 0;
  /// Not the wall clock: one that is set forward must not age what is kept.
  engine_clock clock = engine_clock::system();
  /// Pause between slices. What is enqueued and finished in one slice costs
  /// the tables nothing, so longer slices are cheaper; a restart replays what
  /// came after the last one.
  std::chrono::milliseconds pause{500};
  /// After much work the pause is longer, up to this: the tables must not take
  /// from the journal what a burst needs. Whoever reads them still finds all.
  std::chrono::milliseconds pause_max{1'000};
  std::size_t events_per_pause = 20'000;
  std::size_t slice_events_max = 100'000;
  /// Finished submissions are kept this long.
  std::int64_t retention_s = 365LL * 24 * 3600;
  /// What this machine's clock shows now; null: what `clock` tells. What is old
  /// by one of the two alone is kept: either may have been wrong at the start.
  std::function<micros()> wall_us;
  /// The log may take this many times what is live in it, plus the spare.
  std::uint32_t disk_multiple = 4;
  std::uint64_t disk_spare_bytes = 512ULL * 1024 * 1024;
  std::uint32_t compactions_max = 256; ///< bodies written again per slice
  /// Somebody publishes the journal: what was not stays in the log, from the
  /// beginning on. Else from where somebody stopped, if ever.
  bool published = false;
  /// Less than anybody waits for an answer: what has ended and is not published
  /// is not forgotten, and after this long whoever wants it hears so.
  std::chrono::milliseconds publish_patience{20'000};
  std::size_t waiting_max = 100; ///< for that
};

using projector_self = projector_actor::extend<caf::reacts_to<project_slice>>;

/// Bodies of live items in one segment.
struct live_bodies {
  std::int64_t count = 0; ///< of items: it must not go as long as there is one
  std::int64_t bytes = 0; ///< of bodies, also if several items share one
};

/// Somebody who waits until all up to a place has been published.
struct unpublished {
  caf::actor_clock::time_point until; ///< no longer than this
  std::function<void(caf::error)> go_on;
};

struct projector_state {
  using interface = projector_self;

  projector_options options;
  shard_inside_actor shard; ///< null until it has recovered
  bool counted = false;     ///< `live` covers what was there at the start
  /// Where the bodies of all items in the tables are, if whoever recovered has
  /// found out and nobody has counted them yet.
  std::optional<std::vector<body_location>> uncounted;

  /// Slices without a pause, from where the tables were to the end that the
  /// journal had; `until` is 0 between rounds.
  struct {
    sequence from = 0;
    sequence until = 0;
  } round;

  rules::slice_size size;

  /// What `live` and `shared` count, once they do.
  sequence applied = 0;

  /// The next slice so far. Starts where the projection is; null: nobody has
  /// folded yet, or the last slice went wrong.
  std::unique_ptr<rules::slice_fold> fold;
  sent_contents contents; ///< of what is folded

  /// How far outcomes have been published.
  struct {
    sequence upto = 0;   ///< as the publisher says
    sequence mark = 0;   ///< the end of the journal when this was asked last
    micros mark_us = 0;  ///< then
    micros before_us = 0; ///< what ended before this has been published
    std::multimap<sequence, unpublished> waiting; ///< by up to where
  } publishing;

  /// Nobody asks before this which submissions are old enough to be forgotten.
  caf::actor_clock::time_point forget_next;

  /// By number of the segment.
  std::map<std::uint64_t, live_bodies> live;
  rules::shared_places shared;

  /// By first group; refreshed with every slice.
  std::vector<segment> segments;

  /// Whoever looks into the tables tries again, and so does each pause.
  trouble projecting;
  trouble forgetting;
  trouble flushing; ///< the tables, before segments go
  trouble dropping; ///< segments

  static inline const char* name = "projector";
};

/// Owns the projection: everything that reads or writes the tables goes
/// through it. Blocks on the disk: must be detached.
projector_self::behavior_type projector(actor_with<projector_state>* self,
                                        projector_options options);

} // namespace depositd::projection

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::projection::project_slice)
