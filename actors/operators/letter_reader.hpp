#pragma once

// Dead letters as they stand in their topic.

#include "messages/letters.hpp"
#include "messages/ports/record_log.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::operators {

/// Where a letter is.
struct letter_place {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
};

/// A letter's id: "PARTITION-OFFSET".
std::string text_of(const letter_place& x);

/// The reverse; none if it is no id.
std::optional<letter_place> read_place(std::string_view text);

letter_facts facts_of(const source_record& x);

/// The headers that the record had before it became a letter.
std::vector<record_header> own_headers(const source_record& x);

/// An offset for each partition.
using letter_bounds = std::map<std::int32_t, std::int64_t>;

/// One question to the topic.
class letter_reader {
public:
  using clock = std::chrono::steady_clock;

  letter_reader(record_source& from, clock::time_point end)
    : from_(from), end_(end) {
    // nop
  }

  /// What each partition holds. Errors of `record_source`.
  caf::expected<std::map<std::int32_t, partition_range>> ranges();

  /// Calls `use` for the records in [from, to) of these partitions.
  /// `ec::store_failed` if they did not come before the end.
  caf::error read(const letter_bounds& from, const letter_bounds& to,
                  const std::function<void(const source_record&)>& use);

private:
  std::chrono::milliseconds left() const;

  record_source& from_;
  clock::time_point end_;
};

} // namespace depositd::operators
