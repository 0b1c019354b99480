#pragma once

// What goes to the journal, and what leaves after the commit.

#include "messages/answers.hpp"
#include "messages/message.hpp"
#include "messages/ports/journal_store.hpp"
#include "messages/queue.hpp"
#include "messages/values/codec.hpp"
#include "messages/values/types.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace depositd {

// -- after the commit ---------------------------------------------------------

/// Something for a processor: an item handed out, or a settlement. All that a
/// group holds for one processor leaves as one message.
struct hand_out {
  caf::strong_actor_ptr to; ///< null: to a receiver
  claimed_item item;
  std::shared_ptr<const std::string> body; ///< null: read at `place`
  body_location place;
  std::shared_ptr<receive_answer> receiver;
  std::uint32_t slot = 0; ///< in the receiver's items
};

/// Picks of a receiver that took nothing.
struct receive_missed {
  std::shared_ptr<receive_answer> receiver;
  std::uint32_t count = 0;
};

struct settlement_notice {
  caf::strong_actor_ptr to;
  item_id id = 0;
  bool accepted = false;
};

/// For the queue's actor, which tells who had the item. All that a group holds
/// for one queue leaves as one `claims_purged`.
struct purge_notice {
  caf::strong_actor_ptr to; ///< a queue_actor
  purged_claim claim;
};

using delivery = std::variant<reply, std::shared_ptr<shared_reply>, hand_out,
                              settlement_notice, receive_missed, purge_notice>;

/// Hand-outs whose bodies must be read first, on their way to the body reader.
struct read_and_hand_out {
  std::vector<hand_out> items;
};
DEPOSITD_LOCAL(read_and_hand_out);

/// Where bodies ended up.
struct body_locations {
  std::string queue;
  std::vector<std::pair<item_id, body_location>> found;
};
DEPOSITD_LOCAL(body_locations);

// -- before it ----------------------------------------------------------------

/// Appends that must be in one group, with the watermarks that go with them.
/// The journal lets no group go before all of them have come; counted by it
/// alone.
struct append_bundle {
  std::uint32_t parts = 0; ///< in all
  std::uint32_t come = 0;
  std::vector<watermark> watermarks;
};

/// One command's events on their way to the journal, with what leaves after
/// the commit. Without bytes it only keeps its place in the order.
struct append {
  std::uint32_t generation = 0; ///< see `begin_generation`
  std::string bytes;            ///< encoded records
  std::uint32_t events = 0;     ///< in `bytes`
  std::vector<body_slot> slots; ///< bodies whose place is asked for
  /// Gets `body_locations` for `slots`; may be null.
  caf::strong_actor_ptr locations_to;
  std::string locations_queue;
  std::vector<delivery> deliveries;      ///< in order
  std::shared_ptr<append_bundle> bundle; ///< null: may go alone
};
DEPOSITD_LOCAL(append);

/// The shard has (re)built its actors from the store: appends of earlier
/// generations rest on events that never were committed and are refused.
struct begin_generation {
  std::uint32_t generation = 0;
};
DEPOSITD_LOCAL(begin_generation);

/// To the journal: goes into the next group. Meanwhile a crash repeats what the
/// watermark would have saved, no more.
struct keep_watermark {
  watermark what;
};
DEPOSITD_LOCAL(keep_watermark);

/// Appends that make one group of the journal.
struct write_group {
  std::vector<append> members;
  std::vector<watermark> watermarks; ///< a later one of a partition wins
};
DEPOSITD_LOCAL(write_group);

/// The group is durable and what hung on it has left; or it failed, and those
/// who waited were told so.
struct group_written {
  caf::error failure;
};
DEPOSITD_LOCAL(group_written);

} // namespace depositd
