#pragma once

// Which names are legal. Names reach file names, logs and the shell, so what is
// allowed is small.

#include <string_view>

namespace depositd {

/// [A-Za-z0-9._-]{1,64}, but not "." nor "..". Case matters.
bool legal_user_name(std::string_view name) noexcept;

/// [a-z0-9._:@-]{1,255} and '_', though not as a single leading character; not
/// "." nor "..". EmoDB's rule.
bool legal_queue_name(std::string_view name) noexcept;

/// The same rule as for users.
bool legal_processor_name(std::string_view name) noexcept;

} // namespace depositd
