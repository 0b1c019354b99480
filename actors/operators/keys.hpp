#pragma once

// API keys as operators write and read them. Pure functions.

#include "actors/operators/documents.hpp"

#include "messages/values/errors.hpp"
#include "messages/values/events.hpp"

#include <string>
#include <vector>

namespace depositd::operators {

/// `queue|RIGHT|PATTERN` with RIGHT post, poll, get_status or `*`; PATTERN is a
/// queue, the beginning of some and a `*`, or `*`. `ec::invalid_argument`.
caf::expected<key_permit> read_permit(const std::string& text);

/// What a stock role (queue_post, queue_poll, queue_standard, queue_admin) may
/// do. `ec::invalid_argument` for any other.
caf::expected<std::vector<key_permit>> permits_of_role(const std::string& role);

/// Name and permits; nothing that the key could be known by.
document key_document(const key_changed& x);

} // namespace depositd::operators
