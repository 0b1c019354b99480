#pragma once

// Messages that stay inside one process: they carry promises to answer, shared
// bodies and snapshots. CAF never serializes them (see type_ids.hpp). Here are
// those of doors, operators and the read model; the engine's inner traffic is
// in appends.hpp and ring_traffic.hpp.

#include "messages/appends.hpp"
#include "messages/ring_traffic.hpp"
#include "messages/values/control.hpp"
#include "messages/values/events.hpp"
#include "messages/values/rows.hpp"
#include "messages/values/scheduling.hpp"
#include "messages/values/sharding.hpp"
#include "messages/values/types.hpp"

#include <caf/actor_control_block.hpp>

#include <memory>
#include <string>
#include <vector>

namespace depositd::shard {
struct recovered_state;
} // namespace depositd::shard

namespace depositd {

// -- control ------------------------------------------------------------------

/// Control events that an operator wants; each is the whole new value.
struct propose {
  std::vector<event> changes;
};

/// The newest control state, to whoever watches. `revision` rises with every
/// change, over all owners of shard 0.
struct control_changed {
  control_snapshot state;
  std::uint64_t revision = 0;
};

/// To a shard that is not shard 0: journal what differs from this state. An
/// older revision than it has seen changes nothing.
struct adopt_control {
  control_snapshot state;
  std::uint64_t revision = 0;
};

// -- doors --------------------------------------------------------------------

/// One deposit: the item's body is the envelope, the post is in the blob store.
struct submit {
  std::string queue;
  std::string user;
  std::uint8_t priority = 0;
  depositd::submission submission;
};

/// A deposit that a synchronous door has processed already.
struct record_submission {
  submission_recorded what; ///< id 0: the shard gives one
  std::string user;
};

/// Answer to reads of the read model.
struct submissions_found {
  std::vector<submission_row> rows;
};

struct items_found {
  std::vector<item_row> rows;
  std::vector<std::string> bodies; ///< one per row, if asked for
};

// -- asking the shard ---------------------------------------------------------

/// Asks for the doors of a queue, which comes into being if it is new.
struct open_ports {
  std::string name;
};

struct reserve_id {
  std::string user; ///< whose shard gives the number
};

struct id_reserved {
  item_id id = 0;
};

struct watch_control {
  caf::strong_actor_ptr who; ///< gets `control_changed`; may be null
};

struct count_pending {
  std::string queue;
  std::string user;
};

struct pending_counted {
  std::uint64_t pending = 0;
  std::uint64_t limit = 0;
};

struct park_matching {
  static constexpr bool takes_long = true; ///< whoever asks has to be patient

  std::string queue;              ///< empty: all
  std::vector<std::string> users; ///< empty: all
  micros from_us = 0;
  micros to_us = 0;
  bool parked = true;
  bool count_only = false;
};

struct matching_parked {
  std::uint64_t count = 0;
};

/// Ends what the queue has now; answered when all of it is durably gone.
struct purge_queue {
  static constexpr bool takes_long = true;

  std::string queue;
};

struct explain_item {
  item_id id = 0;
  std::string user; ///< whose it is, from the read model
};

struct item_explained {
  bool live = false;
  std::string queue;
  std::string user;
  item_view item;
  member_explained member;
};

struct list_queues {};

struct queues_listed {
  std::vector<queue_report> queues;
  bool suspended = false;
};

struct list_users {
  std::string queue; ///< empty: all
};

struct users_listed {
  std::vector<members_report> queues;
};

struct compact_items {
  struct one {
    item_id id = 0;
    std::string queue;
    std::string user;
    std::shared_ptr<const std::string> body;
  };
  std::vector<one> items;
};

struct journal_failed {
  caf::error reason;
};

struct drain {
  std::uint32_t within_ms = 10'000;
};

/// Answered when recovery is over.
struct await_ready {};

/// Whether new work would be taken now; the error says why not.
struct check_intake {};

/// The state as it was at the last commit, from projection and journal.
struct recover {};

/// See actors/projection/recovery.hpp, which says what is inside.
struct recovered {
  std::shared_ptr<shard::recovered_state> state;
};

/// Tells the projector whom to ask for relocations.
struct meet_shard {
  caf::strong_actor_ptr shard; ///< a shard_actor
};

// -- projector, handlers, processors, supervisor ------------------------------

struct peek_items {
  std::string queue;
  std::uint32_t count_max = 10;
  bool pending_only = false;
  bool with_bodies = false; ///< inline ones
};

struct match_items {
  std::string queue;
  std::vector<std::string> users;
  micros from_us = 0;
  micros to_us = 0;
  bool parked = false;
  item_id after = 0; ///< only later ones
  std::uint32_t count_max = 0;
};

struct items_matched {
  std::vector<compact_items::one> items;
};

struct back_up {
  std::string folder;
};

struct report_store {};

struct store_report {
  sequence journalled = 0;
  sequence projected = 0;
  std::uint64_t journal_bytes = 0;
  std::uint64_t segments = 0;
};

struct handle_item {
  std::string queue;
  std::string processor;
  claimed_item item;
};

struct report_slots {};

struct slots_report {
  struct entry {
    std::string node; ///< empty: inside the engine
    std::string processor;
    std::uint32_t slot = 0;
    std::string queue;
    item_id item = 0; ///< 0: idle
    std::string user;
    micros since_us = never;
    criteria wants;
  };
  std::vector<entry> entries;
};

/// An operator's file: kept as a blob, then submitted like any deposit. `user`
/// need not have an account.
struct submit_file {
  std::string user;
  std::string file_name;
  std::string operation;      ///< doMDUpload, doQueryUpload, ...
  std::string content_base64; ///< with padding
};

struct stop_engine {};

// -- logs of records ----------------------------------------------------------

struct report_intake {};

struct intake_report {
  struct entry {
    std::string partition;
    std::int64_t next = 0; ///< offset that is read next
    std::int64_t end = 0;  ///< of the log, when it was last seen
  };
  std::vector<entry> partitions;
  std::uint64_t accepted = 0; ///< since the engine started
  std::uint64_t rejected = 0;
  std::string trouble; ///< why it does not read now; empty: it does
};

struct report_publisher {};

struct publisher_report {
  sequence published = 0;
  std::uint64_t events = 0; ///< since the engine started
  std::uint64_t dead_letters = 0;
  std::string trouble;
};

struct create_topics {};

struct topics_created {
  struct entry {
    std::string topic;
    std::uint32_t partitions = 0;
    bool existed = false;
  };
  std::vector<entry> topics;
};

// -- processors on other nodes ------------------------------------------------

/// A call of the blob store or the registry, in the bytes of adapters/node.
struct effect_call {
  std::string what;
  std::string arguments;
};

struct effect_result {
  std::string bytes;
};

} // namespace depositd
