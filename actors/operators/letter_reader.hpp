#pragma once

// Dead letters as they stand in their topic.

#include "actors/rules/letters/letters.hpp"
#include "messages/ports/record_log.hpp"

#include <chrono>
#include <functional>

namespace depositd::operators {

/// One question to the topic, which has to be answered before its end.
class letter_reader {
public:
  using clock = std::chrono::steady_clock;

  letter_reader(record_source& from, clock::time_point end)
    : from_(from), end_(end) {
    // nop
  }

  /// What each partition holds. Errors of `record_source`.
  caf::expected<rules::letter_ranges> ranges();

  /// Calls `use` for the records of this span, which it may take apart.
  /// `ec::store_failed` if they did not come before the end.
  caf::error read(const rules::letter_span& what,
                  const std::function<void(source_record&)>& use);

private:
  std::chrono::milliseconds left() const;
  caf::error too_late() const;

  record_source& from_;
  clock::time_point end_;
};

} // namespace depositd::operators
