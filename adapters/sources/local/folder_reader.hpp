#pragma once

// Files of a folder, at any depth.

#include "adapters/sources/records/records.hpp"
#include "messages/ports/source_reader.hpp"

#include <memory>
#include <string>

namespace depositd::sources {

/// Reads the files below `from.path` in the order of the bytes of their paths,
/// without those whose name or folder begins with a dot. Files are regular, or
/// links to such ones that lie below the folder, too; linked folders are not
/// entered. The cursor is the path of the last file; at the end of the folder a
/// batch says that it has `ended` and begins anew with an empty cursor, for the
/// sake of files that came meanwhile. `ec::bad_setting` if the path cannot be
/// one; touches nothing.
caf::expected<std::unique_ptr<source_reader>>
make_folder_reader(const std::string& name, const source_settings& x,
                   const reader_context& in);

} // namespace depositd::sources
