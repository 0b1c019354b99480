#pragma once

// What may lie between the commands and the socket, beside TLS.

#include "adapters/doors/kit/layer.hpp"

#include <memory>

namespace depositd::nsq {

using kit::layer;

/// Snappy's framing format; what it keeps is one chunk at most.
std::unique_ptr<layer> make_snappy_layer();

/// Deflate without a head, as Go's `flate`. `level` 1 to 9.
std::unique_ptr<layer> make_deflate_layer(int level);

} // namespace depositd::nsq
