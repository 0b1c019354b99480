#pragma once

// Items of a moved queue on their way from one shard to another.

#include "messages/values/sharding.hpp"
#include "messages/values/types.hpp"

#include <string>
#include <vector>

namespace depositd {

/// Some items of a batch, in their order, for the shard that has the queue they
/// move to. What is at or below the target's mark of the sender is skipped. All
/// of them and the new mark become durable in one group.
struct carry_items {
  struct one {
    std::int64_t offset = 0;
    std::string user;
    std::uint8_t priority = 0;
    std::uint64_t size = 0;
    body_kind kind = body_kind::inline_bytes;
    std::string body;
  };
  shard_number from = 0;
  std::string queue;     ///< of kind message
  std::int64_t last = 0; ///< the target's mark afterwards
  std::vector<one> items;
};

/// They are durable at their target.
struct items_carried {
  std::uint32_t accepted = 0;
  std::uint32_t skipped = 0; ///< had come before
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, carry_items::one& x) {
  return f(x.offset, x.user, x.priority, x.size, x.kind, x.body);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, carry_items& x) {
  return f(x.from, x.queue, x.last, x.items);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, items_carried& x) {
  return f(x.accepted, x.skipped);
}

} // namespace depositd
