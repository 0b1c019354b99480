#pragma once

// What shard, queues and the nodes of users say to each other. Process-local.

#include "messages/appends.hpp"
#include "messages/polling.hpp"
#include "messages/values/rows.hpp"
#include "messages/values/scheduling.hpp"
#include "messages/values/types.hpp"

#include <caf/actor_control_block.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace depositd {

// -- shard and queues ---------------------------------------------------------

/// A user and what it has in the queue already (after recovery).
struct introduce {
  member_number member = 0;
  std::string user;
  caf::strong_actor_ptr actor; ///< a user_actor
  member_limits limits;
  std::uint64_t stamp = 0;
  std::uint32_t credit = 0;
  std::vector<ready_change> ready; ///< what the user has already
  std::vector<arrival> arrived;    ///< what waits to be admitted
  std::uint32_t in_flight = 0;
  std::uint64_t items = 0;         ///< in all
};

struct forget_member {
  member_number member = 0;
};

struct member_forgotten {
  std::uint64_t stamp = 0;
  std::uint32_t credit = 0;
};

struct configure_queue {
  queue_settings settings;
  bool server_suspended = false;
};

struct change_limits {
  struct entry {
    member_number member = 0;
    member_limits limits;
  };
  std::vector<entry> entries;
};

/// Recovery is over. `stamp_last`: highest stamp ever given in this queue.
struct begin {
  std::uint64_t stamp_last = 0;
};

struct report_queue {};

struct queue_report {
  std::string name;
  queue_settings settings;
  bool server_suspended = false;
  std::uint64_t ready = 0;
  std::uint64_t in_flight = 0;
  std::uint32_t users = 0;
  std::uint32_t eligible_users = 0;
  std::uint32_t processors = 0;
  std::uint64_t handed_out = 0; ///< since the engine started
  std::uint64_t finished = 0;   ///< since the engine started
};

struct report_members {};

struct members_report {
  struct entry {
    std::string user;
    eligibility_report report;
  };
  std::string queue;
  std::vector<entry> entries;
};

struct explain_member {
  member_number member = 0;
  std::uint64_t size = 0; ///< of the item in question
};

struct member_explained {
  eligibility_report report;
  bool suspended = false;
  bool server_suspended = false;
  std::uint32_t processors = 0;          ///< attached to the queue
  std::uint32_t processors_matching = 0; ///< whose criteria admit the item
};

struct report_processors {};

struct processors_report {
  struct entry {
    std::string name;
    std::string queue;
    std::string node; ///< empty: inside the engine
    criteria wants;
    std::uint32_t credit = 0; ///< items it waits for
    std::uint32_t holds = 0;  ///< items it has
    bool local = false;
  };
  std::vector<entry> entries;
};

// -- queues and nodes ---------------------------------------------------------

/// Number of a queue in its shard.
using queue_number = std::uint32_t;

struct serve_queue {
  queue_number queue = 0;
  caf::strong_actor_ptr actor; ///< a queue_actor
  std::string name;
  queue_settings settings;
  size_classes classes;
  std::uint32_t classes_version = 0;
  member_number member = 0;
};

/// Settings of a queue changed; the size classes stay.
struct change_settings {
  queue_number queue = 0;
  queue_settings settings;
};

struct counts_changed {
  member_number member = 0;
  std::uint32_t classes_version = 0;
  bool all = false; ///< `ready` are totals that replace what was known
  /// Picks that took an item, by band and, in `cls`, their `class_max`.
  std::vector<ready_change> answered;
  std::vector<ready_change> ready;
  /// Of queues that collapse between polls, in this order: came and must be
  /// admitted, was handed out for the first time, left without ever being so.
  std::vector<arrival> arrived;
  std::vector<digested> deliver;
  std::vector<digested> left;
  std::uint32_t collapses_done = 0; ///< ids of `collapse_items` dealt with
  std::int32_t claims_ended = 0; ///< negative: claims that survived a restart
  std::uint32_t finished = 0;    ///< of those, items that left the queue
  std::int64_t items = 0;        ///< more or fewer of them in all
};

/// Who asked for the picks that a node is given.
struct taker {
  caf::strong_actor_ptr to; ///< a processor_actor
  std::uint32_t processor = 0;
  std::string name;
  std::uint32_t lease_ms = 0;
  bool local = false;
  std::shared_ptr<receive_answer> poll; ///< instead of a processor
};

struct hand_over {
  queue_number queue = 0;
  std::vector<pick> picks; ///< all of this node's user
  taker who;
  std::vector<std::uint32_t> slots; ///< of a poll, one per pick
};

struct picks_declined {
  std::vector<pick> picks;
  std::uint32_t processor = 0;
};

struct settle {
  queue_number queue = 0;
  caf::strong_actor_ptr to; ///< gets a settlement for each outcome
  std::vector<outcome> outcomes;
};

struct renew {
  queue_number queue = 0;
  std::uint32_t lease_ms = 0;
  struct claim {
    item_id id = 0;
    claim_token token = 0;
  };
  std::vector<claim> claims;
};

/// A processor of this name came back and holds these claims: they stay in
/// force, with a new deadline; every other claim of the name ends.
struct adopt_claims {
  queue_number queue = 0;
  std::string processor;
  std::uint32_t lease_ms = 0;
  std::vector<renew::claim> claims;
};

/// Answered after the commit. By position: whether the claim is in force.
struct claims_adopted {
  std::vector<std::uint8_t> in_force;
};

struct release_claims {
  queue_number queue = 0;
  std::string processor; ///< empty: of all
  std::shared_ptr<shared_reply> answer; ///< may be null
};

/// The answer to one `settle_items` while its parts are on their way; see
/// `enqueue_answer`.
struct end_answer {
  std::vector<std::uint8_t> accepted;
};

/// Ends items by id, whoever has claimed them.
struct settle_named {
  queue_number queue = 0;
  std::vector<settle_items::one> items;
  std::vector<std::uint32_t> positions; ///< in the answer
  std::shared_ptr<end_answer> answer;
  std::shared_ptr<shared_reply> share;
};

struct renew_named {
  queue_number queue = 0;
  std::string taker;
  std::uint32_t lease_ms = 0; ///< 0: release
  std::vector<item_id> ids;
  std::shared_ptr<shared_reply> share;
};

/// No equal item of the queue waits before these: they are ready.
struct admit_items {
  struct one {
    item_id id = 0;
    std::uint8_t band = 0; ///< where it was counted
    size_class cls = 0;
  };
  queue_number queue = 0;
  bool counted = false; ///< false: report them as ready
  std::vector<one> items;
};

/// An equal item was handed out: these end, unless they were too.
struct collapse_items {
  queue_number queue = 0;
  std::vector<item_id> ids;
};

struct reclassify {
  queue_number queue = 0;
  size_classes classes;
  std::uint32_t classes_version = 0;
};

// -- shard and nodes ----------------------------------------------------------

/// The answer to one `enqueue` while its parts are on their way. Each node
/// clears the ids of those of its own items that it refuses, before it sends
/// its share on; nobody reads it before the last share is committed.
struct enqueue_answer {
  std::vector<item_id> ids;
};

/// Items with ids, of one user.
struct accept_items {
  struct one {
    item_id id = 0;
    std::uint8_t priority = 0;
    std::uint64_t size = 0;
    std::uint64_t digest = 0;
    body_kind kind = body_kind::inline_bytes;
    std::shared_ptr<const std::string> body;
    std::shared_ptr<const submission> deposit; ///< null: it is none
    std::uint32_t position = 0;                ///< in the answer's ids
  };
  queue_number queue = 0;
  std::vector<one> items;
  /// They were accepted by a log of records already: the pending limit is for
  /// those who can still be told to come back later.
  bool beyond_limit = false;
  std::shared_ptr<append_bundle> bundle; ///< null: may go alone
  std::shared_ptr<enqueue_answer> answer;
  std::shared_ptr<shared_reply> share;
};

struct park_items {
  queue_number queue = 0;
  std::vector<item_id> ids;
  bool parked = true;
};

/// Ends all items up to `id_last`, slice by slice.
struct purge_items {
  queue_number queue = 0;
  item_id id_last = 0;
  std::shared_ptr<shared_reply> answer;
};

/// Moves at most `count_max` of the user's items up to `id_last` to another
/// queue that the node serves.
struct move_items {
  queue_number from = 0;
  queue_number to = 0;
  item_id id_last = 0;
  std::uint32_t count_max = 1000;
};

/// Answered after the commit.
struct items_moved {
  std::uint32_t moved = 0;
  bool more = false; ///< some up to `id_last` are still there
};

/// Bodies as read from the extent that is to go; null where that failed.
struct compact_bodies {
  queue_number queue = 0;
  std::vector<item_id> ids;
  std::vector<std::shared_ptr<const std::string>> bodies;
};

struct find_item {
  item_id id = 0;
};

struct item_found {
  bool found = false;
  queue_number queue = 0;
  item_view item;
};

struct report_user {};

struct user_report {
  struct entry {
    std::string queue;
    std::uint64_t size = 0;
    std::uint64_t pending = 0;
    std::uint32_t claims = 0;
    std::uint64_t parked = 0;
  };
  std::string user;
  std::vector<entry> entries;
};

struct retire {};

struct retired {
  bool left = false; ///< false: it has items again and stays
};

} // namespace depositd
