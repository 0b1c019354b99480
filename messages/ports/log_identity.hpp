#pragma once

// Port: whether a log of records is still the one that was read, or another
// that was made anew under its name. Adapter: kafka; that and the one in memory
// of the tests pass tests/contract/record_log_suite.hpp.

#include "messages/values/errors.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace depositd {

/// A record that was read (`mark_of`), by which a log is known again.
struct partition_mark {
  std::int32_t partition = 0;
  std::int64_t mark = 0;

  friend bool operator==(const partition_mark&, const partition_mark&)
    = default;
};

/// Of one topic. Used by one thread, which may wait.
class log_identity {
public:
  virtual ~log_identity() = default;

  /// `ec::store_damaged` if another record stands at the place of one that was
  /// read. One that is not there any more says nothing. `ec::store_failed` if
  /// no broker answers before `wait` is over.
  virtual caf::error check(const std::vector<partition_mark>& marks,
                           std::chrono::milliseconds wait)
    = 0;
};

} // namespace depositd
