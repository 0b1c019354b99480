#pragma once

// What shard and queues say to the actor of a user, which owns its items and
// claims.

#include "messages/journal.hpp"
#include "messages/message.hpp"
#include "messages/receiving.hpp"
#include "messages/values/control.hpp"
#include "messages/values/scheduling.hpp"
#include "messages/values/types.hpp"
#include "messages/work.hpp"

#include <caf/actor_control_block.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace depositd {

/// Number of a queue in its shard.
using queue_number = std::uint32_t;

// -- from the shard -----------------------------------------------------------

struct serve_queue {
  queue_number queue = 0;
  caf::strong_actor_ptr actor; ///< a queue_actor
  std::string name;
  queue_settings settings;
  size_classes classes;
  std::uint32_t classes_version = 0;
  member_number member = 0;
  std::uint64_t bytes_max = no_size_limit; ///< of the user, that wait
  fair_terms fair;
  cost_sum paid;            ///< under these terms, as far as it is known
  std::uint32_t weight = 1; ///< of the user: its allocation
};
DEPOSITD_LOCAL(serve_queue);

/// A queue in which the user has nothing is no more; nothing comes after this.
struct leave_queue {
  queue_number queue = 0;
};
DEPOSITD_LOCAL(leave_queue);

/// Settings of a queue changed; the size classes stay.
struct change_settings {
  queue_number queue = 0;
  queue_settings settings;
  std::uint64_t bytes_max = no_size_limit;
  fair_terms fair;
  std::uint32_t weight = 1; ///< as in `serve_queue`
};
DEPOSITD_LOCAL(change_settings);

/// Which record of a source an item is.
struct record_origin {
  std::string source;
  micros made_us = never; ///< of the source
  std::string key;
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
    std::shared_ptr<const submission> deposit;   ///< null: it is none
    std::shared_ptr<const batch_info> batch;     ///< null: it is none
    std::shared_ptr<const record_origin> origin; ///< null: of no source
    std::uint32_t position = 0;                  ///< in the answer's ids
  };
  queue_number queue = 0;
  std::vector<one> items;
  /// They were accepted by a log of records already: the pending limit is for
  /// those who can still be told to come back later.
  bool beyond_limit = false;
  /// If one of them, or of those for other queues, is refused, all are.
  bool whole = false;
  /// Of what comes claimed by its door: the user's cap, which that keeps to.
  std::uint32_t claims_max = no_cap;
  std::vector<accept_items> also;        ///< only of those that are whole
  std::shared_ptr<append_bundle> bundle; ///< null: may go alone
  std::shared_ptr<enqueue_answer> answer;
  std::shared_ptr<shared_reply> share;
};
DEPOSITD_LOCAL(accept_items);

/// Messages of one user, each of them for all of these queues, in one commit.
/// The number of a body's item in a queue is `id_first` plus the body's
/// position times the number of queues, plus the queue's position.
struct accept_messages {
  std::vector<queue_number> queues; ///< at least one
  item_id id_first = 0;
  std::uint32_t delay_ms = 0; ///< before they are handed out
  bool waits = false; ///< for what may come much later: not kept in memory
  std::vector<std::shared_ptr<const std::string>> bodies;
  std::shared_ptr<shared_reply> share;
};
DEPOSITD_LOCAL(accept_messages);

/// At most `count_max` of the items of a queue, of which nobody has claimed
/// any, go to the first of these queues, and a copy of each to every other one,
/// in one commit. Copies have numbers from `id_first` on.
struct spread_items {
  queue_number from = 0;
  std::vector<queue_number> to; ///< at least one
  item_id id_first = 0;
  std::uint32_t count_max = 1000;
};
DEPOSITD_LOCAL(spread_items);

/// Answered after the commit.
struct items_spread {
  std::uint32_t count = 0;
  bool more = false; ///< there may be some left
};
DEPOSITD_LOCAL(items_spread);

struct park_items {
  queue_number queue = 0;
  std::vector<item_id> ids;
  bool parked = true;
};
DEPOSITD_LOCAL(park_items);

/// Ends those of the items that wait.
struct cancel_items {
  queue_number queue = 0;
  std::vector<item_id> ids;
  std::string reason;
};
DEPOSITD_LOCAL(cancel_items);

/// Answered after the commit.
struct items_cancelled {
  std::uint64_t count = 0;
};
DEPOSITD_LOCAL(items_cancelled);

/// Ends all items up to `id_last`, slice by slice.
struct purge_items {
  queue_number queue = 0;
  item_id id_last = 0;
  std::shared_ptr<shared_reply> answer;
};
DEPOSITD_LOCAL(purge_items);

/// Moves at most `count_max` of the user's items up to `id_last` to another
/// queue that the user's actor serves.
struct move_items {
  queue_number from = 0;
  queue_number to = 0;
  item_id id_last = 0;
  std::uint32_t count_max = 1000;
};
DEPOSITD_LOCAL(move_items);

/// Answered after the commit.
struct items_moved {
  std::uint32_t moved = 0;
  bool more = false; ///< some up to `id_last` are still there
};
DEPOSITD_LOCAL(items_moved);

/// Bodies as read from the segment that is to go; null where that failed.
struct compact_bodies {
  queue_number queue = 0;
  std::vector<item_id> ids;
  std::vector<std::shared_ptr<const std::string>> bodies;
  std::vector<body_location> places; ///< where they were read
};
DEPOSITD_LOCAL(compact_bodies);

/// What its user's actor decides about batches and jobs by.
struct use_work_terms {
  control_snapshot control;
};
DEPOSITD_LOCAL(use_work_terms);

struct hold_collection {
  std::string name;
};
DEPOSITD_LOCAL(hold_collection);

struct find_item {
  item_id id = 0;
};
DEPOSITD_LOCAL(find_item);

struct item_found {
  bool found = false;
  queue_number queue = 0;
  item_view item;
};
DEPOSITD_LOCAL(item_found);

struct report_user {};
DEPOSITD_LOCAL(report_user);

struct user_report {
  struct entry {
    std::string queue;
    std::uint64_t size = 0;
    std::uint64_t pending = 0;
    std::uint32_t claims = 0;
    std::uint64_t parked = 0;
    std::uint64_t bytes = 0; ///< of what is pending
    std::uint64_t bytes_max = no_size_limit;
  };
  std::string user;
  std::vector<entry> entries;
};
DEPOSITD_LOCAL(user_report);

struct retire {};
DEPOSITD_LOCAL(retire);

struct retired {
  bool left = false; ///< false: it has items again and stays
};
DEPOSITD_LOCAL(retired);

// -- from queues --------------------------------------------------------------

/// Who asked for the picks that a user's actor is given.
struct taker {
  caf::strong_actor_ptr to; ///< a processor_actor
  std::uint32_t processor = 0;
  std::string name;
  std::uint32_t lease_ms = 0;
  bool local = false;
  std::shared_ptr<receive_answer> receiver; ///< instead of a processor
};

struct hand_over {
  queue_number queue = 0;
  std::vector<pick> picks; ///< all of this user
  taker who;
  std::vector<std::uint32_t> slots; ///< of a receiver, one per pick
  /// Fair by cost: what the picks were charged under, how many reports of costs
  /// of this user the queue had heard by then, and where its ring stands.
  fair_terms fair;
  std::uint64_t costs_heard = 0;
  std::uint64_t cost_floor = 0;
  /// The user's cap. Since the picks were made a claim may have begun that none
  /// of them led to.
  std::uint32_t claims_max = no_cap;
};
DEPOSITD_LOCAL(hand_over);

struct settle {
  queue_number queue = 0;
  caf::strong_actor_ptr to; ///< gets a settlement for each outcome
  std::vector<outcome> outcomes;
};
DEPOSITD_LOCAL(settle);

struct renew {
  queue_number queue = 0;
  std::uint32_t lease_ms = 0;
  struct claim {
    item_id id = 0;
    claim_token token = 0;
  };
  std::vector<claim> claims;
};
DEPOSITD_LOCAL(renew);

/// A processor of this name came back and holds these claims: they stay in
/// force, with a new deadline; every other claim of the name ends.
struct adopt_claims {
  queue_number queue = 0;
  std::string processor;
  std::uint32_t lease_ms = 0;
  std::vector<renew::claim> claims;
};
DEPOSITD_LOCAL(adopt_claims);

/// Answered after the commit. By position: whether the claim is in force.
struct claims_adopted {
  std::vector<std::uint8_t> in_force;
};
DEPOSITD_LOCAL(claims_adopted);

struct release_claims {
  queue_number queue = 0;
  std::string processor;                ///< empty: of all
  std::shared_ptr<shared_reply> answer; ///< may be null
};
DEPOSITD_LOCAL(release_claims);

/// Ends items by id, whoever has claimed them.
struct settle_named {
  queue_number queue = 0;
  std::vector<settle_items::one> items;
  std::vector<std::uint32_t> positions; ///< in the answer
  std::shared_ptr<end_answer> answer;
  std::shared_ptr<shared_reply> share;
};
DEPOSITD_LOCAL(settle_named);

struct renew_named {
  queue_number queue = 0;
  std::string taker;
  std::uint32_t lease_ms = 0; ///< 0: release
  std::vector<item_id> ids;
  /// Claims that may begin with it: they have places under the user's cap.
  std::uint32_t begins_max = 0;
  std::shared_ptr<shared_reply> share;
};
DEPOSITD_LOCAL(renew_named);

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
DEPOSITD_LOCAL(admit_items);

/// An equal item was handed out: these end, unless they were too.
struct collapse_items {
  queue_number queue = 0;
  std::vector<item_id> ids;
};
DEPOSITD_LOCAL(collapse_items);

struct reclassify {
  queue_number queue = 0;
  size_classes classes;
  std::uint32_t classes_version = 0;
};
DEPOSITD_LOCAL(reclassify);

} // namespace depositd
