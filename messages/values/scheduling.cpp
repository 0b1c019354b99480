#include "messages/values/scheduling.hpp"

#include <algorithm>

namespace depositd {

bool size_classes::add(std::uint64_t size_max) {
  const auto at = std::lower_bound(limits_.begin(), limits_.end(), size_max);
  if (at != limits_.end() && *at == size_max)
    return true;
  if (limits_.size() >= size_classes_max)
    return false;
  limits_.insert(at, size_max);
  return true;
}

size_class size_classes::of(std::uint64_t size) const noexcept {
  const auto at = std::lower_bound(limits_.begin(), limits_.end(), size);
  return static_cast<size_class>(at - limits_.begin());
}

size_class size_classes::of_limit(std::uint64_t size_max) const noexcept {
  return of(size_max);
}

} // namespace depositd
