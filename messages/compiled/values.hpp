#pragma once

// What a message from another process is read into; compiled in
// messages/compiled/ for each type.

#include <caf/type_erased_value.hpp>

namespace depositd {

template <class T>
caf::type_erased_value_ptr make_value();

} // namespace depositd
