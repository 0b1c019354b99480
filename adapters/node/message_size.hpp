#pragma once

// How large a value is on the wire. Private to adapters/node.

#include <caf/binary_serializer.hpp>

#include <cstddef>
#include <vector>

namespace depositd::node {

/// How many bytes the value takes in a message.
template <class T>
std::size_t bytes_of(T x) {
  std::vector<char> out;
  caf::binary_serializer sink{nullptr, out};
  // Writing to memory cannot fail.
  static_cast<void>(sink(x));
  return out.size();
}

} // namespace depositd::node
