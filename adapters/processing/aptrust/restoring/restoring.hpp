#pragma once

// Depositors get back what they have deposited: a file, an object as a bag, and
// what has to be brought back to where it can be read first.

#include "adapters/processing/aptrust/orders/order_work.hpp"

namespace depositd::aptrust {

/// Puts one file into the depositor's restoration target, compared with its
/// digest. Failed: no copy is whole.
outcome restore_file(order_work& x);

/// Makes a bag of the object's last version, checks it, and puts it into the
/// depositor's restoration target. Failed: a file is not what it was, or the
/// bag is not valid.
outcome restore_object(order_work& x);

/// Asks cold storage for the object, or for one file of it, and waits as "not
/// yet". Once it can be read, the restoration is an order of its own, the same
/// one however often this is repeated. Failed: the storage does not have it.
outcome restore_glacier(order_work& x);

} // namespace depositd::aptrust
