#include "adapters/stores/files/work_marker.hpp"

#include "adapters/stores/files/file.hpp"
#include "messages/values/uuid.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>

namespace depositd {

namespace {

namespace fs = std::filesystem;

/// Of a random id, with the end of its line.
constexpr std::size_t id_bytes_max = 64;

std::string line_of(const std::string& id) {
  return id + "\n";
}

/// Nothing if there is no such file.
caf::expected<std::optional<std::string>> read_id(const fs::path& path) {
  auto text = read_file(path);
  if (!text && text.error() == ec::not_found)
    return std::optional<std::string>{};
  if (!text)
    return std::move(text.error());
  while (text->ends_with('\n'))
    text->pop_back();
  if (text->empty() || text->size() > id_bytes_max)
    return caf::make_error(ec::store_damaged,
                           path.string() + " holds no id of a store");
  return std::optional{std::move(*text)};
}

/// A file of our own, so that two who try at once are not in each other's way.
/// A disk that is full takes files again, and jobs wait for that.
caf::error try_to_write(const fs::path& folder) {
  const auto path = folder / (".try-" + random_uuid());
  const unique_fd file{
    ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600)};
  const int code = file.value() < 0 ? errno : 0;
  std::error_code ignored;
  fs::remove(path, ignored);
  return code == 0 || code == ENOSPC || code == EDQUOT
           ? caf::error{}
           : file_failed("open", path, code);
}

} // namespace

caf::expected<std::optional<std::string>>
read_work_marker(const fs::path& folder) {
  return read_id(folder / work_marker_name);
}

caf::error write_work_marker(disk& io, const fs::path& folder,
                             const std::string& id) {
  return replace_file(io, folder / work_marker_name, line_of(id));
}

caf::error look_for_work_marker(const fs::path& folder) {
  const auto path = folder / work_marker_name;
  std::error_code code;
  if (fs::exists(path, code))
    return {};
  return code ? file_failed("look at", path, code.value())
              : caf::make_error(ec::store_failed,
                                path.string() + " is not there: is its disk "
                                                "mounted?");
}

work_folder_watch::work_folder_watch(fs::path folder)
  : folder_(std::move(folder)) {
  static_cast<void>(look());
}

caf::error work_folder_watch::look() {
  auto away = look_for_work_marker(folder_);
  if (!away)
    was_marked_ = true;
  if (!away || was_marked_)
    return away;
  std::error_code code;
  if (fs::is_directory(folder_, code))
    return {};
  return code ? file_failed("look at", folder_, code.value())
              : caf::make_error(ec::store_failed,
                                folder_.string() + " is no folder");
}

caf::error prove_work_folder(const fs::path& folder, const std::string& id) {
  const auto marker = read_work_marker(folder);
  if (!marker)
    return marker.error();
  const auto path = (folder / work_marker_name).string();
  if (!*marker)
    return caf::make_error(ec::bad_setting, "there is no " + path);
  if (**marker != id)
    return caf::make_error(ec::bad_setting, path + " says " + **marker
                                              + ", and the store " + id);
  return try_to_write(folder);
}

caf::expected<std::string> agree_on_work_id(disk& io, const fs::path& path,
                                            const std::string& proposed) {
  auto known = read_id(path);
  if (!known)
    return std::move(known.error());
  if (*known)
    return std::move(**known);
  if (auto failed = replace_file(io, path, line_of(proposed)))
    return failed;
  return proposed;
}

} // namespace depositd
