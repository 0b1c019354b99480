#pragma once

// The letters of a manifest: lines, fields, dates, profiles.

#include "adapters/processing/merritt/manifest.hpp"
#include "messages/values/blanks.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::merritt {

/// Why no line of it needs to be read; empty if there is no such reason.
std::string whole_text_fault(std::string_view text);

/// The first line without its end, which is taken away from `rest`.
std::string_view take_line(std::string_view& rest);

/// Others than tabs.
bool has_control_character(std::string_view line);

/// Between bars, without blanks around them. At least one.
std::vector<std::string_view> split_fields(std::string_view line);

/// "#%eof" in letters of any case.
bool is_end(std::string_view header);

/// %20 and %7c become what they stand for, nothing else does.
std::string decode_field(std::string_view text);

/// The kind that the profile stands for, with the old spellings.
std::optional<manifest_kind> find_profile(std::string_view profile);

/// "2020-01-01", with a time with or without seconds, fractions, and a zone.
std::optional<micros> read_manifest_date(std::string_view text);

} // namespace depositd::merritt
