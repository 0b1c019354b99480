#pragma once

// fmt 9 compiles all that it knows of formats (numbers, rounding) in every
// source that logs a line, though its library has it: 2 s of each.

#include <fmt/format.h>

FMT_BEGIN_NAMESPACE
namespace detail {

extern template void
vformat_to<char>(buffer<char>& to, basic_string_view<char> text,
                 basic_format_args<FMT_BUFFER_CONTEXT(char)> args,
                 locale_ref where);

} // namespace detail
FMT_END_NAMESPACE
