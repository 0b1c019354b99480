#pragma once

// Records out of a database.

#include "adapters/sources/records/records.hpp"
#include "messages/ports/source_reader.hpp"

#include <memory>
#include <string>

namespace depositd::sources {

/// Reads rows of `x.from.query`, each a JSON object of its columns. Of several
/// columns of one name the first counts. The session is opened by the first
/// batch and kept.
///
/// With `:cursor` a batch ends with the last row whose fellows of the same
/// value are all there, as far as that can be seen (see `positions_of`): a
/// query with `>=` skips nothing whatever repeats, for one with `>` values
/// should differ. Without `:cursor` all that the query gives is taken.
///
/// `ec::invalid_argument`: these settings cannot work together.
caf::expected<std::unique_ptr<source_reader>>
make_sql_reader(const std::string& name, const source_settings& x,
                const reader_context& in);

} // namespace depositd::sources
