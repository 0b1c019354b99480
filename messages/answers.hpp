#pragma once

// Answers on their way: what several parts of the work share, counted by
// whoever finishes a part. None of these is a message; local messages carry
// them.

#include "messages/receiving.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
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

/// The answer to one `enqueue` while its parts are on their way. Each user
/// clears the ids of those of its own items that it refuses, before it sends
/// its share on; nobody reads it before the last share is committed.
struct enqueue_answer {
  std::vector<item_id> ids;
  bool over_bytes = false; ///< some were refused because of their bytes
  bool over_claims = false; ///< as many claims as may be have begun already
  std::string refusal;     ///< why an order cannot come now
};

/// The answer to one `settle_items` while its parts are on their way; see
/// `enqueue_answer`.
struct end_answer {
  std::vector<std::uint8_t> accepted;
};

/// The answer to one `receive_items` on its way: every pick has a place in
/// `items`, filled by whoever has the item's body, and counts once.
struct receive_answer {
  receive_answer() = default;
  receive_answer(const receive_answer&) = delete;
  receive_answer& operator=(const receive_answer&) = delete;
  /// Answers with an error if picks are lost with the actor that had them.
  ~receive_answer();

  caf::strong_actor_ptr to;
  caf::message_id id;
  std::vector<received_item> items;
  std::atomic<std::uint32_t> open{0};
  std::atomic<bool> failed{false};
};

/// Counts picks that took nothing; the last one answers.
void count(receive_answer& x, std::uint32_t picks);

/// Puts an item into its place and counts it. The body may be null.
void fill(receive_answer& x, std::uint32_t slot, claimed_item&& item,
          std::shared_ptr<const std::string> body);

/// Answers with an error instead, once.
void fail(receive_answer& x, const caf::error& why);

} // namespace depositd
