#pragma once

// Who looks after locks of objects that nobody works under any more asks for
// what workers need not know.

#include "messages/values/errors.hpp"

#include <caf/expected.hpp>

#include <cstdint>
#include <string>

namespace depositd {

/// Any thread; blocks on I/O.
class lock_book {
public:
  virtual ~lock_book() = default;

  /// Of the claim by which the job took the newest of its locks; 0: it has
  /// none.
  virtual caf::expected<std::uint64_t>
  newest_token(const std::string& holder) = 0;
};

} // namespace depositd
