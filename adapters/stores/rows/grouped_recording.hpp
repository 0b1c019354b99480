#pragma once

// Registrations of DOIs that come at one time share a transaction: as the
// journal groups its appends (docs/decisions/0049).

#include "messages/ports/doi_registry.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace depositd::rows {

/// Any thread. Whoever comes while nobody writes, writes at once; who comes
/// meanwhile waits for the next group, which one of those who wait writes.
class grouped_recording {
public:
  using results = std::vector<doi_result>;
  using group = std::vector<const doi_registration*>;

  /// By position in the group.
  using outcomes = std::vector<caf::expected<results>>;

  /// Records a group, in its order. Called by one thread at a time.
  using writer = std::function<outcomes(const group& all)>;

  explicit grouped_recording(writer write) : write_(std::move(write)) {
    // nop
  }

  /// As `doi_registry::record`. What is wrong with one registration is told to
  /// nobody else.
  caf::expected<results> record(const doi_registration& what);

  /// How many wait for the next group.
  std::size_t waiting() const;

  /// A group ends with the registration that brings it to so many records: the
  /// others must not wait long for one of many.
  static constexpr std::size_t records_max = 4'096;

private:
  struct one {
    const doi_registration* what;
    std::optional<caf::expected<results>> result;
    bool leads = false; ///< is to write the next group
    std::condition_variable told;
  };

  std::vector<one*> take_group();
  outcomes write_group(const std::vector<one*>& all) const;

  const writer write_;
  mutable std::mutex guard_;
  std::deque<one*> waiting_;
  bool writing_ = false;
};

/// Does `write`, which records all of a group or none, for the whole group. If
/// something is wrong with one of them, for each by itself: it is told to
/// nobody else.
grouped_recording::outcomes write_together(
  const grouped_recording::group& all,
  const std::function<caf::expected<std::vector<grouped_recording::results>>(
    const grouped_recording::group&)>& write);

} // namespace depositd::rows
