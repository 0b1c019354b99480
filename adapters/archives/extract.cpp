#include "adapters/archives/extract.hpp"

#include "adapters/archives/entry_kinds.hpp"
#include "adapters/archives/entry_names.hpp"
#include "adapters/archives/reader.hpp"
#include "adapters/stores/files/disk_floor.hpp"
#include "adapters/stores/files/file.hpp"

#include <algorithm>
#include <cerrno>

#include <archive_entry.h>
#include <fcntl.h>
#include <unistd.h>

namespace depositd {

namespace {

namespace fs = std::filesystem;

caf::error refused(ec code, const std::string& text) {
  return caf::make_error(code, text);
}

std::string about(std::string_view path) {
  return "the entry \"" + std::string{path.substr(0, 200)} + "\" ";
}

/// Removes what was begun unless it is kept.
class begun_folder {
public:
  explicit begun_folder(fs::path path) : path_(std::move(path)) {
    // nop
  }

  begun_folder(const begun_folder&) = delete;
  begun_folder& operator=(const begun_folder&) = delete;

  ~begun_folder() {
    std::error_code ignored;
    if (!kept_)
      fs::remove_all(path_, ignored);
  }

  void keep() {
    kept_ = true;
  }

private:
  fs::path path_;
  bool kept_ = false;
};

/// Unpacks one archive.
class extraction {
public:
  extraction(archive_reader& from, fs::path folder,
             const archive_limits& limits)
    : from_(from), folder_(std::move(folder)), limits_(limits),
      floor_(limits.disk_free_min),
      allowed_(std::min(limits.bytes_max, by_ratio(from.bytes(), limits))) {
    // nop
  }

  caf::expected<std::vector<extracted_file>> run() {
    for (;;) {
      auto entry = from_.next();
      if (!entry)
        return std::move(entry.error());
      if (*entry == nullptr)
        break;
      if (++entries_ > limits_.entries_max)
        return refused(ec::too_large, "the archive has more than "
                                        + std::to_string(limits_.entries_max)
                                        + " entries");
      if (auto failure = take(*entry))
        return failure;
    }
    if (auto failure = from_.check_end())
      return failure;
    std::sort(files_.begin(), files_.end(),
              [](const auto& x, const auto& y) { return x.path < y.path; });
    return std::move(files_);
  }

private:
  static std::uint64_t by_ratio(std::uint64_t bytes,
                                const archive_limits& limits) {
    // An archive of 2^57 bytes is none that there is.
    return std::max(limits.ratio_free_bytes,
                    std::min(bytes, std::uint64_t{1} << 50) * limits.ratio_max);
  }

  caf::error too_many_bytes() const {
    return refused(ec::too_large, allowed_ == limits_.bytes_max
                                    ? "the archive has more than "
                                        + std::to_string(allowed_)
                                        + " bytes unpacked"
                                    : "the archive has more than "
                                        + std::to_string(limits_.ratio_max)
                                        + " times its own bytes unpacked");
  }

  caf::error check_size(std::uint64_t bytes, const std::string& path) const {
    if (bytes > limits_.file_bytes_max)
      return refused(ec::too_large, about(path) + "has more than "
                                      + std::to_string(limits_.file_bytes_max)
                                      + " bytes");
    return bytes > allowed_ - total_ ? too_many_bytes() : caf::error{};
  }

  caf::error take(archive_entry* entry) {
    const auto raw = from_.name_of(entry);
    if (const auto* fault = entry_kind_fault(entry))
      return refused(ec::malformed, about(raw) + fault);
    const bool is_folder = archive_entry_filetype(entry) == AE_IFDIR;
    auto path = names_.add(raw, is_folder);
    if (!path)
      return std::move(path.error());
    if (names_.folders() > limits_.folders_max)
      return refused(ec::too_large, "the archive has more than "
                                      + std::to_string(limits_.folders_max)
                                      + " folders");
    if (is_folder)
      return make_folder(folder_ / *path);
    if (archive_entry_size_is_set(entry)) {
      const auto size = archive_entry_size(entry);
      if (size < 0)
        return refused(ec::malformed, about(*path) + "has a negative size");
      if (auto failure = check_size(static_cast<std::uint64_t>(size), *path))
        return failure;
    }
    return write_file(*path);
  }

  caf::error make_folder(const fs::path& path) {
    std::error_code code;
    fs::create_directories(path, code);
    return code ? file_failed("create", path, code.value()) : caf::error{};
  }

  caf::error write_file(const std::string& path) {
    const auto whole = folder_ / path;
    if (auto failure = make_folder(whole.parent_path()))
      return failure;
    auto file = open_file(whole, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (!file)
      return std::move(file.error());
    std::uint64_t size = 0;
    for (;;) {
      auto block = from_.read();
      if (!block)
        return std::move(block.error());
      if (block->end)
        break;
      size = std::max(size, block->offset + block->bytes.size());
      if (auto failure = check_size(size, path))
        return failure;
      if (auto full = floor_.take(folder_, block->bytes.size()))
        return full;
      iovec part{const_cast<char*>(block->bytes.data()), block->bytes.size()};
      if (const auto code =
            system_disk().write(file->value(), {&part, 1}, block->offset))
        return file_failed("write", whole, code);
    }
    if (::ftruncate(file->value(), static_cast<off_t>(size)) != 0)
      return file_failed("write", whole, errno);
    total_ += size;
    files_.push_back({path, size});
    return {};
  }

  archive_reader& from_;
  const fs::path folder_;
  const archive_limits& limits_;
  disk_floor floor_;
  const std::uint64_t allowed_; ///< bytes of all files
  entry_names names_;
  std::vector<extracted_file> files_;
  std::uint64_t total_ = 0;
  std::uint64_t entries_ = 0;
};

} // namespace

caf::expected<std::vector<extracted_file>>
extract_archive(const archive_source& from, const fs::path& folder,
                const archive_limits& limits) {
  archive_reader reader;
  if (auto failure = reader.open(from))
    return failure;
  std::error_code code;
  if (!fs::create_directory(folder, code))
    return file_failed("create", folder, code ? code.value() : EEXIST);
  begun_folder begun{folder};
  // Opened before anything is written: it is told what fails.
  const auto all = open_file(folder, O_RDONLY | O_DIRECTORY);
  if (!all)
    return all.error();
  auto files = extraction{reader, folder, limits}.run();
  if (!files)
    return files;
  // One call for all of its files, however many.
  if (const auto failed = system_disk().sync_all(all->value()))
    return file_failed("sync", folder, failed);
  begun.keep();
  return files;
}

} // namespace depositd
