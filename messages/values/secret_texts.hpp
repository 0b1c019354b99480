#pragma once

// Texts that only their owner may know and that the engine needs as they are.

#include "messages/values/command_table.hpp"

namespace depositd {

/// Whether an argument is such a text: its option takes no value
/// ("--callback-key-stdin"), the shell reads the text where the operator is,
/// and no log shows it.
inline bool is_secret_text(const argument_spec& x) {
  return x.kind == value_kind::text && x.spelling.starts_with("--")
         && x.spelling.ends_with("-stdin");
}

} // namespace depositd
