#pragma once

// The vocabulary between a queue and the actors of its users: members, size
// classes, picks and what changed.

#include "messages/values/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// What a queue shares out fairly between its users: hand-outs, the bytes of
/// their items, or the time that these take.
enum class fair_by : std::uint8_t { turns, bytes, seconds };

/// What a queue shares out, and since when, as in `fairness_changed`.
struct fair_terms {
  fair_by by = fair_by::turns;
  std::uint64_t since = 0; ///< 0: by turns

  friend bool operator==(const fair_terms&, const fair_terms&) = default;
};

/// What a user has spent in a queue that is fair by cost, in the ring's unit.
struct cost_sum {
  std::uint64_t spent = 0;
  std::uint64_t floor = 0; ///< of whom the ring had served last, at that time

  friend bool operator==(const cost_sum&, const cost_sum&) = default;
};

/// Number of a user in a queue: small, dense, given by the shard.
using member_number = std::uint32_t;

/// Index of a size class: items of class c have at most `limits[c]` bytes.
using size_class = std::uint8_t;
inline constexpr std::size_t size_classes_max = 8;

/// The distinct `size_max` values in use, ascending; the last is always
/// `no_size_limit`, so every item has a class.
class size_classes {
public:
  /// Adds a limit. False if there is no room for another class.
  bool add(std::uint64_t size_max);

  /// Smallest class whose limit is at least `size`.
  size_class of(std::uint64_t size) const noexcept;

  /// The class whose limit is exactly `size_max`, which must have been added.
  size_class of_limit(std::uint64_t size_max) const noexcept;

  const std::vector<std::uint64_t>& limits() const noexcept {
    return limits_;
  }

private:
  std::vector<std::uint64_t> limits_{no_size_limit};
};

/// Limits and eligibility of a user in one queue.
struct member_limits {
  std::uint32_t allocation = 1;
  std::uint32_t concurrency = no_cap;
  bool held = false;
  bool prohibited = false;

  friend bool operator==(const member_limits&, const member_limits&) = default;
};
DEPOSITD_FIELDS(member_limits, allocation, concurrency, held, prohibited);

/// Ready items of a user changed by `delta` in a band and class. The band is
/// the priority in `across_users` queues and 0 otherwise.
struct ready_change {
  std::uint8_t band = 0;
  size_class cls = 0;
  std::int32_t delta = 0;

  friend bool operator==(const ready_change&, const ready_change&) = default;
};

/// An item that was never handed out came into a queue that collapses equal
/// payloads before receiving, and waits to be admitted.
struct arrival {
  item_id id = 0;
  std::uint64_t digest = 0; ///< of the payload; never 0
  std::uint64_t size = 0;   ///< bytes, for its size class
  std::uint8_t band = 0;

  friend bool operator==(const arrival&, const arrival&) = default;
};

/// An item by its id and the digest of its payload.
struct digested {
  item_id id = 0;
  std::uint64_t digest = 0;

  friend bool operator==(const digested&, const digested&) = default;
};

/// A place reserved for one item of a user: counted as in flight, paid from the
/// credit, rotated. The user's actor takes any item that fits.
struct pick {
  member_number member = 0;
  std::uint8_t band = 0;
  size_class class_max = 0; ///< items of this class or a smaller one
  pick_kind by = pick_kind::round_robin;
  std::uint64_t stamp = 0;  ///< of the user after the pick
  std::uint32_t credit = 0; ///< left after the pick

  // Where the queue is fair by cost (bytes or milliseconds):
  std::uint64_t charge = 0; ///< what the item is thought to cost
  std::uint64_t spent = 0;  ///< by the user after the pick; in the ring's unit
  std::uint32_t weight = 1; ///< of the user: its allocation

  friend bool operator==(const pick&, const pick&) = default;
};

/// Why a user is not served, most general reason first.
enum class eligibility : std::uint8_t {
  eligible,      ///< in the ring: turn `turn` of `length`
  nothing_ready, ///< no pending item
  held,
  prohibited,    ///< only processors that require the user
  no_allocation, ///< allocation 0: out of the rotation
  at_cap,        ///< as many claims as its concurrency allows
};

/// What a queue knows of one of its users.
struct eligibility_report {
  eligibility state = eligibility::nothing_ready;
  std::uint32_t turn = 0;   ///< eligible: 1 = next
  std::uint32_t length = 0; ///< eligible: users in the ring
  std::uint32_t in_flight = 0;
  std::uint64_t ready = 0;
  std::uint64_t turns_taken = 0; ///< picks since the engine started
  std::uint32_t credit = 0;
  std::uint64_t stamp = 0;
  member_limits limits;
  /// Fair by cost: bytes or milliseconds that it is ahead of whoever is next.
  std::uint64_t ahead = 0;
  std::uint64_t charge = 0; ///< what its next item is thought to cost
};
DEPOSITD_FIELDS(eligibility_report, state, turn, length, in_flight, ready,
                turns_taken, credit, stamp, limits, ahead, charge);

/// What is known of one live item.
struct item_view {
  item_id id = 0;
  item_state state = item_state::pending;
  std::uint8_t priority = 0;
  std::uint32_t attempt = 0;
  std::uint64_t size = 0;
  micros received_us = 0;
  micros available_us = never;
  micros deadline_us = never;
  claim_token token = 0;
  std::string processor;
  std::uint32_t ahead = 0; ///< pending: items of the same user before it

  friend bool operator==(const item_view&, const item_view&) = default;
};
DEPOSITD_FIELDS(item_view, id, state, priority, attempt, size, received_us,
                available_us, deadline_us, token, processor, ahead);

} // namespace depositd
