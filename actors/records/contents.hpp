#pragma once

// What a record of the ingress topic says, on its way to shards. Private to
// actors/records.

#include "actors/records/intake.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace depositd::records {

/// Puts the record's deposit, batch, or dead letter into `to`; what is large is
/// in the blob store then. `refused`: what shards have refused, by offset, and
/// why. The error is the blob store's: nothing is known of the record then.
caf::error add_content(const intake_options& options, ingest& to,
                       const source_record& x,
                       const std::map<std::int64_t, std::string>& refused);

} // namespace depositd::records
