#pragma once

// Port: where depositors get back what they asked for. Adapters: a folder
// and a bucket (adapters/stores/restoration).

#include "messages/values/errors.hpp"

#include <filesystem>
#include <string>

namespace depositd {

/// Every function may be called from any thread; all of them block on I/O.
class restoration_target {
public:
  virtual ~restoration_target() = default;

  /// Puts a copy of the file where the user finds it under this name (parts
  /// between '/'), whole and durable; what was there under that name is
  /// replaced. Answers where that is, for people. `ec::invalid_argument`: the
  /// name; `ec::not_found`: this user gets nothing back; `ec::store_failed`.
  virtual caf::expected<std::string> put(const std::string& user,
                                         const std::string& name,
                                         const std::filesystem::path& file) = 0;
};

} // namespace depositd
