#pragma once

// The items and claims of one user in one queue. Decides commands into events
// and applies events; the same `apply` serves live and replay. Pure: time and
// ids come in as arguments.

#include "messages/values/errors.hpp"
#include "messages/values/events.hpp"
#include "messages/values/rows.hpp"
#include "messages/values/scheduling.hpp"
#include "messages/values/types.hpp"

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace depositd::rules {

/// A body in memory; shared because it may be on its way out while it stays.
using body_bytes = std::shared_ptr<const std::string>;

/// An item to be accepted, numbered by the shard.
struct incoming {
  item_id id = 0;
  std::uint8_t priority = 0;
  std::uint64_t size = 0;
  std::uint64_t digest = 0;
  body_kind kind = body_kind::inline_bytes;
  body_bytes body;
};

/// Who takes a reserved pick, and until when.
struct taker_limits {
  std::string processor;
  micros deadline_us = never; ///< never: as long as the processor lives
  bool local = false;
};

/// Where items of a move go, as far as deciding goes.
struct move_limits {
  std::string to;
  item_id id_last = 0; ///< newer ones stay
  std::uint32_t count_max = 0;
};

/// The choice made for a pick: the event, and what the processor needs.
struct handed_item {
  item_claimed claim;
  claimed_item item; ///< without body bytes
  body_bytes body;   ///< null: must be read at `place`
  body_location place;
  std::uint64_t size = 0; ///< bytes, as of `item_enqueued`
};

/// An item that nobody has claimed, with what copies of it need.
struct waiting_item {
  item_id id = 0;
  std::uint8_t priority = 0;
  std::uint64_t size = 0;
  micros received_us = 0;
  micros available_us = never; ///< never: at once
  body_kind kind = body_kind::inline_bytes;
  body_bytes body; ///< null: it is at `place`
  body_location place;
};

/// Changes for the ring since the last call of `take_changes`.
struct ledger_changes {
  std::vector<ready_change> ready; ///< merged per band and class, no zeros
  std::int32_t claims_ended = 0;   ///< negative: claims restored by recovery
  /// As in `counts_changed`; of queues that collapse before receiving.
  std::vector<arrival> arrived;
  std::vector<digested> deliver;
  std::vector<digested> left;

  bool empty() const noexcept {
    return ready.empty() && claims_ended == 0 && arrived.empty()
           && deliver.empty() && left.empty();
  }
};

struct stored_item; ///< see stored_item.hpp

inline constexpr auto all_of_them = std::numeric_limits<std::size_t>::max();

class ledger {
public:
  ledger();
  ~ledger();
  ledger(ledger&&) noexcept;
  ledger& operator=(ledger&&) noexcept;

  /// Settings decide attempts, retry delays, pending limit, bands.
  /// `tokens_from`: tokens are given above this number, which must be higher
  /// than those of every earlier engine (epoch in the upper bits).
  /// May be called again at any time.
  void configure(std::string queue, const queue_settings& settings,
                 const size_classes& classes);
  void raise_tokens(claim_token tokens_from);
  /// So many bytes may be pending; holds from the next `accept` on.
  void limit_bytes(std::uint64_t bytes_max);

  // -- deciding; none of these changes anything but through `apply`

  /// Events for as many of the items as the limits of what may be pending
  /// allow, in order; the rest is refused. In `while_pending` queues an item
  /// whose digest is pending already is swallowed: accepted, no event.
  /// `refused`, if given, gets the ids that found no room.
  std::vector<item_enqueued>
  accept(const std::vector<incoming>& items, micros now,
         std::vector<item_id>* refused = nullptr,
         bool beyond_limit = false) const;

  /// Whether so many more bytes may be pending.
  bool has_room_for(std::uint64_t more_bytes) const noexcept;

  /// How many more items the pending limit allows.
  std::uint64_t room() const noexcept;

  /// Whether an equal item is pending, in a `while_pending` queue.
  bool swallows(std::uint64_t digest) const noexcept;

  /// Chooses the first item of the pick's classes and band by priority, then
  /// id. Nothing: the pick must be declined.
  std::optional<handed_item> choose(const pick& what, const taker_limits& who,
                                    micros now) const;

  /// Events that end the claim as the outcome says; `ec::stale_claim` if the
  /// token is not that of the live claim. Retry and not-yet follow
  /// rules/retry.hpp; a retry beyond `attempts_max` becomes a failed ending.
  caf::expected<event> settle(const outcome& what, micros now) const;

  /// Finishes by item id whatever its claim (EmoDB's ack), with what `what`
  /// says of it; its token does not matter. `ec::not_found`.
  caf::expected<event> finish(const outcome& what, micros now) const;

  /// Claims one item by id, which need not be anybody's turn: the ring stays as
  /// it is. Nothing if it is not pending.
  std::optional<item_claimed> claim(item_id id, const taker_limits& who,
                                    micros now) const;

  /// Ends an item as a worker says who knows no token: `done` whatever its
  /// claim, everything else through the claim it has. `ec::not_found`,
  /// `ec::stale_claim`.
  caf::expected<event> end_by_id(outcome what, micros now) const;

  /// Extends the item's claim to the deadline of `who`, or claims it anew if it
  /// has none. Nothing if it cannot be claimed.
  std::optional<event> renew_by_id(item_id id, const taker_limits& who,
                                   micros now) const;

  /// Gives the item's claim back at once, if it has one.
  std::optional<event> release_by_id(item_id id, micros now) const;

  /// Of the item's live claim; 0 if it has none.
  claim_token token_of(item_id id) const noexcept;

  /// A later deadline (never an earlier one: then the event repeats the old
  /// one). `never` is later than any. `ec::stale_claim`.
  caf::expected<event> extend(item_id id, claim_token token,
                              micros deadline_us) const;

  /// Claims past their deadline, back to pending (attempts permitting), those
  /// first that were due first; at most `count_max`.
  std::vector<event> expire(micros now,
                            std::size_t count_max = all_of_them) const;

  /// Releases every claim of a processor, or all (empty name). The attempt
  /// counts; an item that has none left ends as failed at `now`. `keep` lists
  /// items whose claims stay; it may be null.
  std::vector<event>
  release_claims(const std::string& processor, micros now,
                 const std::unordered_set<item_id>* keep = nullptr) const;

  /// The same of at most `count_max` of all claims, of those that were there
  /// when `token_last` was the last token.
  std::vector<event> release_claims(claim_token token_last, micros now,
                                    std::size_t count_max) const;
  claim_token token_last() const noexcept;

  /// Claims of processors inside the engine that died with it, also those that
  /// they had of another engine before the shard came to theirs: such a claim
  /// has no deadline any more. Their attempts count too: an item that kills its
  /// processor must run out of them.
  std::vector<event> release_local_claims(micros now) const;

  /// Ends items up to `id_last`, claimed or not, but not more than so many.
  std::vector<event>
  purge(micros now, item_id id_last = std::numeric_limits<item_id>::max(),
        std::size_t count_max = std::numeric_limits<std::size_t>::max()) const;

  /// Ends those of the items that still wait and were never handed out.
  std::vector<event> collapse(const std::vector<item_id>& ids,
                              micros now) const;

  /// Items that go to another queue, claimed ones included. An item that
  /// `destination` swallows ends as collapsed instead.
  std::vector<event> move_out(const move_limits& how, const ledger& destination,
                              micros now) const;

  /// At most so many of the items that nobody has claimed, by id.
  std::vector<waiting_item> waiting(std::size_t count_max) const;

  /// Whether items up to this one are here.
  bool holds_up_to(item_id id_last) const;

  /// Parks pending items, or takes parked ones back; others are left alone.
  std::vector<event> park(const std::vector<item_id>& ids, bool parked) const;

  /// Ends those of the items that nobody works on as failed, for this reason;
  /// claimed ones stay.
  std::vector<event> cancel(const std::vector<item_id>& ids,
                            const std::string& reason, micros now) const;

  // -- applying

  /// Applies an event of this user and queue; `body` are the bytes to keep in
  /// memory (item_enqueued, body_compacted), null to keep none.
  void apply(const event& x, body_bytes body = nullptr);

  /// Applies a move to both ledgers; nothing if `from` has no such item.
  static void apply(const item_moved& x, ledger& from, ledger& to);

  /// The item, of a job or a batch, is where `place` says from now on: `to` is
  /// that queue's ledger, null if it is nowhere; its next token there is above
  /// all of before. Nothing if it is not in
  /// `from`.
  static void place(item_id id, const item_place& place, ledger& from,
                    ledger* to);

  /// An item that waits to be admitted is ready from now on. False if there is
  /// no such item any more. `counted`: the ring knows of it already.
  bool admit(item_id id, bool counted);

  /// Puts a live item from the projection back.
  void restore(const item_row& row);

  /// The same with items that wait, in the order of their ids. Empties the
  /// list.
  void restore(std::vector<stored_item>& waiting);

  /// Delayed items whose time has come become pending. Not an event: it
  /// follows from the time in the item. At most `count_max`, those first that
  /// were due first; how many there were.
  std::size_t wake(micros now, std::size_t count_max = all_of_them);

  /// Items that need wait no longer become pending; others are passed over.
  /// Not an event, either: after a crash they wait again.
  void wake(const std::vector<item_id>& ids);

  /// The same for all that are to wait until later than `when`.
  void wake_later_than(micros when);

  // -- bodies

  /// Journal place of an item's body, once it is committed. False if the item
  /// is not here.
  bool set_place(item_id id, const body_location& place);
  /// Forgets the bytes in memory (they are in the journal at its place).
  /// Returns how many bytes were freed; 0 if there is no place yet.
  std::size_t drop_body(item_id id);
  body_bytes body(item_id id) const;
  body_location place(item_id id) const;

  // -- looking

  /// After recovery, `ready_counts` and `claims` say what is there; what this
  /// returns first is then of no use, as replay cannot know of reserved picks.
  ledger_changes take_changes();
  /// Whether `take_ended` is to know of claims; what it knew is forgotten.
  void note_ends(bool wanted);
  /// Items whose claims have ended since the last call, however they did.
  std::vector<item_id> take_ended();
  /// All that waits to be admitted, by id.
  std::vector<arrival> arrivals() const;
  /// All ready counts, after `configure` with other classes, which forgets
  /// the changes of ready counts.
  std::vector<ready_change> ready_counts() const;
  /// Earliest time at which `expire` or `wake` has something to do.
  micros next_due() const noexcept;
  /// When the oldest of what is ready came, as far as priorities tell; never:
  /// nothing is ready. O(priorities).
  micros oldest_ready() const noexcept;
  /// Since when the item is claimed; never: it is not, or since before the
  /// engine started.
  micros claimed_since(item_id id) const noexcept;
  bool idle() const noexcept;             ///< no items at all
  std::uint64_t size() const noexcept;    ///< items, claimed included
  std::uint64_t pending() const noexcept; ///< not claimed: counts for limits
  std::uint64_t bytes() const noexcept;   ///< of what is pending
  std::uint64_t bytes_max() const noexcept;
  std::uint32_t claims() const noexcept;
  std::uint64_t parked() const noexcept;
  std::optional<item_view> find(item_id id) const;
  /// The same without `ahead`, which has to be counted.
  std::optional<item_view> glance(item_id id) const;
  /// Every live item, for tests and state hashes, by id.
  std::vector<item_view> items() const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace depositd::rules
