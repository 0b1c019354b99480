#pragma once

// Bytes of unknown origin made into text of one encoding, so that the parser
// never guesses one.

#include "adapters/processing/crossref/xml_limits.hpp"
#include "messages/values/errors.hpp"

#include <string>
#include <string_view>

namespace depositd::crossref {

/// The document in UTF-8, without byte order mark and with its encoding
/// declaration blanked out. Reads UTF-8, UTF-16 with a byte order mark,
/// US-ASCII, ISO-8859-1 and windows-1252, each only where the declaration (or
/// its absence) says so. `ec::malformed` if the bytes are not what they
/// declare, `ec::too_large` above `bytes_max`.
caf::expected<std::string> decode_xml_text(std::string_view bytes,
                                           const xml_limits& limits);

} // namespace depositd::crossref
