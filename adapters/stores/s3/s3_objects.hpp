#pragma once

// Objects below a prefix of a bucket, as an OCFL 1.1 storage root: copied into
// a folder, any OCFL tool reads it without this program.

#include "adapters/stores/s3/client.hpp"
#include "messages/ports/storage_target.hpp"

#include <memory>

namespace depositd {

/// Makes the root if the prefix is empty. `ec::store_failed` if the bucket is
/// not there or not ours, or if the server is out of reach; `ec::store_damaged`
/// if something else is below the prefix.
caf::expected<std::unique_ptr<storage_target>>
open_s3_objects(s3::client_options options);

} // namespace depositd
