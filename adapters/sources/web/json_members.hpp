#pragma once

// Reads answers in JSON member by member.

#include "adapters/doors/kit/json_reader.hpp"

#include <string>
#include <string_view>

namespace depositd::sources {

/// An object: `member(name)` reads each value. False after a fault.
template <class Member>
bool each_member(kit::json_reader& from, Member member) {
  if (!from.open('{'))
    return false;
  std::string name;
  for (bool first = true; from.next('}', first);)
    if (!from.key(name) || !member(std::string_view{name}))
      return false;
  return from.fault() == kit::json_fault::none;
}

/// An array, or null for an empty one: `element()` reads each value.
template <class Element>
bool each_element(kit::json_reader& from, Element element) {
  if (from.look() == 'n')
    return from.skip();
  if (!from.open('['))
    return false;
  for (bool first = true; from.next(']', first);)
    if (!element())
      return false;
  return from.fault() == kit::json_fault::none;
}

} // namespace depositd::sources
