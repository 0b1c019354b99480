#pragma once

// Messages that stay inside one process: they carry promises to answer, shared
// bodies and snapshots. CAF never serializes them (see type_ids.hpp).

#include "messages/codec.hpp"
#include "messages/control.hpp"
#include "messages/errors.hpp"
#include "messages/events.hpp"
#include "messages/polling.hpp"
#include "messages/rows.hpp"
#include "messages/scheduling.hpp"
#include "messages/types.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace depositd {

// -- what leaves after a commit -----------------------------------------------

/// Whom to answer, and under which request.
struct reply_address {
  caf::strong_actor_ptr to;
  caf::message_id id;
};

/// An answer to one request.
struct reply {
  reply_address where;
  caf::message what;
};

/// One answer to a request whose work several appends carry. Each of them
/// holds a share; the answer leaves when the last share is committed. Counted
/// by the journal alone. Shares that are lost with the actor that had them
/// make the answer an error.
struct shared_reply {
  shared_reply() = default;
  shared_reply(const shared_reply&) = delete;
  shared_reply& operator=(const shared_reply&) = delete;
  ~shared_reply();

  reply_address where;
  std::function<caf::message()> what; ///< called once, after the last commit
  std::uint32_t shares = 0;
};

/// Something for a processor: an item handed out, or a settlement. All that a
/// group holds for one processor leaves as one message.
struct hand_out {
  caf::strong_actor_ptr to; ///< null: to a poll
  claimed_item item;
  std::shared_ptr<const std::string> body; ///< null: read at `place`
  body_place place;
  std::shared_ptr<poll_answer> poll;
  std::uint32_t slot = 0; ///< in the poll's items
};

/// Picks of a poll that took nothing.
struct poll_missed {
  std::shared_ptr<poll_answer> poll;
  std::uint32_t count = 0;
};

struct settlement_notice {
  caf::strong_actor_ptr to;
  item_id id = 0;
  bool accepted = false;
};

using delivery = std::variant<reply, std::shared_ptr<shared_reply>, hand_out,
                              settlement_notice, poll_missed>;

/// One command's events on their way to the journal, with what leaves after
/// the commit. Without bytes it only keeps its place in the order.
struct append {
  std::uint32_t generation = 0;      ///< see `begin_generation`
  std::string bytes;                 ///< encoded records
  std::uint32_t events = 0;          ///< in `bytes`
  std::vector<body_slot> slots;      ///< bodies whose place is asked for
  caf::strong_actor_ptr places_to;   ///< gets `places` for `slots`, or null
  std::string places_queue;
  std::vector<delivery> deliveries;  ///< in order
};

/// Appends that make one group of the journal.
struct write_group {
  std::vector<append> members;
};

/// The group is durable and what hung on it has left; or it failed, and those
/// who waited were told so.
struct group_written {
  caf::error failure;
};

/// The shard has (re)built its actors from the store: appends of earlier
/// generations rest on events that never were committed and are refused.
struct begin_generation {
  std::uint32_t generation = 0;
};

/// Where bodies ended up.
struct places {
  std::string queue;
  std::vector<std::pair<item_id, body_place>> found;
};

/// Hand-outs whose bodies must be read first, on their way to the body reader.
struct read_and_hand_out {
  std::vector<hand_out> items;
};

// -- control ------------------------------------------------------------------

/// Control events that an operator wants; each is the whole new value.
struct propose {
  std::vector<event> changes;
};

/// The newest control state, to whoever watches.
struct control_changed {
  control_snapshot state;
};

// -- doors --------------------------------------------------------------------

/// One deposit: the item's body is the envelope, the post is in the blob store.
struct submit {
  std::string queue;
  std::string user;
  std::uint8_t priority = 0;
  submission particulars;
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

// -- shard and queues ---------------------------------------------------------

/// A user and what it has in the queue already (after recovery).
struct introduce {
  member_number member = 0;
  std::string user;
  caf::strong_actor_ptr node; ///< a user_node_actor
  member_terms terms;
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

struct change_terms {
  struct entry {
    member_number member = 0;
    member_terms terms;
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
    standing_report report;
  };
  std::string queue;
  std::vector<entry> entries;
};

struct explain_member {
  member_number member = 0;
  std::uint64_t size = 0; ///< of the item in question
};

struct member_explained {
  standing_report report;
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
  std::vector<digested> handed;
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
  std::shared_ptr<poll_answer> poll; ///< instead of a processor
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

struct extend_claims {
  queue_number queue = 0;
  std::uint32_t lease_ms = 0;
  struct claim {
    item_id id = 0;
    claim_token token = 0;
  };
  std::vector<claim> claims;
};

struct release_claims {
  queue_number queue = 0;
  std::string processor; ///< empty: of all
  std::shared_ptr<shared_reply> answer; ///< may be null
};

/// The answer to one `end_items` while its parts are on their way; see
/// `enqueue_answer`.
struct end_answer {
  std::vector<std::uint8_t> accepted;
};

/// Ends items by id, whoever has claimed them.
struct end_named {
  queue_number queue = 0;
  std::vector<end_items::one> items;
  std::vector<std::uint32_t> positions; ///< in the answer
  std::shared_ptr<end_answer> answer;
  std::shared_ptr<shared_reply> share;
};

struct extend_named {
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
    std::uint32_t position = 0; ///< in the answer's ids
  };
  queue_number queue = 0;
  std::vector<one> items;
  std::vector<submission> particulars; ///< one per item, or none
  std::shared_ptr<enqueue_answer> answer;
  std::shared_ptr<shared_reply> share;
};

struct park_items {
  queue_number queue = 0;
  std::vector<item_id> ids;
  bool parked = true;
  std::shared_ptr<shared_reply> answer;
};

struct purge_items {
  queue_number queue = 0;
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
struct relocate_bodies {
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

struct report_node {};

struct node_report {
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

// -- asking the shard ---------------------------------------------------------

struct reserve_id {};

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

struct purge_queue {
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

struct relocate_items {
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

/// See actors/recovery.hpp, which says what is inside.
struct recovered {
  std::shared_ptr<struct recovered_state> state;
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
};

struct items_matched {
  std::vector<relocate_items::one> items;
};

struct back_up {
  std::string folder;
};

struct report_store {};

struct store_report {
  sequence journalled = 0;
  sequence projected = 0;
  std::uint64_t journal_bytes = 0;
  std::uint64_t extents = 0;
};

struct handle_item {
  std::string queue;
  std::string processor;
  claimed_item item;
};

struct report_slots {};

struct slots_report {
  struct entry {
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

} // namespace depositd
