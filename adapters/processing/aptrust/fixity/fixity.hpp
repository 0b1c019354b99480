#pragma once

// Whether a stored file is what it was.

#include "adapters/processing/aptrust/orders/order_work.hpp"

namespace depositd::aptrust {

/// Reads every copy of the file that can be read at once, and compares; records
/// what came of it. Skip: it was compared not long ago, is in cold storage
/// only, or is no longer there. Failed: a copy is not what it was. Retry: a
/// copy could not be read now.
outcome check_fixity(order_work& x);

} // namespace depositd::aptrust
