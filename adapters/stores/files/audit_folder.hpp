#pragma once

// The audit log: a file for each month, which only grows.

#include "adapters/stores/files/file.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace depositd {

/// "audit-2026-03.log", of a month in UTC.
std::string audit_file_name(std::chrono::year_month month);

/// Whether a file is called like that.
bool is_audit_file(std::string_view name);

/// Whether all that such a file can hold is older than so many days; false for
/// other names.
bool is_past_audit(std::string_view file_name, std::chrono::sys_days today,
                   std::uint32_t retention_days);

/// Not for several threads.
class audit_folder {
public:
  audit_folder(std::filesystem::path folder, std::uint32_t retention_days);

  /// Adds a line, which has its end, to the file of the month; durable when it
  /// returns. What is there of one that could not be written whole stays a line
  /// of its own. The first of a month removes files that are past, but none
  /// within an hour of the first line at all, and by `counted` if that is
  /// earlier: a clock that is set forward, or was ahead, makes none past.
  caf::error append(std::string_view line,
                    std::chrono::system_clock::time_point now,
                    std::chrono::system_clock::time_point counted);

private:
  caf::error open(std::chrono::sys_days today);
  void remove_past(std::chrono::sys_days today) const;

  std::filesystem::path folder_;
  std::uint32_t retention_days_;
  std::chrono::year_month month_{};
  unique_fd file_;
  bool is_torn_ = false; ///< its last line has no end
  bool removes_ = false; ///< it is time to
  std::optional<std::chrono::system_clock::time_point> begun_; ///< as counted
};

} // namespace depositd
