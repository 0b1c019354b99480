#pragma once

// Which keys of a source need not be scheduled again: those whose items are on
// their way, and those that are over, as many as are remembered.

#include "actors/rules/sources/fifo_set.hpp"
#include "messages/values/sources.hpp"

#include <cstdint>
#include <string_view>

namespace depositd::rules {

/// Exact for all in flight and for the newest `known_max` that are over; what
/// is older is forgotten and would be scheduled again.
class known_keys {
public:
  explicit known_keys(std::uint64_t known_max) : known_max_(known_max) {}

  /// A smaller bound forgets the oldest at once.
  void set_max(std::uint64_t known_max);

  /// Handed on: in flight from now on, whatever was known. `digest` of the body
  /// tells it from another body (0: not known).
  void hand_on(std::string_view key, std::uint64_t digest);

  /// Its item is over. False if it was not in flight, and then only remembered.
  bool end(std::string_view key, record_state how);

  /// Remembered from before a restart, the oldest first.
  void remember(std::string_view key, record_state how);

  /// As if it had never been there. False if it was not.
  bool forget(std::string_view key);

  bool contains(std::string_view key) const noexcept;

  /// `queued` for all in flight: whether it is claimed, its item says.
  /// `unknown` if it is not here.
  record_state state(std::string_view key) const noexcept;

  /// Of a key in flight; 0 if it is not, or not known.
  std::uint64_t digest(std::string_view key) const noexcept;

  std::size_t in_flight() const noexcept {
    return in_flight_.size();
  }
  std::size_t remembered() const noexcept {
    return over_.size();
  }
  std::size_t size() const noexcept {
    return in_flight() + remembered();
  }

private:
  std::uint64_t known_max_;
  fifo_set in_flight_; ///< tag: digest of the body
  fifo_set over_;      ///< tag: how it ended
};

} // namespace depositd::rules
