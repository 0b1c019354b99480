#pragma once

// Ports: where records are fetched from, and who says how much is left behind
// the queue that they are fed into. Adapters: adapters/sources.

#include "messages/values/errors.hpp"
#include "messages/values/sources.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// What is asked of a source.
struct batch_request {
  std::uint64_t limit = 0; ///< records, at least 1
  std::string cursor;      ///< of the last batch; empty: from the beginning
  std::chrono::milliseconds timeout{30'000};
};

/// One source. Used by one thread, which may wait; only `cancel` may be called
/// from any other one at the same time.
class source_reader {
public:
  virtual ~source_reader() = default;

  /// The next records behind the cursor, in the source's order, without those
  /// that are bad, which it names. More than `limit` may come: what has no room
  /// is asked for again, from the cursor of the last record that was taken or,
  /// if records have none, from the old one. Returns soon after `timeout`
  /// whatever the other side does, with `ec::store_failed`.
  ///
  /// On an error nothing of the batch counts and the same is asked again:
  /// `ec::store_failed` if the other side refuses or cannot be reached,
  /// `ec::malformed` if what it says cannot be understood as a whole,
  /// `ec::too_large` beyond a limit, `ec::not_found` if what is named (a table,
  /// topic, bucket, folder) is not there, `ec::invalid_argument` if a setting
  /// cannot work. The text names the reason, not the source.
  virtual caf::expected<pulled_batch> next_batch(const batch_request& x) = 0;

  /// Makes a `next_batch` that is under way return soon, with
  /// `ec::store_failed`. Later ones are not touched.
  virtual void cancel() noexcept = 0;

  /// The items of these keys are committed or known: the source may forget the
  /// records (sqs deletes, queue acknowledges; the others do nothing). Unknown
  /// keys are passed over. A repeat does no harm: after `ec::store_failed` the
  /// same keys are given again, or the records come again and are known.
  virtual caf::error applied(const std::vector<std::string>& keys) = 0;
};

/// Says how much work is left behind a queue. Used by one thread, which may
/// wait.
class downstream_gauge {
public:
  virtual ~downstream_gauge() = default;

  /// Records left; within `timeout`. `ec::store_failed` if nobody answers,
  /// `ec::malformed` if the answer is not one number: until the next answer
  /// nothing more is fed than the last one allows.
  virtual caf::expected<std::uint64_t>
  left(std::chrono::milliseconds timeout) = 0;
};

} // namespace depositd
