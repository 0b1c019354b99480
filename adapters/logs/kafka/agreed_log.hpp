#pragma once

// Logs of records that nobody reads or writes before it is known that they are
// those that the store counts on. How far a topic was read is kept by its name:
// of its namesake in another cluster as much would be passed over.

#include "messages/ports/record_log.hpp"

#include <functional>
#include <memory>

namespace depositd {

/// Asked, and made to wait for an answer, until there is no error.
using log_agreement = std::function<caf::error()>;

std::unique_ptr<record_source> agreed_first(std::unique_ptr<record_source> on,
                                            log_agreement agree);

std::unique_ptr<record_sink> agreed_first(std::unique_ptr<record_sink> on,
                                          log_agreement agree);

} // namespace depositd
