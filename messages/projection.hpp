#pragma once

// What the projector is asked: the state to start with, the read model, copies;
// and what it asks of the shard.

#include "messages/message.hpp"
#include "messages/ports/work_copy.hpp"
#include "messages/values/rows.hpp"
#include "messages/values/types.hpp"
#include "messages/work.hpp"

#include <caf/actor_control_block.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace depositd::shard {
struct recovered_state;
} // namespace depositd::shard

namespace depositd {

// -- recovery -----------------------------------------------------------------

/// The state as it was at the last commit, from projection and journal.
struct recover {};
DEPOSITD_LOCAL(recover);

/// See actors/shard/recovered_state.hpp, which says what is inside.
struct recovered {
  std::shared_ptr<shard::recovered_state> state;
};
DEPOSITD_LOCAL(recovered);

/// Tells the projector whom to ask to write bodies again.
struct meet_shard {
  caf::strong_actor_ptr shard; ///< a shard_actor
};
DEPOSITD_LOCAL(meet_shard);

// -- read model ---------------------------------------------------------------

DEPOSITD_NUMBER(14, submission_query);

/// Answer to reads of the read model.
struct submissions_found {
  std::vector<submission_row> rows;
  bool more = false; ///< cut short by `bytes_max`
};
DEPOSITD_MESSAGE(58, submissions_found, rows, more);

/// Finished submissions of a user leave the read model, some thousands at a
/// time: asked again until none is left.
struct forget_submissions {
  std::string user;
};
DEPOSITD_MESSAGE(31, forget_submissions, user);

struct submissions_forgotten {
  std::uint64_t count = 0;
};
DEPOSITD_MESSAGE(32, submissions_forgotten, count);

/// From whoever publishes the journal: all up to here has been told, or need
/// not be.
struct note_published {
  sequence upto = 0;
};
DEPOSITD_LOCAL(note_published);

/// Answered when all that is durable now has been published, at once where
/// nobody publishes. `ec::overloaded` if that takes too long.
struct await_published {};
DEPOSITD_LOCAL(await_published);

struct items_found {
  std::vector<item_row> rows;
  std::vector<std::string> bodies; ///< one per row, if asked for
};
DEPOSITD_MESSAGE(60, items_found, rows, bodies);

struct peek_items {
  std::string queue;
  std::uint32_t count_max = 10;
  bool pending_only = false;
  bool with_bodies = false;            ///< inline ones
  std::vector<std::string> users = {}; ///< only of these; empty: of all
};
DEPOSITD_MESSAGE(59, peek_items, queue, count_max, pending_only, with_bodies,
                 users);

DEPOSITD_NUMBER(132, failed_query);

struct failed_found {
  std::vector<record_row> rows;
};
DEPOSITD_MESSAGE(133, failed_found, rows);

struct compact_items {
  struct one {
    item_id id = 0;
    std::string queue;
    std::string user;
    std::shared_ptr<const std::string> body;
    body_location place; ///< where the body was read
  };
  std::vector<one> items;
};
DEPOSITD_LOCAL(compact_items);

struct match_items {
  std::string queue;
  std::vector<std::string> users;
  micros from_us = 0;
  micros to_us = 0;
  bool parked = false;
  item_id after = 0; ///< only later ones
  std::uint32_t count_max = 0;
};
DEPOSITD_LOCAL(match_items);

struct items_matched {
  std::vector<compact_items::one> items;
};
DEPOSITD_LOCAL(items_matched);

// -- the store ----------------------------------------------------------------

/// A copy of journal, tables, blobs and registry into a new folder.
struct back_up {
  std::string folder;
  /// What stages keep is copied with them, but for the objects, which would
  /// take too long here (`copy_objects`). Null: nothing.
  std::shared_ptr<work_copy> work = nullptr;
};
DEPOSITD_LOCAL(back_up);

/// The rest of a copy, to whoever has time for it.
struct copy_objects {
  std::shared_ptr<work_copy> work;
};
DEPOSITD_LOCAL(copy_objects);

struct report_store {};
DEPOSITD_MESSAGE(61, report_store);

struct store_report {
  sequence journalled = 0;
  sequence projected = 0;
  std::uint64_t journal_bytes = 0;
  std::uint64_t segments = 0;
};
DEPOSITD_MESSAGE(62, store_report, journalled, projected, journal_bytes,
                 segments);

} // namespace depositd
