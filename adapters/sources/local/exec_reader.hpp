#pragma once

// Records that a program prints, as a JSON object each line.

#include "adapters/sources/records/records.hpp"
#include "messages/ports/source_reader.hpp"

#include <memory>
#include <string>

namespace depositd::sources {

/// Of all that a program prints in one run.
inline constexpr std::size_t printed_bytes_max = std::size_t{256} * 1024 * 1024;

/// Runs `from.command` once for each batch: without a shell, in a process group
/// of its own, with DEPOSITD_SOURCE, DEPOSITD_LIMIT and DEPOSITD_CURSOR in its
/// environment. Lines beyond the limit are passed over. The cursor is the field
/// `from.cursor` of the last record that has one. Whatever the program leaves
/// behind in its group is killed with it. `ec::bad_setting` for a command that
/// cannot be one, or no key; touches nothing.
caf::expected<std::unique_ptr<source_reader>>
make_exec_reader(const std::string& name, const source_settings& x,
                 const reader_context& in);

} // namespace depositd::sources
