#pragma once

// What requests say of messages that they name. Private to the door.

#include "adapters/doors/emodb/parts.hpp"
#include "messages/receiving.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace depositd::emodb {

/// Ids as workers name them, perhaps with what they say of each.
struct named_items {
  std::vector<settle_items::one> items;
  std::vector<std::string> texts;      ///< by position, of failures
  std::optional<http::response> wrong; ///< what the service refuses
};

enum class id_objects : std::uint8_t { refused, outcomes, failures };

/// What the body names; nothing if the request has been answered: something is
/// wrong, `otherwise` for example, or it names nothing and nothing else is
/// asked.
std::optional<named_items>
read_items(call& x, query_reader& query, id_objects kind,
           std::optional<http::response> otherwise = {},
           bool asks_more = false);

} // namespace depositd::emodb
