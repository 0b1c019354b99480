#pragma once

#include <string>
#include <string_view>

namespace depositd {

/// A random UUID (RFC 9562, version 4) in lower case.
std::string random_uuid();

/// The UUID (version 8) whose bits are the first 128 of a digest, which has 32
/// lower-case hexadecimal digits or more: the same for the same digest.
std::string uuid_of_digest(std::string_view hex);

/// Whether it is one of any version, in either case: 8-4-4-4-12 hexadecimal
/// digits.
bool legal_uuid(std::string_view x) noexcept;

} // namespace depositd
