#pragma once

// Answers to operators as JSON documents: snake_case keys, numbers as numbers,
// times as ISO 8601 texts, null for "none". What only one command needs stands
// with it in commands/.

#include "messages/operators.hpp"
#include "messages/processors.hpp"
#include "messages/projection.hpp"
#include "messages/records.hpp"
#include "messages/values/control.hpp"
#include "messages/values/sharding.hpp"
#include "messages/values/shown_addresses.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace depositd::operators {

/// Keeps the order of keys, for people.
using document = nlohmann::ordered_json;

/// Never throws; bytes that are no UTF-8 are replaced.
std::string to_text(const document& x);

/// What somebody gave, as it may be repeated: short, one line of ASCII.
std::string shown(const std::string& text);

/// Null for `no_cap`.
document cap_or_null(std::uint64_t value);

/// Null for an empty text.
document text_or_null(const std::string& x);

/// Null for `never`.
document time_or_null(micros at);

document settings_document(const std::string& queue, const queue_settings& x);
document queue_document(const queue_report& x);

} // namespace depositd::operators
