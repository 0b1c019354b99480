#pragma once

// Values of a document as the cells of a view name them; see `column_spec`.

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace depositd::shell {

/// Keeps the order of the engine's keys.
using document = nlohmann::ordered_json;

/// A value as it stands in a cell; "-" for what is not there.
std::string shown(const document& x);

/// What a path like "store.events" leads to, null if to nothing. A list on the
/// way is gone through: the list of what it leads to in each entry.
document value_at(const document& x, const std::string& path);

/// The entries of a list, those of an empty one for anything else.
std::vector<document> entries(const document& x);

/// Whether something is there: a flag that is true, a text or list that is not
/// empty, a number.
bool is_there(const document& x);

/// The text of a cell of this row.
std::string cell_text(const std::string& cell, const document& row);

} // namespace depositd::shell
