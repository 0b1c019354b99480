#pragma once

// A reader for a source of any kind.

#include "adapters/sources/records/records.hpp"
#include "messages/ports/source_reader.hpp"

#include <memory>
#include <string>

namespace depositd::sources {

/// Touches nothing outside yet: it connects with the first batch, on the thread
/// that asks for it. `ec::bad_setting` or `ec::invalid_argument` for what
/// settings alone can tell; the text names the setting, not the source.
caf::expected<std::unique_ptr<source_reader>>
make_reader(const std::string& name, const source_settings& x,
            const reader_context& in);

} // namespace depositd::sources
