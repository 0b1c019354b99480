#pragma once

// Large bodies in a bucket, by content.

#include "adapters/stores/s3/client.hpp"
#include "messages/ports/blob_store.hpp"

#include <memory>

namespace depositd {

/// `ec::store_failed` if the bucket is not there or not ours, or if the server
/// is out of reach.
caf::expected<std::unique_ptr<blob_store>>
open_s3_blobs(s3::client_options options);

} // namespace depositd
