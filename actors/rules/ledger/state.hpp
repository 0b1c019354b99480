#pragma once

// What a ledger remembers, for the sources of the ledger alone.

#include "actors/rules/ledger/ledger.hpp"
#include "actors/rules/ledger/priority_lane.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace depositd::rules {

struct ledger::state {
  struct claim {
    stored_item item;
    claim_token token = 0;
    micros deadline_us = never;
    bool local = false;
    std::string processor;
    micros claimed_us = never; ///< never: before the engine started
  };

  enum class set_aside_as : std::uint8_t { delayed, parked, unadmitted };

  /// Neither claimed nor ready. Unadmitted: never handed out, in a queue that
  /// collapses before receiving, and an equal item may be ready.
  struct set_aside_item {
    stored_item item;
    set_aside_as where = set_aside_as::parked;
    micros available_us = never; ///< delayed: until then
  };

  /// Where an item is; all null if it is nowhere.
  struct whereabouts {
    const stored_item* item = nullptr; ///< until the next look
    const claim* claimed = nullptr;
    const set_aside_item* set_aside = nullptr;
  };

  using due = std::pair<micros, item_id>;

  // -- finding
  std::uint8_t band_of(const stored_item& x) const noexcept;
  const stored_item* first(const pick& what) const;
  whereabouts find(item_id id) const;
  /// Null unless the claim is live and has this token.
  const claim* live_claim(item_id id, claim_token token) const;
  std::uint64_t pending() const noexcept;
  /// Items in every state up to this one, by id; if there are more, any
  /// `count_max` of them.
  std::vector<stored_item> items_up_to(item_id id_last,
                                       std::size_t count_max) const;
  /// Ready items that are handed out before this ready one.
  std::uint32_t ahead_of(const stored_item& x) const;
  item_view view(const whereabouts& where) const;
  /// What changes neither where the item is nor its order. False if there is
  /// none.
  template <class Change>
  bool change(item_id id, Change how) {
    if (const auto at = claims.find(id); at != claims.end()) {
      how(at->second.item);
      return true;
    }
    if (const auto at = items_set_aside.find(id); at != items_set_aside.end()) {
      how(at->second.item);
      return true;
    }
    for (auto& [key, lane] : lanes)
      if (lane.change(id, how))
        return true;
    return false;
  }

  // -- moving; each item is in exactly one place
  /// To be handed out, once admitted if the queue wants that.
  void make_pending(stored_item&& x);
  void make_ready(stored_item&& x);
  void set_aside(stored_item&& x, set_aside_as where,
                 micros available_us = never);
  void lend(stored_item&& x, claim&& limits);
  /// Whether equal payloads collapse with this item.
  bool collapses(const stored_item& x) const noexcept;
  arrival arrival_of(const stored_item& x) const noexcept;
  /// An item that is not claimed goes without having been handed out.
  void note_left(const stored_item& x);
  std::optional<stored_item> take_ready(item_id id);
  /// Takes an item that is not claimed out of its place.
  std::optional<stored_item> take_pending(item_id id);
  std::optional<stored_item> end_claim(item_id id);
  void set_deadline(item_id id, claim& x, micros deadline_us);

  // -- keeping count
  void note_ready(const stored_item& x, std::int32_t delta);
  void note_digest(const stored_item& x, bool pending);
  void rebuild_lanes();
  void rebuild_dedup();

  std::string queue;
  queue_settings settings;
  size_classes classes;
  /// By priority, then class; none is empty.
  std::map<std::uint16_t, priority_lane> lanes;
  std::unordered_map<item_id, claim> claims;
  std::unordered_map<item_id, set_aside_item> items_set_aside;
  std::set<due> deadlines; ///< of claims that have one
  std::set<due> delays;    ///< of delayed items
  /// `while_pending`: how many pending items have this digest.
  std::unordered_map<std::uint64_t, std::uint32_t> digests;
  ledger_changes changes;
  bool notes_ends = false;
  std::vector<item_id> ended; ///< claims, if they are noted
  claim_token token_last = 0;
  item_id id_last = 0;
  std::uint64_t ready = 0;
  std::uint64_t parked = 0;
  std::uint64_t bytes = 0; ///< of what is pending
  std::uint64_t bytes_max = no_size_limit;
};

} // namespace depositd::rules
