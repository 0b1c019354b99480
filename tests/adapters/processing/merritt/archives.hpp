#pragma once

// Archives for tests, as bytes.

#include <archive.h>
#include <archive_entry.h>

#include <map>
#include <memory>
#include <string>

namespace depositd::merritt::testing {

/// A zip of these files; names are taken as they are.
inline std::string zip_of(const std::map<std::string, std::string>& files) {
  std::string out;
  const std::unique_ptr<archive, int (*)(archive*)> to{archive_write_new(),
                                                       &archive_write_free};
  archive_write_set_format_zip(to.get());
  archive_write_set_bytes_in_last_block(to.get(), 1);
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
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
    archive_write_header(to.get(), entry.get());
    archive_write_data(to.get(), bytes.data(), bytes.size());
  }
  archive_write_close(to.get());
  return out;
}

} // namespace depositd::merritt::testing
