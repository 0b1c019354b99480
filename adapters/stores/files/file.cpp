#include "adapters/stores/files/file.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace depositd {

namespace fs = std::filesystem;

unique_fd& unique_fd::operator=(unique_fd&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

unique_fd::~unique_fd() {
  if (fd_ >= 0)
    ::close(fd_);
}

caf::error file_failed(std::string_view verb, const fs::path& path, int code) {
  std::string text = "cannot ";
  text += verb;
  text += ' ';
  text += path.string();
  text += ": ";
  text += std::generic_category().message(code);
  return caf::make_error(ec::store_failed, std::move(text));
}

caf::expected<unique_fd> open_file(const fs::path& path, int flags) {
  for (;;) {
    const auto fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
    if (fd >= 0)
      return unique_fd{fd};
    if (errno != EINTR)
      return file_failed("open", path, errno);
  }
}

caf::expected<std::size_t> read_file_at(const unique_fd& file,
                                        const fs::path& path,
                                        std::span<char> into,
                                        std::uint64_t offset) {
  std::size_t done = 0;
  while (done < into.size()) {
    const auto count =
      ::pread(file.value(), into.data() + done, into.size() - done,
              static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return file_failed("read", path, errno);
    if (count == 0)
      break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

caf::expected<std::string> read_file(const fs::path& path) {
  std::error_code code;
  const auto size = fs::file_size(path, code);
  if (code == std::errc::no_such_file_or_directory)
    return caf::make_error(ec::not_found, path.string() + " does not exist");
  if (code)
    return file_failed("read", path, code.value());
  auto file = open_file(path, O_RDONLY);
  if (!file)
    return std::move(file.error());
  std::string out(size, '\0');
  auto count = read_file_at(*file, path, out, 0);
  if (!count)
    return std::move(count.error());
  out.resize(*count);
  return out;
}

caf::error sync_folder(disk& io, const fs::path& folder) {
  auto file = open_file(folder, O_RDONLY | O_DIRECTORY);
  if (!file)
    return std::move(file.error());
  if (const auto code = io.sync_names(file->value()))
    return file_failed("sync", folder, code);
  return {};
}

caf::error make_folders(disk& io, const fs::path& folder) {
  std::error_code code;
  if (folder.empty() || fs::is_directory(folder, code))
    return {};
  if (auto failed = make_folders(io, folder.parent_path()))
    return failed;
  fs::create_directory(folder, code);
  if (code)
    return file_failed("create", folder, code.value());
  fs::permissions(folder, fs::perms::owner_all, code);
  const auto parent = folder.parent_path();
  auto failure = sync_folder(io, parent.empty() ? fs::path{"."} : parent);
  // Whoever tries again would take it for one that is flushed.
  if (failure)
    fs::remove(folder, code);
  return failure;
}

caf::error replace_file(disk& io, const fs::path& path,
                        std::string_view bytes) {
  auto temporary = path;
  temporary += ".tmp";
  auto file = open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file)
    return std::move(file.error());
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  if (const auto code = io.write(file->value(), {&part, 1}, 0))
    return file_failed("write", temporary, code);
  if (const auto code = io.sync(file->value()))
    return file_failed("sync", temporary, code);
  std::error_code code;
  fs::rename(temporary, path, code);
  if (code)
    return file_failed("rename to", path, code.value());
  return sync_folder(io, path.parent_path());
}

caf::error copy_file_bytes(disk& io, const unique_fd& from,
                           const fs::path& from_path, const fs::path& to,
                           copy_segment what) {
  auto file = open_file(to, O_WRONLY | O_CREAT | O_EXCL);
  if (!file)
    return std::move(file.error());
  std::vector<char> buffer(1024 * 1024);
  for (std::uint64_t at = 0; at < what.bytes;) {
    const auto wanted = std::min<std::uint64_t>(buffer.size(), what.bytes - at);
    auto count = read_file_at(from, from_path, {buffer.data(), wanted}, at);
    if (!count)
      return std::move(count.error());
    if (*count == 0)
      return file_failed("read", from_path, EIO);
    iovec part{buffer.data(), *count};
    if (const auto code = io.write(file->value(), {&part, 1}, at))
      return file_failed("write", to, code);
    at += *count;
  }
  if (::ftruncate(file->value(), static_cast<off_t>(what.size)) != 0)
    return file_failed("extend", to, errno);
  if (const auto code = io.sync(file->value()))
    return file_failed("sync", to, code);
  return {};
}

} // namespace depositd
