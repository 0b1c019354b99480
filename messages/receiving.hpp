#pragma once

// What receiving doors say for their workers (EmoDB's): receive some now, end
// or extend claims by item, without a processor that stays.

#include "messages/message.hpp"
#include "messages/values/types.hpp"

#include <caf/error.hpp>
#include <caf/meta/load_callback.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
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

/// An item as a receiving worker names it: it never hears of tokens.
struct item_name {
  item_id id = 0;
  user_digest user = 0;

  friend bool operator==(const item_name&, const item_name&) = default;
};
DEPOSITD_FIELDS(item_name, id, user);

/// Claims up to `count` items for `lease_ms` and answers at once, with fewer or
/// none if that is all there is. An unknown queue has nothing.
struct receive_items {
  std::string queue;
  std::string taker; ///< whose claims they are, for operators
  std::uint32_t count = 0;
  std::uint32_t lease_ms = 0;        ///< at least 1
  std::uint32_t claims_max = no_cap; ///< of the queue; past it nothing is taken
};
DEPOSITD_MESSAGE(36, receive_items, queue, taker, count, lease_ms, claims_max);

struct received_item {
  item_name name; ///< id 0: nothing was taken for this pick
  std::uint32_t attempt = 0;
  body_kind kind = body_kind::inline_bytes;
  micros received_us = 0;
  std::string user;
  std::shared_ptr<const std::string> body;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, received_item& x) {
  auto there = x.body != nullptr;
  std::string bytes;
  if constexpr (Inspector::reads_state)
    if (x.body)
      bytes = *x.body;
  auto load = [&]() -> caf::error {
    x.body =
      there ? std::make_shared<const std::string>(std::move(bytes)) : nullptr;
    return caf::none;
  };
  return f(x.name, x.attempt, x.kind, x.received_us, x.user, there, bytes,
           caf::meta::load_callback(load));
}

/// In the order of the ring's picks.
struct items_received {
  std::vector<received_item> items;
};
DEPOSITD_MESSAGE(37, items_received, items);

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
DEPOSITD_FIELDS(settle_items::one, name, says, delay_ms, reason, batch_id,
                document);
DEPOSITD_MESSAGE(38, settle_items, queue, items);

/// By position: whether the item was there, and claimed if that was needed.
struct items_settled {
  std::vector<std::uint8_t> accepted;
};
DEPOSITD_MESSAGE(39, items_settled, accepted);

/// A later deadline for claims, never an earlier one; an item that is not
/// claimed is claimed anew, if its user could be handed one now. `lease_ms` 0
/// releases instead.
struct renew_items {
  std::string queue;
  std::string taker;
  std::uint32_t lease_ms = 0;
  std::vector<item_name> items;
  std::uint32_t claims_max = no_cap; ///< of the queue; past it none begins
};
DEPOSITD_MESSAGE(40, renew_items, queue, taker, lease_ms, items, claims_max);

/// Ends every claim of a queue; its items are pending again.
struct release_queue {
  std::string queue;
};
DEPOSITD_MESSAGE(41, release_queue, queue);

struct count_queue {
  std::string queue;
};
DEPOSITD_MESSAGE(42, count_queue, queue);

/// An unknown queue has none.
struct queue_counted {
  std::uint64_t items = 0; ///< claimed, delayed and parked ones included
  std::uint64_t claims = 0;
};
DEPOSITD_MESSAGE(43, queue_counted, items, claims);

} // namespace depositd
