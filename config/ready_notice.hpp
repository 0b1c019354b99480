#pragma once

// What the service manager that started the program (`Type=notify` of systemd)
// is told. Nothing happens where nobody listens.

#include <string>

namespace depositd {

/// The engine can be used; `status` is shown by `systemctl status`.
void tell_ready(const std::string& status);

/// It ends of its own will, and may take its time for that.
void tell_stopping();

/// Sends the lines of a notice to the socket of this name; '@' in front stands
/// for a name that is in no folder. False if it was not taken, with `errno`.
bool send_notice(const std::string& socket_name, const std::string& lines);

} // namespace depositd
