#pragma once

// Port: large bodies by content. Adapters: a folder, PostgreSQL,
// memory; all pass tests/contract/blob_store_suite.hpp.

#include "messages/values/errors.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace depositd {

/// Every function may be called from any thread; all of them block on I/O.
class blob_store {
public:
  virtual ~blob_store() = default;

  /// Stores the bytes durably and returns their SHA-256 in lower-case
  /// hexadecimal. Storing the same bytes again is free and safe.
  virtual caf::expected<std::string> put(std::string_view bytes) = 0;

  /// `ec::not_found`; `ec::store_damaged` if the bytes no longer match.
  virtual caf::expected<std::string> get(const std::string& sha256) = 0;

  virtual caf::error backup(const std::filesystem::path& folder) = 0;
};

} // namespace depositd
