#pragma once

// Objects are deleted on the word of two people of one institution.

#include "adapters/processing/aptrust/orders/order_work.hpp"

namespace depositd::aptrust {

/// Removes the object from all storage and from the inventory, where its events
/// stay with those of its deletion. Nothing is removed whose request is not
/// approved. Can be repeated.
outcome delete_object(order_work& x);

} // namespace depositd::aptrust
