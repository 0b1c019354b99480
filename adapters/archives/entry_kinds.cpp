#include "adapters/archives/entry_kinds.hpp"

#include <archive_entry.h>
#include <sys/stat.h>

namespace depositd {

const char* file_type_fault(mode_t mode) {
  if (S_ISREG(mode) || S_ISDIR(mode))
    return nullptr;
  return S_ISLNK(mode) ? "is a symbolic link"
                       : "is a device, a pipe or a socket";
}

const char* entry_kind_fault(archive_entry* entry) {
  if (archive_entry_hardlink(entry))
    return "is a hard link";
  if (archive_entry_is_encrypted(entry))
    return "is encrypted";
  return file_type_fault(archive_entry_filetype(entry));
}

} // namespace depositd
