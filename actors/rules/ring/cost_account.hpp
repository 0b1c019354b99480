#pragma once

// What one user has spent in a queue that is fair by cost, as its own actor
// knows it: between the ring, which charges picks with what it expects, and the
// journal, which is told what things really cost. Pure: time comes in as an
// argument.

#include "messages/values/scheduling.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

namespace depositd::rules {

/// By bytes an item costs its size and is settled when it is taken; by seconds
/// the milliseconds that it was held, settled when its claim ends. Every
/// hand-out costs anew. Nothing is for nothing: an item without bytes costs
/// one, a claim of no time a microsecond.
class cost_account {
public:
  /// `terms` are not those of turns. `paid` and `weight` (the allocation) are
  /// what is known so far. Claims that are there already, after a restart or a
  /// change of terms, count from `begun_us` on, on top of what they were
  /// charged with before.
  cost_account(const fair_terms& terms, const cost_sum& paid,
               std::uint32_t weight, micros begun_us);

  const fair_terms& terms() const noexcept;

  /// The next picks were made when the queue had heard `heard` reports of
  /// `take_news`, and its ring stood at `floor`.
  void meet_picks(std::uint64_t heard, std::uint64_t floor);

  /// A pick has taken an item of so many bytes.
  void take(const pick& x, item_id id, std::uint64_t size, micros now);

  /// An item was claimed that no pick led to, or one that was made under other
  /// terms (`charged_before`): that one costs no bytes any more.
  void take_unpicked(item_id id, std::uint64_t size, micros now,
                     bool charged_before = false);

  /// A claim has ended, however it did.
  void end(item_id id, micros now);

  /// What is new since the last call; nothing, if nothing is.
  struct news {
    cost_sum paid; ///< to be journalled
    /// For the ring, if they are not both 0.
    std::uint64_t charged = 0;
    std::uint64_t cost = 0;
  };
  std::optional<news> take_news();

private:
  struct claim {
    std::uint64_t charge = 0;
    micros since_us = 0;
  };

  /// A report that the queue may not have heard yet.
  struct report {
    std::uint64_t number = 0;
    std::uint64_t charged = 0;
    std::uint64_t cost = 0;
  };

  void settle(std::uint64_t charged, std::uint64_t cost);
  void correct(const report& by);
  void keep_unheard();

  fair_terms terms_;
  std::uint64_t spent_ = 0; ///< after all reports ...
  bool picked_ = false;     ///< ... or, since a pick, as the queue knew it then
  std::uint64_t floor_ = 0;
  std::uint32_t weight_ = 1;
  micros begun_us_ = 0;
  /// By seconds, of claims made under these terms.
  std::unordered_map<item_id, claim> claims_;
  micros rest_us_ = 0;         ///< held, and not a whole millisecond yet
  std::deque<report> unheard_; ///< in their order
  report next_;                ///< its number is that of the last one made
  bool changed_ = false;
};

} // namespace depositd::rules
