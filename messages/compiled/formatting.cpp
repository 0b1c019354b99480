// For whoever builds against a fmt whose library keeps it to itself.

#include "messages/compiled/formatting.hpp"

template void fmt::detail::vformat_to<char>(
  buffer<char>& to, basic_string_view<char> text,
  basic_format_args<FMT_BUFFER_CONTEXT(char)> args, locale_ref where);
