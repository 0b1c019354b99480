#pragma once

// Names that are one, however their accents are written.

#include <string>
#include <string_view>

namespace depositd {

/// The name with its accents composed (NFC). libarchive composes some names of
/// archives and leaves others. What is not UTF-8 stays as it is.
std::string composed(std::string_view path);

} // namespace depositd
