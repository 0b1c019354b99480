#pragma once

// libarchive, with errors as we have them.

#include "adapters/archives/extract.hpp"
#include "adapters/archives/utf8_names.hpp"
#include "adapters/archives/zip_names.hpp"
#include "adapters/stores/files/file.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct archive;
struct archive_entry;

namespace depositd {

/// Part of a file; its bytes are valid until the next call.
struct archive_block {
  std::string_view bytes;
  std::uint64_t offset = 0;
  bool end = false;
};

/// Reads one archive from its beginning to its end. While it lives, names are
/// UTF-8 for this thread, which must be the one that uses it.
class archive_reader {
public:
  archive_reader();
  archive_reader(const archive_reader&) = delete;
  archive_reader& operator=(const archive_reader&) = delete;
  ~archive_reader();

  /// `ec::malformed` if the name has no ending of an archive.
  caf::error open(const archive_source& from);

  /// Of the archive itself.
  std::uint64_t bytes() const {
    return bytes_;
  }

  /// Null at the end. `ec::malformed` with the library's reason;
  /// `ec::store_failed` if its file cannot be read, which says nothing about
  /// the archive.
  caf::expected<archive_entry*> next();

  /// What the entry is called, as its sender wrote it where that is known (not
  /// in extended headers of tar, which come with accents composed); in
  /// compressed single files, what they are.
  std::string name_of(archive_entry* entry) const;

  caf::expected<archive_block> read();

  /// Once all entries are read: whether the file ends there, too.
  caf::error check_end() const;

private:
  caf::error failed(const char* doing) const;
  caf::expected<std::string> end_of_file() const;
  caf::error prepare_zip();
  caf::error prepare_single(const std::string& name);
  caf::error begin();
  void take_single();
  caf::error begin_raw();

  // -- what the library calls

  static std::int64_t give(archive* to, void* self, const void** bytes);
  static std::int64_t skip(archive* to, void* self, std::int64_t bytes);
  static std::int64_t seek(archive* to, void* self, std::int64_t offset,
                           int from);

  utf8_names names_;
  std::unique_ptr<archive, int (*)(archive*)> from_;
  std::filesystem::path path_;
  unique_fd file_;
  std::vector<char> block_;
  std::uint64_t at_ = 0;    ///< where the next block begins
  caf::error disk_failure_; ///< why the file could not be read
  std::string single_name_; ///< of the only file; empty: a real archive
  bool zip_ = false;
  decomposed_names decomposed_; ///< of a zip
  /// A zip without entries, or an empty file that is compressed: the library
  /// knows neither.
  bool empty_ = false;
  std::unique_ptr<archive_entry, void (*)(archive_entry*)> nothing_;
  int single_filter_ = 0; ///< what it is compressed with
  bool begun_ = false;    ///< has shown its first entry, if any
  std::uint64_t bytes_ = 0;
};

} // namespace depositd
