#pragma once

// The head of a mail. Nothing that comes from outside begins a line of its own.

#include "messages/ports/notifiers.hpp"
#include "messages/values/types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace depositd {

inline constexpr std::size_t mail_recipients_max = 100;
inline constexpr std::size_t mail_bytes_max = 16 * 1024 * 1024;

/// Why the text must not be in a header, empty if it may: line breaks and other
/// control characters.
std::string header_fault(std::string_view text);

/// Why it is no plain address "NAME@HOST", empty if it is one.
std::string address_fault(std::string_view address);

/// Why the mail can never be sent, empty if it can.
std::string mail_fault(const mail& x);

/// As a header has it: encoded (RFC 2047) if it is not plain ASCII.
std::string header_text(std::string_view text);

/// "Sun, 22 Nov 2026 22:24:37 +0000".
std::string mail_date(micros at);

/// The lines of the head, without what MIME adds.
std::vector<std::string> mail_headers(const mail& x, const std::string& from,
                                      micros now);

} // namespace depositd
