#include "adapters/sources/local/folder_walk.hpp"

#include "adapters/sources/records/records.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/values/owned.hpp"
#include "messages/values/sources.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <utility>

namespace depositd::sources {

namespace {

using kind = met_entry::kind;

/// Entries of a folder between two checkpoints.
constexpr std::size_t entries_per_check = 1'024;

bool is_gone(int code) {
  return code == ENOENT || code == ENOTDIR || code == ELOOP;
}

caf::error no_folder(const std::string& root) {
  return caf::make_error(ec::not_found, "there is no folder " + root);
}

/// Errors are shown, so they are UTF-8 whatever the name is.
caf::error trouble(std::string_view verb, const std::string& place, int code) {
  return file_failed(verb, readable(place), code);
}

/// The name as the walk keeps it; empty if it does not count.
std::string kept_name(int folder, const dirent& x) {
  std::string out = x.d_name;
  if (out.front() == '.')
    return {};
  auto type = x.d_type;
  struct stat found {};
  if (type == DT_UNKNOWN
      && ::fstatat(folder, x.d_name, &found, AT_SYMLINK_NOFOLLOW) == 0)
    type = IFTODT(found.st_mode);
  if (type == DT_DIR)
    return out + "/"; // where all that is below it has its place
  return type == DT_REG || type == DT_LNK ? out : std::string{};
}

std::int64_t micros_of(const timespec& x) {
  return std::int64_t{x.tv_sec} * 1'000'000 + x.tv_nsec / 1'000;
}

std::string real_path(const std::string& path) {
  char out[PATH_MAX];
  return ::realpath(path.c_str(), out) == nullptr ? std::string{} : out;
}

met_entry met(kind what, std::string path = {}) {
  met_entry out;
  out.is = what;
  out.path = std::move(path);
  return out;
}

} // namespace

folder_walk::folder_walk(std::string root, std::string behind,
                         std::size_t names_max)
  : root_(std::move(root)), behind_(std::move(behind)), names_max_(names_max) {
  // nop
}

std::string folder_walk::place_of(std::string_view path) const {
  auto out = root_ == "/" ? root_ : root_ + "/";
  out += path;
  // With a slash at its end a link is followed, whatever open is told.
  if (!path.empty() && out.back() == '/')
    out.pop_back();
  return out;
}

/// Whether an entry counts. Behind a last name, every later one; at first, what
/// is behind the beginning of the walk, and folders in which that lies.
bool folder_walk::wanted(std::string_view path, std::string_view last) const {
  if (!last.empty())
    return path > last;
  return path > behind_
         || (path.ends_with('/') && path.size() < behind_.size()
             && behind_.starts_with(path));
}

caf::error folder_walk::open_root(const checkpoint& check) {
  begun_ = true;
  struct stat found {};
  if (::stat(root_.c_str(), &found) != 0)
    return is_gone(errno) ? no_folder(root_) : trouble("look at", root_, errno);
  if (!S_ISDIR(found.st_mode))
    return no_folder(root_);
  device_ = found.st_dev;
  number_ = found.st_ino;
  real_root_ = real_path(root_);
  if (real_root_.empty())
    return trouble("look at", root_, errno);
  return enter({}, check);
}

/// Only now is it known that all was there all the time: a disk that is gone
/// has no files either.
caf::expected<met_entry> folder_walk::end() const {
  struct stat found {};
  if (::stat(root_.c_str(), &found) != 0 || found.st_dev != device_
      || found.st_ino != number_)
    return caf::make_error(ec::not_found, "the folder " + root_ + " went away");
  return met(kind::end);
}

caf::error folder_walk::enter(std::string prefix, const checkpoint& check) {
  level next;
  next.prefix = std::move(prefix);
  if (auto error = fill(next, {}, check))
    return error;
  levels_.push_back(std::move(next));
  return {};
}

/// Reads the first names behind `last`; without one, those that are wanted at
/// first.
caf::error folder_walk::fill(level& to, std::string_view last,
                             const checkpoint& check) {
  to.names.clear();
  to.at = 0;
  to.more = false;
  const bool is_root = to.prefix.empty();
  const auto place = place_of(to.prefix);
  const int folder = ::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC
                                             | (is_root ? 0 : O_NOFOLLOW));
  if (folder < 0 && is_gone(errno))
    return is_root ? no_folder(root_) : caf::error{};
  if (folder < 0)
    return trouble("open", place, errno);
  const owned<DIR, closedir> entries{::fdopendir(folder)};
  if (!entries) {
    const auto code = errno;
    ::close(folder);
    return trouble("open", place, code);
  }
  const auto cut = [&] {
    if (to.names.size() <= names_max_)
      return;
    const auto kept =
      to.names.begin() + static_cast<std::ptrdiff_t>(names_max_);
    std::nth_element(to.names.begin(), kept, to.names.end());
    to.names.erase(kept, to.names.end());
    to.more = true;
  };
  for (std::size_t seen = 1;; ++seen) {
    if (seen % entries_per_check == 0)
      if (auto error = check())
        return error;
    errno = 0;
    const auto* entry = ::readdir(entries.get());
    if (entry == nullptr)
      break;
    auto name = kept_name(folder, *entry);
    if (name.empty() || !wanted(to.prefix + name, last))
      continue;
    to.names.push_back(std::move(name));
    if (to.names.size() >= 2 * names_max_)
      cut();
  }
  if (errno != 0)
    return trouble("read", place, errno);
  cut();
  std::sort(to.names.begin(), to.names.end());
  return {};
}

caf::expected<met_entry> folder_walk::step(const checkpoint& check) {
  if (auto error = check())
    return error;
  if (!begun_) {
    if (auto error = open_root(check))
      return error;
    return met(kind::nothing);
  }
  if (levels_.empty())
    return end();
  auto& top = levels_.back();
  if (top.at == top.names.size()) {
    if (!top.more) {
      levels_.pop_back();
      return met(kind::nothing);
    }
    const auto last = top.prefix + top.names.back();
    if (auto error = fill(top, last, check))
      return error;
    return met(kind::nothing);
  }
  auto path = top.prefix + top.names[top.at++];
  if (path.size() > record_key_bytes_max
      || root_.size() + path.size() + 2 > PATH_MAX)
    return met(kind::too_long, std::move(path));
  if (!path.ends_with('/'))
    return look_at(std::move(path));
  if (auto error = enter(std::move(path), check))
    return error;
  return met(kind::nothing);
}

caf::expected<met_entry> folder_walk::look_at(std::string path) const {
  const auto place = place_of(path);
  struct stat found {};
  if (::lstat(place.c_str(), &found) != 0) {
    if (is_gone(errno))
      return met(kind::nothing); // meanwhile
    return trouble("look at", place, errno);
  }
  if (S_ISLNK(found.st_mode)) {
    const auto real = real_path(place);
    const auto inside = real_root_ == "/" ? real_root_ : real_root_ + "/";
    if (!real.starts_with(inside) || ::stat(real.c_str(), &found) != 0)
      return met(kind::nothing);
  }
  if (!S_ISREG(found.st_mode))
    return met(kind::nothing);
  auto out = met(kind::file, std::move(path));
  out.size = static_cast<std::uint64_t>(found.st_size);
  out.modified_us = micros_of(found.st_mtim);
  return out;
}

} // namespace depositd::sources
