#pragma once

// What is in a receiving place and is no bag.

#include "messages/ports/receiving_place.hpp"

#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace depositd {

/// Collected by one look, read by anybody.
class passed_over_names {
public:
  /// While a look goes on: only its own thread.
  static void add(std::vector<std::string>& to, const std::string& name) {
    if (!name.empty() && name.front() != '.'
        && to.size() < receiving_place::passed_over_max)
      to.push_back(name);
  }

  /// A look is over.
  void set(std::vector<std::string> names) {
    const std::lock_guard guard{mutex_};
    names_ = std::move(names);
  }

  std::vector<std::string> get() const {
    const std::lock_guard guard{mutex_};
    return names_;
  }

private:
  mutable std::mutex mutex_;
  std::vector<std::string> names_;
};

} // namespace depositd
