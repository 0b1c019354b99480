#pragma once

#include <string>
#include <string_view>

namespace depositd {

/// A random UUID (RFC 9562, version 4) in lower case.
std::string random_uuid();

/// Whether it is one of any version, in either case: 8-4-4-4-12 hexadecimal
/// digits.
bool legal_uuid(std::string_view x) noexcept;

} // namespace depositd
