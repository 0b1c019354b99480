#pragma once

// Where a topic is read, as a text: {"0":[17,285213054],"1":3}, the next offset
// of each partition and, if one was read, the mark of its last record.

#include "messages/values/errors.hpp"
#include "messages/values/record_mark.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace depositd::sources {

struct topic_place {
  std::int64_t next = 0; ///< offset
  std::int64_t mark = no_record_mark; ///< of the last record before it

  friend bool operator==(const topic_place&, const topic_place&) = default;
};

/// By partition; those that are missing are read from their oldest record.
using topic_position = std::map<std::int32_t, topic_place>;

/// Empty for an empty position.
std::string to_text(const topic_position& x);

/// An empty text is an empty position. `ec::malformed`.
caf::expected<topic_position> read_topic_position(std::string_view text);

} // namespace depositd::sources
