#include "adapters/stores/blobs/folder_blobs.hpp"

#include <algorithm>
#include <atomic>
#include <bitset>
#include <cerrno>
#include <mutex>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapters/stores/files/file.hpp"
#include "adapters/stores/files/mounts.hpp"
#include "adapters/stores/files/sha256.hpp"
#include "messages/values/test_points.hpp"

namespace depositd {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view temporary_prefix = ".put-";

/// Where in the fan-out a digest is, as a number.
std::size_t folder_number(const std::string& sha256) {
  return std::stoul(sha256.substr(0, 4), nullptr, 16);
}

constexpr std::size_t compared_bytes = 64 * 1024;

/// Whether the file has these bytes and no others: one that was cut off or has
/// rotted is written again.
bool is_there(const fs::path& path, std::string_view bytes) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0
      || static_cast<std::size_t>(facts.st_size) != bytes.size())
    return false;
  const auto file = open_file(path, O_RDONLY);
  if (!file)
    return false;
  std::string piece(std::min(bytes.size(), compared_bytes), '\0');
  for (std::size_t at = 0; at < bytes.size(); at += piece.size()) {
    const auto count = read_file_at(*file, path, piece, at);
    if (!count || bytes.substr(at, piece.size()) != piece.substr(0, *count))
      return false;
  }
  return true;
}

/// Every folder in there that could be part of the fan-out.
std::vector<fs::path> folders_in(const fs::path& folder,
                                 std::error_code& code) {
  std::vector<fs::path> out;
  for (fs::directory_iterator at{folder, code}, end; !code && at != end;
       at.increment(code))
    if (at->is_directory() && at->path().filename().string().size() == 2)
      out.push_back(at->path());
  return out;
}

class folder_blobs final : public blob_store {
public:
  folder_blobs(disk& io, fs::path folder, std::size_t mounts)
    : io_(io), root_(std::move(folder)), mounts_(mounts) {
    // nop
  }

  caf::expected<std::string> put(std::string_view bytes) override;

  caf::expected<std::string> get(const std::string& sha256) override;

  caf::error backup(const fs::path& folder) override;

private:
  fs::path folder_of(const std::string& sha256) const {
    return root_ / sha256.substr(0, 2) / sha256.substr(2, 2);
  }

  caf::error make_durable_folder(const std::string& sha256);
  caf::error write(const fs::path& path, std::string_view bytes);
  caf::error copy(const fs::path& from, const fs::path& to);
  caf::error copy_folder(const fs::path& from, const fs::path& to);

  disk& io_;
  const fs::path root_;
  const std::size_t mounts_; ///< on the way to it when it was opened
  std::atomic<std::uint64_t> temporaries_ = 0;
  std::mutex mutex_;           // guards what follows
  std::bitset<65536> durable_; // folders known to survive a crash
};

caf::error folder_blobs::make_durable_folder(const std::string& sha256) {
  const auto number = folder_number(sha256);
  {
    const std::lock_guard guard{mutex_};
    if (durable_.test(number))
      return {};
  }
  const auto folder = folder_of(sha256);
  if (auto failed = make_folders(io_, folder))
    return failed;
  // It may be there because of a program that died before it was durable.
  if (auto failed = sync_folder(io_, folder.parent_path()))
    return failed;
  if (auto failed = sync_folder(io_, root_))
    return failed;
  const std::lock_guard guard{mutex_};
  durable_.set(number);
  return {};
}

caf::error folder_blobs::write(const fs::path& path, std::string_view bytes) {
  auto name = std::string{temporary_prefix} + std::to_string(::getpid());
  name += '-';
  name += std::to_string(temporaries_.fetch_add(1));
  const auto temporary = path.parent_path() / name;
  const auto write_file = [&]() -> caf::error {
    auto file = open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file)
      return std::move(file.error());
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    if (const auto code = io_.write(file->value(), {&part, 1}, 0))
      return file_failed("write", temporary, code);
    crash_point("blob_unflushed");
    if (const auto code = io_.sync(file->value()))
      return file_failed("sync", temporary, code);
    crash_point("blob_unnamed");
    if (::rename(temporary.c_str(), path.c_str()) != 0)
      return file_failed("rename to", path, errno);
    return {};
  };
  auto failed = write_file();
  if (failed)
    ::unlink(temporary.c_str());
  return failed;
}

caf::expected<std::string> folder_blobs::put(std::string_view bytes) {
  // What is written below a disk that comes back is hidden by it.
  if (auto away = look_for_mounts(root_, mounts_))
    return away;
  auto name = sha256_hex(bytes);
  const auto folder = folder_of(name);
  const auto path = folder / name;
  if (auto failed = make_durable_folder(name))
    return failed;
  if (!is_there(path, bytes))
    if (auto failed = write(path, bytes))
      return failed;
  crash_point("blob_named");
  // Also for one that was there: the put that wrote it may not have got here.
  if (auto failed = sync_folder(io_, folder))
    return failed;
  return name;
}

caf::expected<std::string> folder_blobs::get(const std::string& sha256) {
  if (!is_sha256_hex(sha256))
    return caf::make_error(ec::not_found,
                           std::string{"a blob is named by its SHA-256"});
  const auto path = folder_of(sha256) / sha256;
  auto bytes = read_file(path);
  if (!bytes && bytes.error() == ec::not_found)
    if (auto away = look_for_mounts(root_, mounts_))
      return away;
  if (!bytes && bytes.error() == ec::not_found)
    return caf::make_error(ec::not_found, "no blob " + sha256);
  if (!bytes)
    return std::move(bytes.error());
  if (sha256_hex(*bytes) != sha256)
    return caf::make_error(ec::store_damaged,
                           path.string() + " does not match its name");
  return std::move(*bytes);
}

caf::error folder_blobs::copy(const fs::path& from, const fs::path& to) {
  // A blob never changes, so both names may share it.
  if (::link(from.c_str(), to.c_str()) == 0 || errno == EEXIST)
    return {};
  auto file = open_file(from, O_RDONLY);
  if (!file)
    return std::move(file.error());
  struct stat facts {};
  if (::fstat(file->value(), &facts) != 0)
    return file_failed("read", from, errno);
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  return copy_file_bytes(io_, *file, from, to, {.bytes = size, .size = size});
}

caf::error folder_blobs::copy_folder(const fs::path& from, const fs::path& to) {
  if (auto failed = make_folders(io_, to))
    return failed;
  std::error_code code;
  for (fs::directory_iterator at{from, code}, end; !code && at != end;
       at.increment(code))
    if (const auto name = at->path().filename(); is_sha256_hex(name.string()))
      if (auto failed = copy(at->path(), to / name))
        return failed;
  return code ? file_failed("list", from, code.value()) : sync_folder(io_, to);
}

caf::error folder_blobs::backup(const fs::path& folder) {
  if (auto away = look_for_mounts(root_, mounts_))
    return away;
  if (auto failed = make_folders(io_, folder))
    return failed;
  std::error_code code;
  for (const auto& upper : folders_in(root_, code))
    for (const auto& lower : folders_in(upper, code))
      if (auto failed =
            copy_folder(lower, folder / upper.filename() / lower.filename()))
        return failed;
  return code ? file_failed("list", root_, code.value()) : caf::error{};
}

} // namespace

caf::expected<std::unique_ptr<blob_store>>
open_folder_blobs(const folder_blobs_options& options) {
  auto& io = options.io == nullptr ? system_disk() : *options.io;
  // Before it is made on the disk below.
  const auto mounts = note_mounts(io, options.folder, options.note);
  if (!mounts)
    return mounts.error();
  if (auto failed = make_folders(io, options.folder))
    return failed;
  if (::access(options.folder.c_str(), R_OK | W_OK | X_OK) != 0)
    return file_failed("write", options.folder, errno);
  return std::make_unique<folder_blobs>(io, options.folder, *mounts);
}

} // namespace depositd
