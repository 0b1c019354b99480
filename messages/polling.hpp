#pragma once

// What doors say whose workers poll (EmoDB's): take some items now, end or
// extend claims by item, without a processor that stays. Process-local.

#include "messages/values/types.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/message_id.hpp>
#include <caf/error.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace depositd {

/// A short name of a user that is the same for ever. Two users may share one.
using user_digest = std::uint32_t;

/// FNV-1a, 32 bits.
constexpr user_digest digest_of_user(std::string_view user) noexcept {
  std::uint32_t out = 2166136261U;
  for (const char c : user)
    out = (out ^ static_cast<unsigned char>(c)) * 16777619U;
  return out;
}

/// An item as a polling worker names it: it never hears of tokens.
struct item_name {
  item_id id = 0;
  user_digest user = 0;

  friend bool operator==(const item_name&, const item_name&) = default;
};

/// Claims up to `count` items for `lease_ms` and answers at once, with fewer or
/// none if that is all there is. An unknown queue has nothing.
struct receive_items {
  std::string queue;
  std::string taker;          ///< whose claims they are, for operators
  std::uint32_t count = 0;
  std::uint32_t lease_ms = 0; ///< at least 1
  std::uint32_t claims_max = no_cap; ///< of the queue; past it nothing is taken
};

struct received_item {
  item_name name; ///< id 0: nothing was taken for this pick
  std::uint32_t attempt = 0;
  body_kind kind = body_kind::inline_bytes;
  micros received_us = 0;
  std::string user;
  std::shared_ptr<const std::string> body;
};

/// In the order of the ring's picks.
struct items_received {
  std::vector<received_item> items;
};

/// Ends items by name. `done` ends an item whatever its claim, and one that is
/// gone is no error; every other verdict needs a live claim.
struct settle_items {
  struct one {
    item_name name;
    verdict says = verdict::done;
    std::uint32_t delay_ms = 0; ///< as in `outcome`
    std::string reason;
    std::string batch_id;
    std::string document;
  };
  std::string queue;
  std::vector<one> items;
};

/// By position: whether the item was there, and claimed if that was needed.
struct items_settled {
  std::vector<std::uint8_t> accepted;
};

/// A later deadline for claims, never an earlier one; an item that is not
/// claimed is claimed anew. `lease_ms` 0 releases instead.
struct renew_items {
  std::string queue;
  std::string taker;
  std::uint32_t lease_ms = 0;
  std::vector<item_name> items;
};

/// Ends every claim of a queue; its items are pending again.
struct release_queue {
  std::string queue;
};

struct count_queue {
  std::string queue;
};

/// An unknown queue has none.
struct queue_counted {
  std::uint64_t items = 0;  ///< claimed, delayed and parked ones included
  std::uint64_t claims = 0;
};

/// Moves what one queue holds now to another, claimed items included; in their
/// order of arrival they stand among what the other has.
/// Answered as soon as it will happen whatever crashes; the control state then
/// says under `reference` how far it is.
struct move_queue {
  std::string from;
  std::string to;
};

struct move_begun {
  std::string reference;
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
