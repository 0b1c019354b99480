#include "adapters/bagit/tar_file.hpp"

#include "adapters/archives/utf8_names.hpp"

#include <cerrno>
#include <utility>

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace depositd::bagit {

namespace {

constexpr int block_bytes = 256 * 1024;

} // namespace

tar_file::tar_file() : to_(archive_write_new(), &archive_write_free) {
  // nop
}

tar_file::~tar_file() {
  // Closing writes what is left: to a file that is gone, which is cheap.
  if (file_ && !kept_) {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
}

caf::error tar_file::failed() const {
  const auto* reason = archive_error_string(to_.get());
  return caf::make_error(ec::store_failed, "cannot write " + path_.string()
                                             + ": "
                                             + (reason ? reason : "unknown"));
}

caf::error tar_file::open(const std::filesystem::path& path) {
  path_ = path;
  auto file = open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
  if (!file)
    return std::move(file.error());
  file_ = std::move(*file);
  auto* to = to_.get();
  if (archive_write_set_format_pax_restricted(to) != ARCHIVE_OK
      || archive_write_set_bytes_per_block(to, block_bytes) != ARCHIVE_OK
      || archive_write_set_bytes_in_last_block(to, 1) != ARCHIVE_OK
      || archive_write_open_fd(to, file_.value()) != ARCHIVE_OK)
    return failed();
  return {};
}

caf::error tar_file::begin(const tar_entry& x) {
  const utf8_names names;
  const std::unique_ptr<archive_entry, void (*)(archive_entry*)> header{
    archive_entry_new(), &archive_entry_free};
  archive_entry_set_pathname(header.get(), x.path.c_str());
  archive_entry_set_filetype(header.get(), x.folder ? AE_IFDIR : AE_IFREG);
  archive_entry_set_perm(header.get(), x.mode & 07777);
  archive_entry_set_size(header.get(), static_cast<la_int64_t>(x.bytes));
  archive_entry_set_mtime(header.get(), x.modified_s, 0);
  if (archive_write_header(to_.get(), header.get()) != ARCHIVE_OK)
    return failed();
  return {};
}

caf::error tar_file::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count =
      archive_write_data(to_.get(), bytes.data(), bytes.size());
    if (count <= 0)
      return failed();
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

caf::expected<std::uint64_t> tar_file::finish() {
  if (archive_write_close(to_.get()) != ARCHIVE_OK)
    return failed();
  struct stat facts {};
  if (::fstat(file_.value(), &facts) != 0)
    return file_failed("write", path_, errno);
  if (const auto code = system_disk().sync(file_.value()))
    return file_failed("sync", path_, code);
  if (auto failure = sync_folder(
        system_disk(), std::filesystem::absolute(path_).parent_path()))
    return failure;
  kept_ = true;
  return static_cast<std::uint64_t>(facts.st_size);
}

} // namespace depositd::bagit
