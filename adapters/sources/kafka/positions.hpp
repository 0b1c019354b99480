#pragma once

// Where a topic is read, as a text: {"0":17,"1":3}, the next offset of each
// partition.

#include "messages/values/errors.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace depositd::sources {

/// Next offset by partition; those that are missing are read from their oldest
/// record.
using topic_position = std::map<std::int32_t, std::int64_t>;

/// Empty for an empty position.
std::string to_text(const topic_position& x);

/// An empty text is an empty position. `ec::malformed`.
caf::expected<topic_position> read_topic_position(std::string_view text);

} // namespace depositd::sources
