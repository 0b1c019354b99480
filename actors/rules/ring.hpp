#pragma once

// The ring of one queue: who is next. Holds the scheduling facts of every user
// of the queue (stamp, credit, ready counts, claims in flight, limits,
// standing) and links only users who can be served, so picking never scans.
// Pure: no clock, no I/O, no CAF.

#include "messages/scheduling.hpp"
#include "messages/types.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::rules {

/// Names interned criteria; equal criteria share one.
using view_number = std::uint32_t;

class ring {
public:
  explicit ring(priority_mode mode = priority_mode::within_user,
                std::uint32_t oldest_band_every = 16);
  ~ring();
  ring(ring&&) noexcept;
  ring& operator=(ring&&) noexcept;

  // -- members

  /// Adds a user. `stamp` 0: never served, joins at the tail when it becomes
  /// eligible. A recovered user keeps stamp and credit: call `settle_order`
  /// once after all of them and their ready counts are in.
  void join(member_number m, std::string name, const member_terms& terms,
            std::uint64_t stamp = 0, std::uint32_t credit = 0);

  /// Forgets a user, which must have nothing ready nor in flight. Returns
  /// {stamp, credit} for a later join.
  std::pair<std::uint64_t, std::uint32_t> leave(member_number m);

  /// Takes the new allocation, concurrency and standing into account at once.
  void set_terms(member_number m, const member_terms& terms);

  void change_ready(member_number m, const ready_change& change);

  /// Replaces all ready counts of a user (after the classes changed).
  void reset_ready(member_number m, const std::vector<ready_change>& counts);

  /// Claims ended (negative) or survived a restart (positive).
  void change_in_flight(member_number m, std::int32_t delta);

  /// Puts recovered users into the order of their stamps.
  void settle_order();

  // -- picking

  /// Interns criteria; counts uses. The class of `size_max` must be in
  /// `classes` already.
  view_number open_view(const criteria& wants, size_class class_max);
  void close_view(view_number view);

  /// Reserves the next item for the view, or nothing if nobody is eligible.
  std::optional<pick> next(view_number view);

  /// The user's node had nothing that fits: gives the place and the credit
  /// back. The ready counts are corrected by the node's own report.
  void undo(const pick& x);

  // -- waiting requests: whoever asked and got nothing

  /// Parks `count` requests of a taker (an opaque number) at a view, behind
  /// those that wait already.
  void wait(view_number view, std::uint64_t taker, std::uint32_t count);

  /// Removes what a taker still waits for; returns how many.
  std::uint32_t stop_waiting(std::uint64_t taker);

  /// A waiting request that can be served now, with its pick; call until it
  /// returns nothing. Cheap when nothing changed.
  struct match {
    std::uint64_t taker = 0;
    pick what;
  };
  std::optional<match> next_match();

  // -- looking

  standing_report explain(member_number m) const;
  /// Whether users of this view could ever be served by it: for "no matching
  /// processor". True if the view's criteria admit the user at all.
  bool admits(view_number view, member_number m) const;
  std::uint64_t ready_total() const noexcept;
  std::uint64_t in_flight_total() const noexcept;
  std::uint32_t eligible_users() const noexcept;
  std::uint32_t users() const noexcept;
  std::uint64_t stamp_last() const noexcept;
  /// Highest stamp seen; new stamps are above it (recovery).
  void raise_stamp(std::uint64_t stamp);

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace depositd::rules
