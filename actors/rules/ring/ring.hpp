#pragma once

// The ring of one queue: who is next. Holds the scheduling facts of every user
// of the queue (stamp, credit, ready counts, claims in flight, limits,
// eligibility) and links only users who can be served, so picking never scans.
// Pure: no clock, no I/O, no CAF.

#include "messages/values/scheduling.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace depositd::rules {

/// What a user has spent after a pick, once the cost of its item is known. To
/// be journalled with the claim or its end; `before` is what was journalled
/// last.
std::uint64_t spent_after(std::uint64_t before, const pick& x,
                          std::uint64_t cost) noexcept;

/// Names interned criteria; equal criteria share one.
using view_number = std::uint32_t;

class ring {
public:
  /// `oldest_band_every`: in `across_users`, every Nth pick of a view serves
  /// the band that it has served longest ago; 0 = never.
  explicit ring(priority_mode mode = priority_mode::within_user,
                std::uint32_t oldest_band_every = 16);
  ~ring();
  /// From now on shares out something else: whoever can be served keeps its
  /// place, and all that was spent is forgotten (so it is wherever it is
  /// stored). Turns are the default.
  void set_fair_by(fair_by what);

  ring(ring&&) noexcept;
  ring& operator=(ring&&) noexcept;

  // -- members

  /// Adds a user. `stamp` 0: never served. Until `settle_order` a user keeps
  /// the stamp and credit given here; later on everybody who becomes eligible
  /// joins at the tail with a fresh stamp and a full credit.
  void join(member_number m, std::string name, const member_limits& limits,
            std::uint64_t stamp = 0, std::uint32_t credit = 0,
            std::uint64_t spent = 0);

  /// Forgets a user and all that is ready or in flight for it; picks of it that
  /// are open must not be given back. Returns {stamp, credit} for a later join.
  std::pair<std::uint64_t, std::uint32_t> leave(member_number m);

  /// Takes the new allocation, concurrency and eligibility into account at
  /// once.
  void set_limits(member_number m, const member_limits& limits);

  /// What a user's actor tells. Its parts are one step, or a user would lose
  /// its place between them.
  struct news {
    std::span<const ready_change> ready; ///< changes, or totals if `all`
    bool all = false;
    /// Picks that took an item, counted by their band and, in `cls`, their
    /// `class_max`. Their items are no longer in `ready`.
    std::span<const ready_change> answered;
    std::int32_t claims_ended = 0; ///< negative: survived a restart
    /// Fair by cost: what items cost that are told of now (by bytes when they
    /// are taken, by seconds in milliseconds when they end), and what their
    /// picks were charged with. Claims that no pick led to were charged with
    /// nothing. By turns: not looked at.
    std::uint64_t charged = 0;
    std::uint64_t cost = 0;
    /// Fair by cost: what its next items cost on average, if that is known; 0:
    /// as much as they did lately.
    std::uint64_t cost_each = 0;
  };
  void report(member_number m, const news& what);

  /// A report of nothing but one change of ready items.
  void change_ready(member_number m, const ready_change& change);

  /// A report of nothing but claims: ended (negative) or restored (positive).
  void change_in_flight(member_number m, std::int32_t delta);

  /// A size limit was added: classes from `at` on are now one higher, those of
  /// open views too. Ready items count as of the larger class until totals
  /// under the new numbers come in. Picks made before keep their old numbers.
  void insert_class(size_class at);

  /// Ends recovery: the longest unserved first, users never served last in the
  /// order of their numbers.
  void settle_order();

  // -- picking

  /// Interns criteria; counts uses. `class_max` is the class of `size_max`.
  /// Required users: only those, and preferred ones are ignored. A user who is
  /// excluded too is neither required nor preferred. Names need not be known.
  view_number open_view(const criteria& wants, size_class class_max);

  /// Ends one use; nobody may wait at the view when the last one ends.
  void close_view(view_number view);

  /// Reserves the next item for the view, or nothing if nobody is eligible.
  std::optional<pick> next(view_number view);

  /// The user's actor had nothing that fits: gives the place under the cap and
  /// the credit back. If the pick had ended the user's turn, the user returns
  /// to the head, but only once until it is served again, so that a user's
  /// actor which declines for ever holds nobody up. Ready counts are the user's
  /// to correct, before the pick is given back.
  void undo(const pick& x);

  // -- waiting requests: whoever asked and got nothing

  /// Parks `count` requests of a taker (an opaque number) at a view, behind
  /// all those that wait already. The view need not have been asked before.
  void wait(view_number view, std::uint64_t taker, std::uint32_t count);

  /// Removes what a taker still waits for; returns how many.
  std::uint32_t stop_waiting(std::uint64_t taker);

  /// The longest waiting request that can be served now, with its pick; call
  /// until it returns nothing. Cheap when nothing changed.
  struct match {
    std::uint64_t taker = 0;
    pick what;
  };
  std::optional<match> next_match();

  // -- looking

  /// Why a user is served or not. Counts turns by walking: for people.
  eligibility_report explain(member_number m) const;

  /// The same without the turn, which costs nothing.
  eligibility_report describe(member_number m) const;

  /// Who is next, in the order of their turns: no more than so many. For
  /// people, as is the next.
  std::vector<member_number> in_turn(std::size_t count_max) const;

  /// Users who are not in the rotation, those first of whom something waits.
  std::vector<member_number> out_of_turn(std::size_t count_max) const;

  /// What can be told of a user without walking.
  struct standing {
    std::uint64_t picks = 0; ///< since the engine started
    std::uint64_t spent = 0; ///< 0 by turns
    std::uint32_t allocation = 0;
    std::uint32_t concurrency = 0;
    bool present = false;
    bool eligible = false; ///< can be served now
    bool at_cap = false;   ///< has as many claims as it may have
  };
  standing look(member_number m) const noexcept;

  /// How many claims of the user may begin that no pick led to. Of one who is
  /// prohibited none: only who asks for it serves it.
  std::uint32_t room_for_claims(member_number m) const noexcept;

  /// Whether the view's criteria let it serve the user at all: for "no
  /// matching processor". Prohibited users are served by requirers only.
  bool admits(view_number view, member_number m) const;

  /// Ready items for which no pick is reserved.
  std::uint64_t ready_total() const noexcept;
  /// Claims and reserved picks.
  std::uint64_t in_flight_total() const noexcept;
  /// Users in the rotation.
  std::uint32_t eligible_users() const noexcept;
  /// Users whom the view could be handed an item of now. O(bands + users that
  /// it excludes). In `across_users` a user counts once for every band in which
  /// it has items.
  std::uint32_t eligible_users(view_number view) const;
  std::uint32_t users() const noexcept;
  std::uint64_t stamp_last() const noexcept;
  /// What a user has spent, for a later join; 0 by turns.
  std::uint64_t spent(member_number m) const noexcept;
  /// What those had spent whom it served last; 0 by turns.
  std::uint64_t cost_floor() const noexcept;
  /// Highest stamp seen; new stamps are above it (recovery).
  void raise_stamp(std::uint64_t stamp);
  /// Where the ring stood (recovery, before `settle_order`): whoever has spent
  /// less had nothing then, and has saved nothing up.
  void raise_floor(std::uint64_t spent);

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace depositd::rules
