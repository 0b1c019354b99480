#pragma once

// Where audit lines go: to standard error, and to the audit log's files.

#include "config/settings.hpp"
#include "messages/values/errors.hpp"

#include <spdlog/logger.h>

#include <filesystem>
#include <memory>

namespace depositd {

/// Where its files are; empty: there are none.
std::filesystem::path audit_folder_of(const depositd_settings& settings);

/// `ec::bad_setting` if that is a folder that somebody wants and that cannot be
/// written to; makes it.
caf::error prepare_audit_folder(const depositd_settings& settings);

/// The logger of this process. Files are written and flushed by a thread of its
/// own; whoever logs waits only if thousands of lines are ahead.
std::shared_ptr<spdlog::logger> audit_log(const depositd_settings& settings);

/// Waits until the files have all lines so far; the last thing before the end
/// of the process.
void finish_audit_log();

} // namespace depositd
