#pragma once

// What C libraries give.

#include <memory>

namespace depositd {

/// Gives something back with a function of its library.
template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* x) const {
    Free(x);
  }
};

/// Owns it, and gives it back with this function.
template <class T, auto Free>
using owned = std::unique_ptr<T, freed_by<Free>>;

} // namespace depositd
