#pragma once

// How a rejected record stands in the topic of dead letters, and how such a
// letter is read. docs/PROTOCOL.md is the contract.

#include "messages/letters.hpp"
#include "messages/records.hpp"

#include <string>

namespace depositd::kafka {

/// Of every record that is written.
inline constexpr const char* schema_version = "1";

/// Why a record of another version is rejected.
inline constexpr const char* other_version_reason = "schema-version is not 1";

outgoing_record write_dead_letter(const std::string& topic,
                                  const dead_letter& x);

/// Whatever stands there: anybody may write to the topic. Without its id.
letter read_dead_letter(source_record x);

} // namespace depositd::kafka
