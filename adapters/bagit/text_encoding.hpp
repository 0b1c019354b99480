#pragma once

// UTF-8 as what tag files are written in; the way back is text_decoding.hpp.

#include <optional>
#include <string>
#include <string_view>

namespace depositd::bagit {

/// A whole text in the encoding that bagit.txt has by this name. Nothing if it
/// has a character that the encoding lacks, or nobody knows the name. UTF-16
/// begins with a mark unless its name says the order of bytes.
std::optional<std::string> encode_text(std::string_view text,
                                       std::string_view encoding);

} // namespace depositd::bagit
