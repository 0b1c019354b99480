#pragma once

// Port: the audit log, to be read. Adapter: adapters/stores/files.

#include "messages/values/errors.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// Which lines to read.
struct audit_range {
  std::string text; ///< each contains this; empty: any line
  std::uint32_t count_max = 100;
  std::string after; ///< `next` of the page before; empty: the newest
};

struct audit_page {
  std::vector<std::string> lines; ///< without their ends, the newest first
  std::string next;               ///< empty: there are no more
};

/// One log. Used by one thread, which may wait.
class audit_book {
public:
  virtual ~audit_book() = default;

  /// A page, which may be shorter than asked for although there is more: so
  /// much was read. `ec::invalid_argument`: `after` is no page's `next`;
  /// `ec::store_failed`.
  virtual caf::expected<audit_page> read(const audit_range& where) const = 0;
};

} // namespace depositd
