#pragma once

// What lies between the requests and the socket: each layer turns bytes into
// others, both ways, and knows nothing of sockets.

#include "messages/values/errors.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace depositd::kit {

/// One direction each; from one thread at a time.
class layer {
public:
  virtual ~layer() = default;

  /// Takes bytes of the other side from the front of `from` and appends what is
  /// in them, until `to` has about `enough` bytes. What it leaves must be given
  /// again. `ec::malformed` and `ec::too_large` end the connection.
  virtual caf::error unpack(std::string_view& from, std::string& to,
                            std::size_t enough) = 0;

  /// Appends the bytes that say the same to the other side, all of them.
  virtual caf::error pack(std::string_view from, std::string& to) = 0;
};

} // namespace depositd::kit
