#pragma once

// Where a record of a source says to which trace it belongs.

#include <string>
#include <string_view>

namespace depositd {

/// The text of the member `traceparent` of a record that is a JSON object, as
/// it was given; empty without one. Not checked: see `legal_traceparent`.
std::string traceparent_of_record(std::string_view record);

} // namespace depositd
