#include "adapters/doors/drop/user_folder.hpp"

#include "messages/values/owned.hpp"
#include "messages/values/types.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>
#include <system_error>
#include <tuple>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace depositd::drop {

namespace {

constexpr auto done_name = ".done";
constexpr auto refused_name = ".refused";
constexpr auto reason_ending = ".reason";
constexpr int same_names_max = 1000;
/// No user's own name is that long: room for a number and `.reason`.
constexpr std::size_t ending_bytes_max = 16;

constexpr int changed = -1; // no errno has this value

std::int64_t nanoseconds(const timespec& x) {
  return static_cast<std::int64_t>(x.tv_sec) * 1'000'000'000 + x.tv_nsec;
}

file_stamp stamp_of(const struct stat& x) {
  return {x.st_ino, static_cast<std::uint64_t>(x.st_size),
          nanoseconds(x.st_mtim), nanoseconds(x.st_ctim)};
}

/// What has this name, itself rather than what it may link to.
std::optional<struct stat> look(int folder, const std::string& name) {
  struct stat out {};
  if (::fstatat(folder, name.c_str(), &out, AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  return out;
}

unique_fd open_in(int folder, const std::string& name, int flags) {
  return unique_fd{::openat(folder, name.c_str(),
                            flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0640)};
}

/// Calls with every name in the folder until that returns false.
template <class Function>
int for_each_name(int folder, Function&& f) {
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0)
    return errno;
  const owned<DIR, closedir> entries{::fdopendir(again)};
  if (!entries) {
    const auto code = errno;
    ::close(again);
    return code;
  }
  for (;;) {
    errno = 0;
    const auto* entry = ::readdir(entries.get());
    if (entry == nullptr)
      return errno;
    if (!f(entry->d_name, entry->d_type))
      return 0;
  }
}

/// A lease to read is granted only while nobody writes. Where the system does
/// not give leases nobody can tell, and standing still has to do.
bool has_writer(const unique_fd& file) {
  // Breaking a lease raises a signal that by default would end the process;
  // this one by default does nothing.
  if (::fcntl(file.value(), F_SETSIG, SIGURG) != 0)
    return false;
  if (::fcntl(file.value(), F_SETLEASE, F_RDLCK) != 0)
    return errno == EAGAIN;
  ::fcntl(file.value(), F_SETLEASE, F_UNLCK);
  return false;
}

/// At most so many bytes, and no character cut in half.
std::string shortened(const std::string& name, std::size_t bytes_max) {
  if (name.size() <= bytes_max)
    return name;
  auto end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80)
    --end;
  return name.substr(0, end);
}

/// The name to try at the nth attempt.
std::string numbered(const std::string& name, int attempt) {
  if (attempt == 1)
    return shortened(name, plain_name_bytes_max - ending_bytes_max);
  return shortened(name, plain_name_bytes_max - ending_bytes_max) + "."
         + std::to_string(attempt);
}

/// Never replaces a file.
int rename_new(int from, const std::string& name, int to,
               const std::string& new_name) {
  if (::renameat2(from, name.c_str(), to, new_name.c_str(), RENAME_NOREPLACE)
      == 0)
    return 0;
  if (errno != EINVAL)
    return errno;
  // Not every file system can refuse to replace.
  if (look(to, new_name))
    return EEXIST;
  return ::renameat(from, name.c_str(), to, new_name.c_str()) == 0 ? 0 : errno;
}

reading cannot_be_read(reading_state how, const std::string& why) {
  return {how, "the file cannot be read: " + why};
}

int write_all(const unique_fd& file, std::string text) {
  iovec part{text.data(), text.size()};
  return system_disk().write(file.value(), {&part, 1}, 0);
}

} // namespace

reading_state after_open_failed(int code) {
  switch (code) {
    case EACCES:
    case EPERM:
    case EOVERFLOW:
      return reading_state::unfit;
    case EIO:
      return reading_state::unread;
    default:
      return reading_state::not_now;
  }
}

caf::expected<std::vector<std::string>> list_folders(const unique_fd& root) {
  std::vector<std::string> out;
  const auto code =
    for_each_name(root.value(), [&](const char* name, unsigned char type) {
      if (name[0] == '.')
        return true;
      auto is_folder = type == DT_DIR;
      if (type == DT_UNKNOWN)
        if (const auto found = look(root.value(), name))
          is_folder = S_ISDIR(found->st_mode);
      if (is_folder)
        out.emplace_back(name);
      return true;
    });
  if (code != 0)
    return file_failed("list", "the drop folder", code);
  std::sort(out.begin(), out.end());
  return out;
}

caf::expected<user_folder> user_folder::open(const unique_fd& root,
                                             const std::string& name) {
  auto fd = open_in(root.value(), name, O_RDONLY | O_DIRECTORY);
  if (!fd)
    return file_failed("open", name, errno);
  return user_folder{std::move(fd), name};
}

caf::error user_folder::failed(const char* verb, const std::string& name,
                               int code) const {
  return file_failed(verb, name_ + "/" + name, code);
}

caf::expected<std::vector<listed_file>>
user_folder::list(std::size_t count_max) const {
  std::vector<listed_file> out;
  const auto code =
    for_each_name(fd_.value(), [&](const char* name, unsigned char type) {
      if (!meant_to_be_taken(name))
        return true;
      if (type != DT_REG && type != DT_UNKNOWN)
        return true;
      const auto found = look(fd_.value(), name);
      if (found && S_ISREG(found->st_mode))
        out.push_back({name, stamp_of(*found)});
      return out.size() < count_max;
    });
  if (code != 0)
    return failed("list", "", code);
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::tie(a.stamp.changed_ns, a.name)
           < std::tie(b.stamp.changed_ns, b.name);
  });
  return out;
}

reading user_folder::read(const listed_file& file,
                          std::size_t bytes_max) const {
  if (!unchanged(file))
    return {};
  if (file.stamp.size > bytes_max)
    return {reading_state::unfit,
            "the file has more than " + std::to_string(bytes_max) + " bytes"};
  // O_NONBLOCK: what is a file now may be a pipe when it is opened.
  const auto fd = open_in(fd_.value(), file.name, O_RDONLY | O_NONBLOCK);
  if (!fd) {
    const auto code = errno;
    return cannot_be_read(after_open_failed(code),
                          std::generic_category().message(code));
  }
  const auto still_same = [&] {
    struct stat now {};
    return ::fstat(fd.value(), &now) == 0 && S_ISREG(now.st_mode)
           && stamp_of(now) == file.stamp;
  };
  if (!still_same() || has_writer(fd))
    return {};
  reading out{reading_state::whole, std::string(file.stamp.size, '\0')};
  const auto count = read_file_at(fd, file.name, out.text, 0);
  if (!count)
    return cannot_be_read(reading_state::unread, render(count.error()));
  if (*count != file.stamp.size || !still_same())
    return {};
  return out;
}

caf::expected<unique_fd> user_folder::subfolder(const char* name) const {
  if (::mkdirat(fd_.value(), name, 0750) != 0 && errno != EEXIST)
    return failed("create", name, errno);
  auto out = open_in(fd_.value(), name, O_RDONLY | O_DIRECTORY);
  if (!out)
    return failed("open", name, errno);
  if (::faccessat(out.value(), ".", W_OK | X_OK, 0) != 0)
    return failed("write to", name, errno);
  return out;
}

caf::error user_folder::prepare() const {
  if (::faccessat(fd_.value(), ".", W_OK | X_OK, 0) != 0)
    return failed("write to", "", errno);
  auto done = subfolder(done_name);
  return done ? caf::error{} : std::move(done.error());
}

bool user_folder::unchanged(const listed_file& file) const {
  const auto now = look(fd_.value(), file.name);
  return now && S_ISREG(now->st_mode) && stamp_of(*now) == file.stamp;
}

/// 0, `changed`, or an errno.
int user_folder::move(const listed_file& file, const unique_fd& to,
                      const std::string& name) const {
  if (!unchanged(file))
    return changed;
  if (const auto code = rename_new(fd_.value(), file.name, to.value(), name))
    return code == ENOENT ? changed : code;
  // Somebody may have put another file there since it was looked at; moving
  // a file renews its ctime, so that is not compared.
  const auto moved = look(to.value(), name);
  if (moved && moved->st_ino == file.stamp.inode
      && nanoseconds(moved->st_mtim) == file.stamp.written_ns)
    return 0;
  const auto code = rename_new(to.value(), name, fd_.value(), file.name);
  return code == 0 || code == ENOENT ? changed : code;
}

caf::expected<bool> user_folder::finish(const listed_file& file,
                                        std::uint64_t id, bool keep) const {
  auto done = subfolder(done_name);
  if (!done)
    return std::move(done.error());
  const auto base = std::to_string(id) + "-" + file.name;
  auto code = EEXIST;
  for (int i = 1; code == EEXIST && i <= same_names_max; ++i) {
    const auto name = numbered(base, i);
    code = move(file, *done, name);
    if (code == 0 && !keep && ::unlinkat(done->value(), name.c_str(), 0) != 0)
      code = errno;
  }
  if (code != 0 && code != changed)
    return failed("move", file.name, code);
  return code == 0;
}

caf::expected<bool> user_folder::refuse(const listed_file& file,
                                        const std::string& reason) const {
  auto refused = subfolder(refused_name);
  if (!refused)
    return std::move(refused.error());
  auto code = EEXIST;
  for (int i = 1; code == EEXIST && i <= same_names_max; ++i) {
    const auto name = numbered(file.name, i);
    const auto reason_name = name + reason_ending;
    if (look(refused->value(), name))
      continue;
    const auto note =
      open_in(refused->value(), reason_name, O_WRONLY | O_CREAT | O_EXCL);
    code = note ? write_all(note, reason + "\n") : errno;
    if (note && code == 0)
      code = move(file, *refused, name);
    if (note && code != 0)
      ::unlinkat(refused->value(), reason_name.c_str(), 0);
  }
  if (code != 0 && code != changed)
    return failed("move", file.name, code);
  return code == 0;
}

} // namespace depositd::drop
