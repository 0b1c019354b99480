#pragma once

// What goes to the journal, and what leaves after the commit. Process-local.

#include "messages/commands.hpp"
#include "messages/ingest.hpp"
#include "messages/polling.hpp"
#include "messages/values/codec.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/types.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace depositd {

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
  body_location place;
  std::shared_ptr<receive_answer> poll;
  std::uint32_t slot = 0; ///< in the poll's items
};

/// Picks of a poll that took nothing.
struct receive_missed {
  std::shared_ptr<receive_answer> poll;
  std::uint32_t count = 0;
};

struct settlement_notice {
  caf::strong_actor_ptr to;
  item_id id = 0;
  bool accepted = false;
};

using delivery = std::variant<reply, std::shared_ptr<shared_reply>, hand_out,
                              settlement_notice, receive_missed>;

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
  std::uint32_t generation = 0;      ///< see `begin_generation`
  std::string bytes;                 ///< encoded records
  std::uint32_t events = 0;          ///< in `bytes`
  std::vector<body_slot> slots;      ///< bodies whose place is asked for
  caf::strong_actor_ptr locations_to; ///< gets `places` for `slots`, or null
  std::string locations_queue;
  std::vector<delivery> deliveries;  ///< in order
  std::shared_ptr<append_bundle> bundle; ///< null: may go alone
};

/// Appends that make one group of the journal.
struct write_group {
  std::vector<append> members;
  std::vector<watermark> watermarks; ///< a later one of a partition wins
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
struct body_locations {
  std::string queue;
  std::vector<std::pair<item_id, body_location>> found;
};

/// Hand-outs whose bodies must be read first, on their way to the body reader.
struct read_and_hand_out {
  std::vector<hand_out> items;
};

} // namespace depositd
