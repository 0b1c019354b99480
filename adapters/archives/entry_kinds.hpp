#pragma once

// Which kinds of entries are taken from strangers.

#include <sys/types.h>

struct archive_entry;

namespace depositd {

/// Why a file of this mode is not taken, null if it is: only plain files and
/// folders are.
const char* file_type_fault(mode_t mode);

/// The same for an entry of an archive.
const char* entry_kind_fault(archive_entry* entry);

} // namespace depositd
