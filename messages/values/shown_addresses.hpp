#pragma once

// Addresses as they may be shown to people who need not know what opens them.

#include <string>
#include <string_view>

namespace depositd {

/// The address of a service without the login in it ("https://***@host/") and
/// without what passwords and the like it gives by name
/// ("postgresql://***@host/db?password=***", "odbc:DSN=x;PWD=***",
/// "host=x password=***"), for answers, notes and logs. Rather too much is
/// hidden than too little of one that is not well formed.
std::string without_secrets(std::string address);

/// The same of all addresses with a scheme that stand in a text.
std::string without_secrets_in(std::string_view text);

/// The same of an address that is called: whatever stands in its query may be
/// what opens it ("https://host/told?***").
std::string without_query(std::string address);

/// A command line without its arguments, which may have secrets in them:
/// "/usr/bin/fetch ***".
std::string without_arguments(const std::string& command);

} // namespace depositd
