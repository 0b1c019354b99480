#pragma once

// What depositors get back, below a prefix of a bucket: PREFIX/USER/NAME.

#include "adapters/stores/s3/client.hpp"
#include "messages/ports/restoration_target.hpp"

#include <memory>

namespace depositd {

/// `ec::store_failed` if the bucket is not there or not ours, or if the server
/// is out of reach.
caf::expected<std::unique_ptr<restoration_target>>
open_s3_restoration(s3::client_options options);

} // namespace depositd
