#pragma once

// Archives of small files for tests, as bytes.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <archive.h>
#include <archive_entry.h>

namespace depositd::testing {

/// In the format that `shape` sets. Names are taken as they are; those that end
/// with a slash are folders.
template <class Files>
std::string packed(const Files& files, void (*shape)(archive*)) {
  std::string out;
  const std::unique_ptr<archive, int (*)(archive*)> to{archive_write_new(),
                                                       &archive_write_free};
  shape(to.get());
  const auto write = [](archive*, void* where, const void* bytes,
                        std::size_t count) {
    static_cast<std::string*>(where)->append(static_cast<const char*>(bytes),
                                             count);
    return static_cast<la_ssize_t>(count);
  };
  archive_write_open(to.get(), &out, nullptr, write, nullptr);
  for (const auto& [name, bytes] : files) {
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry{
      archive_entry_new(), &archive_entry_free};
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_filetype(entry.get(),
                               name.ends_with('/') ? AE_IFDIR : AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
    archive_write_header(to.get(), entry.get());
    archive_write_data(to.get(), bytes.data(), bytes.size());
  }
  archive_write_close(to.get());
  return out;
}

/// A tar file of these, in this order.
inline std::string
tar_of(const std::vector<std::pair<std::string, std::string>>& files) {
  return packed(files,
                [](archive* to) { archive_write_set_format_ustar(to); });
}

inline std::string zip_of(const std::map<std::string, std::string>& files) {
  return packed(files, [](archive* to) {
    archive_write_set_format_zip(to);
    archive_write_set_bytes_in_last_block(to, 1);
  });
}

} // namespace depositd::testing
